// Link records to the entities that they mention
// An entity holds nothing but its key: what it is called, the links say.
// @params space, rows  @mode write
UNWIND $rows AS row
MERGE (entity:Entity {space: $space, key: row.key})
WITH row, entity
MATCH (record:Record {space: $space, id: row.record})
MERGE (record)-[mention:MENTIONS]->(entity)
SET mention.surface = row.name, mention.type = row.type
FOREACH (_ IN
CASE
  WHEN row.subject THEN [1]
  ELSE []
END |
  MERGE (record)-[:SUBJECT]->(entity)
)
FOREACH (_ IN
CASE
  WHEN row.object THEN [1]
  ELSE []
END |
  MERGE (record)-[:OBJECT]->(entity)
)
