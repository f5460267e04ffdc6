// The last turn that the paths of two turns share
// @params space, a, b  @mode read
MATCH (a:Turn {space: $space, id: $a})
WHERE NOT a:Awaited
MATCH (b:Turn {space: $space, id: $b})
WHERE NOT b:Awaited
CALL (a, b) {
  MATCH (a)-[:PARENT]->*(turn)
  WITH collect(turn) AS path
  UNWIND range(0, size(path) - 1) AS distance
  RETURN path[distance] AS turn, distance
    UNION ALL
  MATCH (b)-[:PARENT]->*(turn)
  RETURN turn, null AS distance
}
WITH turn, count(*) AS paths, min(distance) AS distance
WHERE paths = 2
RETURN turn.id AS fork, distance
ORDER BY distance
LIMIT 1
