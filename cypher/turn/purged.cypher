// Which of some turns were purged
// @params space, ids  @mode read
UNWIND $ids AS id
MATCH (turn:Turn {space: $space, id: id})
WHERE turn:Purged
RETURN turn.id AS id
