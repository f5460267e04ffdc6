// A space's id is unique
// @mode schema
CREATE CONSTRAINT space_key IF NOT EXISTS
FOR (space:Space)
REQUIRE space.id IS UNIQUE
