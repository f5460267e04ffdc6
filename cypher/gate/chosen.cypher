// Visible records of some kinds, along the path
// Those of the anchor's own path first; then those of each other tree.
// Null stands for any kind, any record, any distance from the leaf.
// @continues record, tree, distance, current, invalidatedBy  @params kinds, ids, within, history  @mode read
WITH record, tree, distance, current, invalidatedBy
WHERE
  ($history OR current) AND
  ($kinds IS NULL OR record.kind IN $kinds) AND
  ($ids IS NULL OR record.id IN $ids) AND
  ($within IS NULL OR distance < $within)
WITH
  record,
  tree,
  distance,
  current,
  invalidatedBy,
  [(record)-[source:DERIVED_FROM]->() | source.start][0] AS start
ORDER BY tree, distance DESC, start, record.id
WITH collect({record: record, current: current, invalidatedBy: invalidatedBy}) AS rows
UNWIND range(0, size(rows) - 1) AS position
RETURN
  rows[position].record AS record,
  rows[position].current AS current,
  rows[position].invalidatedBy AS invalidatedBy,
  position
