// The turn among some on whose path all of them lie
// @params space, ids  @mode read
UNWIND $ids AS id
MATCH (tip:Turn {space: $space, id: id})
CALL (tip) {
  MATCH (tip)-[:PARENT]->*(turn)
  WHERE turn.id IN $ids AND turn.space = $space
  RETURN count(turn) AS found
}
WITH tip, found
WHERE found = size($ids) AND NOT tip:Awaited
RETURN tip.id AS tip
