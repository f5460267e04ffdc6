// Records visible at an anchor
// A record is visible when it has sources and every one of them has arrived, is not hidden and lies on the anchor's path.
// A link that is lost or leads elsewhere hides it, and so does a revoked record it is built from.
// @params space, anchor  @mode read
MATCH (anchor:Turn {space: $space, id: $anchor})
WHERE NOT anchor:Awaited
MATCH (anchor)-[:PARENT]->*(turn)
WITH anchor, collect(turn) AS path
UNWIND range(0, size(path) - 1) AS distance
WITH anchor, path[distance] AS turn, distance
WHERE NOT turn:Awaited|Revoked|Purged
MATCH (turn)<-[:DERIVED_FROM]-(record)
WHERE record.space = $space
WITH anchor, record, collect(turn.id) AS onPath, min(distance) AS distance
WHERE
  all(source IN record.sourceIds WHERE source IN onPath) AND
  COUNT { (record)-[:DERIVED_FROM]->() } = size(onPath) AND
  NOT record:Revoked AND
  NOT EXISTS {
  (record)-[:BUILT_FROM]->(:Revoked|Purged)
  }
RETURN anchor, record, 0 AS tree, distance
