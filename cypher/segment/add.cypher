// Add segments, and say where they leave the one above
// A segment is a run of turns, each following the one before; a fork starts another one.
// @params space, rows  @mode write
UNWIND $rows AS row
MERGE (segment:Segment {space: $space, id: row.id})
WITH segment, row
WHERE row.above IS NOT NULL
SET segment.leavesAt = row.leavesAt
MERGE (above:Segment {space: $space, id: row.above})
MERGE (segment)-[:ABOVE]->(above)
