// The turn that a reward refers to: the one that is named, else the last that the assistant said
// @params space, head, turn  @mode read
MATCH (head:Turn {space: $space, id: $head})
MATCH (head)-[:PARENT]->*(turn)
WHERE
  turn.space = $space AND
  NOT turn:Awaited AND
  (turn.id = $turn OR ($turn IS NULL AND turn.role = 'assistant' AND NOT turn:Revoked))
RETURN turn.id AS id
LIMIT 1
