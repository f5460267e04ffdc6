// Current relations and joins between entities
// @continues record, current  @mode read
WITH record, current
WHERE current
MATCH (record)-[:SUBJECT]->(subject)<-[subjectMention:MENTIONS]-(record)
WHERE subject.space = record.space
MATCH (record)-[:OBJECT]->(object)<-[objectMention:MENTIONS]-(record)
WHERE object.space = record.space
RETURN
  record.id AS id,
  record.kind AS kind,
  record.text AS text,
  record.predicate AS predicate,
  record.sourceIds AS sourceIds,
  [(record)-[source:DERIVED_FROM]->(turn) | source {.*, turn: turn.id}] AS sources,
  {key: subject.key, name: subjectMention.surface, type: subjectMention.type} AS subject,
  {key: object.key, name: objectMention.surface, type: objectMention.type} AS object
