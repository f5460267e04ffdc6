// The turns of a path that some summaries were not made of
// @params space, anchor, ids  @mode read
MATCH (anchor:Turn {space: $space, id: $anchor})
WHERE NOT anchor:Awaited
MATCH (anchor)-[:PARENT]->*(turn)
WITH collect(turn) AS path
UNWIND range(0, size(path) - 1) AS distance
WITH path[distance] AS turn, distance
WHERE NOT turn:Awaited|Revoked|Purged
OPTIONAL MATCH (turn)<-[:DERIVED_FROM]-(record)
WHERE record.id IN $ids AND record.kind = 'summary'
WITH turn, distance, count(record) AS summaries
WHERE summaries = 0
RETURN turn.id AS id
ORDER BY distance DESC
