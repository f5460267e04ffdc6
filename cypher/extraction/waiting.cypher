// Turns of a space that an extractor has not read
// Not asked for are answers that nobody went on from, where another version has been kept, if lazy says so.
// @params space, state, retry, lazy  @mode read
MATCH (turn:Turn)
WHERE
  turn.space = $space AND
  turn.id IS NOT NULL AND
  turn.role IN ['user', 'assistant'] AND
  (turn[$state] IS NULL OR ($retry AND turn[$state] = 'failed'))
WITH turn, turn:Awaited|Revoked|Purged AS hidden
WHERE NOT hidden
OPTIONAL MATCH (turn)-[:PARENT]->(parent)
WITH
  turn.id AS id,
  parent.id AS parent,
  turn.role = 'assistant' AND
  NOT EXISTS { (turn)<-[:PARENT]-() } AND
  NOT EXISTS { (turn)<-[:HEAD]-() } AND
  (EXISTS { (turn)<-[:REPLACES]-() } OR EXISTS { (turn)-[:REPLACES]-()<-[:PARENT|HEAD]-() }) AS dropped
WHERE NOT ($lazy AND dropped)
RETURN id, parent
