// Candidates: what has been given at the heads that lie on a path
// The kind is asked for, not the label: few credits in all would be read first, and those of all spaces.
// @params space, anchor  @mode read
MATCH (anchor:Turn {space: $space, id: $anchor})
WHERE NOT anchor:Awaited
MATCH (anchor)-[:PARENT]->*(turn)
MATCH (turn)<-[:DERIVED_FROM]-(record)
WHERE record.kind = 'credit' AND record.head = turn.id
RETURN collect(record) AS records
