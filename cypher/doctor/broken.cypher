// Turns and records of a space that break a rule of the tree
// Only a change made by hand, past graphmem, can make one.
// @params space, limit  @mode read
MATCH (turn:Turn)
WHERE turn.space = $space AND turn.id IS NOT NULL
CALL (turn) {
  MATCH (turn)-[:PARENT]->(parent)
  RETURN count(parent) AS parents, count(
      CASE
        WHEN parent.space = $space THEN 1
      END) AS own
}
WITH turn, parents, own
WHERE parents > 1 OR own < parents
RETURN turn.id AS id, 'has two parents, or one of another space' AS problem
LIMIT $limit
  UNION
MATCH (record:Record)
WHERE
  record.space = $space AND
  record.id IS NOT NULL AND
  NOT record:Purged AND
  COUNT { (record)-[:DERIVED_FROM]->() } <> coalesce(size(record.sourceIds), -1)
RETURN record.id AS id, 'lost a source, or got one by hand' AS problem
LIMIT $limit
