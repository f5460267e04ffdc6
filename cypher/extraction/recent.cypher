// The records that come from the last turns of a path
// @params space, anchor, length  @mode read
MATCH (anchor:Turn {space: $space, id: $anchor})
WHERE NOT anchor:Awaited
MATCH (anchor)-[:PARENT]->*(turn)
WITH turn
LIMIT $length
MATCH (turn)<-[:DERIVED_FROM]-(record)
WHERE record.space = $space
RETURN collect(DISTINCT record) AS records
