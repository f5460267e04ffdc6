// Where some turns lie on the paths of some leaves
// @params space, rows, ids  @mode read
UNWIND $rows AS row
MATCH (leaf:Turn {space: $space, id: row.id})
CALL (leaf) {
  MATCH (leaf)-[:PARENT]->*(turn)
  WITH collect(turn) AS path
  UNWIND range(0, size(path) - 1) AS distance
  WITH path[distance] AS turn, distance
  WHERE turn.id IN $ids
  RETURN turn, distance
}
RETURN turn.id AS id, turn.createdAt AS createdAt, row.rank AS rank, distance
