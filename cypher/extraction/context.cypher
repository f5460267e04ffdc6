// The last turns of a path, for whoever reads its end
// @params space, anchor, length  @mode read
MATCH (anchor:Turn {space: $space, id: $anchor})
WHERE NOT anchor:Awaited
MATCH (anchor)-[:PARENT]->*(turn)
WITH turn
LIMIT $length
WITH collect(turn) AS path
UNWIND range(0, size(path) - 1) AS distance
RETURN path[distance] AS turn, -distance AS position
