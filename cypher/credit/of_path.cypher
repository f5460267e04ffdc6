// Candidates: what has been given at the heads that lie on a path
// @params space, anchor  @mode read
MATCH (anchor:Turn {space: $space, id: $anchor})
WHERE NOT anchor:Awaited
MATCH (anchor)-[:PARENT]->*(turn)
MATCH (turn)<-[:DERIVED_FROM]-(record:Credit)
WHERE record.head = turn.id
RETURN collect(record) AS records
