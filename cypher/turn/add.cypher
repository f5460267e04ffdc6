// Store turns, filling the placeholders among them
// Removing the label takes the turn's lock, so whoever comes second reads what the first has written.
// Returned are the turns that were there before: filled (storedHash), or as placeholders with a place.
// @params space, rows  @mode write
UNWIND $rows AS row
MERGE (turn:Turn {space: $space, id: row.id})
REMOVE turn:Awaited
WITH row, turn, turn.contentHash AS storedHash
SET turn += row.content
WITH turn, storedHash
WHERE storedHash IS NOT NULL OR turn.segment IS NOT NULL
RETURN
  turn.id AS id,
  storedHash,
  EXISTS { (turn)<-[:PARENT]-() } AS followed,
  turn.segment AS segment,
  turn.place AS place,
  coalesce(turn.continued, false) AS continued
