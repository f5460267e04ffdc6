// Turns of a space that an extractor could not read, and why
// @params space, state, reason  @mode read
MATCH (turn:Turn)
WHERE turn.space = $space AND turn.id IS NOT NULL AND turn[$state] = 'failed'
RETURN turn.id AS id, turn[$reason] AS reason
ORDER BY id
