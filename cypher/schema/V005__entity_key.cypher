// An entity's key is unique in its space
// @mode schema
CREATE CONSTRAINT entity_key IF NOT EXISTS
FOR (entity:Entity)
REQUIRE (entity.space, entity.key) IS UNIQUE
