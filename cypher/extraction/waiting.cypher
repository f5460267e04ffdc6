// Turns that an extractor has not read, each after those that it follows
// Not asked for are answers that nobody went on from, where another version has been kept, if lazy says so.
// Before a turn come those of its segment with a lower place, and those of the segments above.
// @continues turn  @params space, state, retry, lazy  @mode read
WITH turn
WHERE
  turn.role IN ['user', 'assistant'] AND
  (turn[$state] IS NULL OR ($retry AND turn[$state] = 'failed'))
WITH turn, turn:Awaited|Revoked|Purged AS hidden
WHERE NOT hidden
WITH
  turn,
  turn.role = 'assistant' AND
  NOT EXISTS { (turn)<-[:PARENT]-() } AND
  NOT EXISTS { (turn)<-[:HEAD]-() } AND
  (EXISTS { (turn)<-[:REPLACES]-() } OR EXISTS { (turn)-[:REPLACES]-()<-[:PARENT|HEAD]-() }) AS dropped
WHERE NOT ($lazy AND dropped)
WITH turn.segment AS number, collect(turn) AS turns
OPTIONAL MATCH (segment:Segment {space: $space, id: number})
WITH turns, number, COUNT { (segment)-[:ABOVE]->+() } AS above
UNWIND turns AS turn
RETURN turn.id AS id
ORDER BY above, number, turn.place, id
