// The path of an anchor, from the root
// @params space, anchor  @mode read
MATCH (anchor:Turn {space: $space, id: $anchor})
WHERE NOT anchor:Awaited
MATCH (anchor)-[:PARENT]->*(turn)
WHERE turn.space = $space
WITH collect(turn) AS path
UNWIND range(0, size(path) - 1) AS distance
RETURN path[distance] AS turn, -distance AS position
