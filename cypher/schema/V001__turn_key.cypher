// A turn's id is unique in its space
// @mode schema
CREATE CONSTRAINT turn_key IF NOT EXISTS
FOR (turn:Turn)
REQUIRE (turn.space, turn.id) IS UNIQUE
