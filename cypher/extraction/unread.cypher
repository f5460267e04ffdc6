// Which of some turns an extractor has not been given
// @params space, ids, state  @mode read
UNWIND $ids AS id
MATCH (turn:Turn {space: $space, id: id})
WHERE turn[$state] IS NULL AND NOT turn:Purged
RETURN turn.id AS id
