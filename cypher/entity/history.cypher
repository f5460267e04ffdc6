// Visible records with what took their place, and what they took the place of
// What was built from a corrected record falls with it, but nothing took its place.
// @continues record, current, invalidatedBy  @mode read
WITH record, current, invalidatedBy
RETURN
  record.id AS id,
  record.kind AS kind,
  record.text AS text,
  record.sourceIds AS sourceIds,
  current,
  [one IN invalidatedBy | {sourceIds: one.by.sourceIds, replacedBy: one.new.id}] AS invalidatedBy,
  [(record)-[:INVALIDATES]->(old) | old.id] AS invalidates,
  [(record)-[:REPLACED_BY]->(new) | new.id][0] AS replacedBy,
  [(record)-[:MENTIONS]->(entity) WHERE entity.space = record.space | entity.key] AS keys
