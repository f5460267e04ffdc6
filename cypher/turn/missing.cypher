// Which of some turns are not there, or have not arrived
// @params space, ids  @mode read
UNWIND $ids AS id
OPTIONAL MATCH (turn:Turn {space: $space, id: id})
WITH id, turn
WHERE turn IS NULL OR turn:Awaited
RETURN id, turn IS NULL AS missing
