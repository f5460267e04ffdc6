// How far a path reaches: which segments it runs through, and up to which place
// @params space, anchor  @mode read
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
RETURN segment, reach
