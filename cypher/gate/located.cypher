// Which candidates are visible at an anchor, found by the places of their sources
// The same answer as gate/visible.cypher's, without walking the path: a turn lies on it when the path runs
// through the turn's segment and reaches its place there.
// @continues candidates  @params space, anchor  @mode read
MATCH (anchor:Turn {space: $space, id: $anchor})
WHERE NOT anchor:Awaited
CALL (anchor) {
  RETURN anchor.segment AS segment, anchor.place AS reach
    UNION ALL
  MATCH (own:Segment {space: $space, id: anchor.segment})
  MATCH (own)-[:ABOVE]->*(lower)
  MATCH (lower)-[:ABOVE]->(upper)
  RETURN upper.id AS segment, lower.leavesAt AS reach
}
WITH anchor, candidates, collect({segment: segment, reach: reach}) AS path
CALL (candidates) {
  UNWIND candidates AS record
  RETURN DISTINCT record
}
MATCH (record)-[:DERIVED_FROM]->(source)
WITH
  anchor,
  record,
  count(source) AS links,
  collect(
    CASE
      WHEN
        source.space = $space AND
        NOT source:Awaited|Revoked|Purged AND
        any(run IN path WHERE run.segment = source.segment AND run.reach >= source.place)
        THEN source.id
    END) AS onPath
WHERE
  record.space = $space AND
  all(source IN record.sourceIds WHERE source IN onPath) AND
  links = size(onPath) AND
  NOT record:Revoked AND
  NOT EXISTS {
  (record)-[:BUILT_FROM]->(:Revoked|Purged)
  }
RETURN anchor, record, 0 AS tree, null AS distance
