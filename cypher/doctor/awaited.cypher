// Turns of a space that others name and that have not arrived
// @params space, limit  @mode read
MATCH (turn:Turn)
WHERE turn.space = $space AND turn.id IS NOT NULL
WITH turn, turn:Awaited AS awaited
WHERE awaited
RETURN
  turn.id AS id,
  COUNT { (turn)<-[:PARENT|REPLACES]-() } AS turns,
  COUNT { (turn)<-[:DERIVED_FROM]-() } AS records
ORDER BY id
LIMIT $limit
