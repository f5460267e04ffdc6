// What visible records call some entities
// @continues record, tree  @params keys  @mode read
WITH record
MATCH (record)-[mention:MENTIONS]->(entity)
WHERE entity.space = record.space AND entity.key IN $keys
RETURN DISTINCT entity.key AS key, mention.surface AS name
