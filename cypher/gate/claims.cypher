// Visible records with their sources
// Those of the anchor's own path first, along the path; then those of each other tree.
// Null stands for any kind, any record, any distance from the leaf.
// @continues record, tree, distance, current, invalidatedBy  @params kinds, ids, within, history  @mode read
WITH record, tree, distance, current, invalidatedBy
WHERE
  ($history OR current) AND
  ($kinds IS NULL OR record.kind IN $kinds) AND
  ($ids IS NULL OR record.id IN $ids) AND
  ($within IS NULL OR distance < $within)
RETURN
  record.id AS id,
  record.kind AS kind,
  record.text AS text,
  record.predicate AS predicate,
  record.sourceIds AS sourceIds,
  current,
  [
    one IN invalidatedBy
    | {
      id: one.id,
      sourceIds: one.sourceIds,
      replacedBy: [(one)-[:REPLACED_BY]->(new) | {id: new.id, text: new.text}][0]
    }
 ] AS invalidatedBy,
  [(record)-[source:DERIVED_FROM]->(turn) | source {.*, turn: turn.id}] AS sources,
  [(record)-[:BUILT_FROM]->(input) | input.id] AS builtFrom,
  [
    (record)-[mention:MENTIONS]->(entity)
    | {
      name: mention.surface,
      type: mention.type,
      subject: EXISTS { (record)-[:SUBJECT]->(entity) },
      object: EXISTS { (record)-[:OBJECT]->(entity) }
    }
 ] AS mentions,
  [(record)-[:INVALIDATES]->(old) | old.id] AS invalidates,
  [(record)-[:REPLACED_BY]->(new) | new.id][0] AS replacedBy,
  [(record)-[source:DERIVED_FROM]->() | source.start][0] AS place
ORDER BY tree, distance DESC, place, id
