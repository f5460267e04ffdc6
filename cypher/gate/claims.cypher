// Visible records with their sources
// Those of the anchor's own path first, along the path; then those of each other tree.
// Null stands for any kind, any record, any distance from the leaf.
// @continues record, tree, distance  @params kinds, ids, within  @mode read
WITH record, tree, distance
WHERE
  ($kinds IS NULL OR record.kind IN $kinds) AND
  ($ids IS NULL OR record.id IN $ids) AND
  ($within IS NULL OR distance < $within)
RETURN
  record.id AS id,
  record.kind AS kind,
  record.text AS text,
  record.sourceIds AS sourceIds,
  [(record)-[source:DERIVED_FROM]->(turn) | source {.*, turn: turn.id}] AS sources,
  [(record)-[:BUILT_FROM]->(input) | input.id] AS builtFrom,
  [(record)-[source:DERIVED_FROM]->() | source.start][0] AS place
ORDER BY tree, distance DESC, place, id
