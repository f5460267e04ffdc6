// How far a path reaches: which segments it runs through, and up to which place
// Beside it the model whose vectors are searched, so that both are of one moment.
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
WITH collect([segment, reach]) AS runs
CALL () {
  UNWIND [0, 1] AS slot
  MATCH (embedding:Embedding {slot: slot})
  WHERE embedding.state = 'live'
  RETURN collect(embedding {.slot, .model, .dimensions}) AS live
}
WITH runs, live
WHERE size(runs) > 0
RETURN runs, live
