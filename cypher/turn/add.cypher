// Store turns, filling the placeholders among them
// Removing the label takes the turn's lock, so whoever comes second reads what the first has written.
// Returned are the turns that were filled before (storedHash) and those that others follow already.
// @params space, rows  @mode write
UNWIND $rows AS row
MERGE (turn:Turn {space: $space, id: row.id})
REMOVE turn:Awaited
WITH row, turn, turn.contentHash AS storedHash
SET turn += row.content
WITH turn.id AS id, storedHash, EXISTS { (turn)<-[:PARENT]-() } AS followed
WHERE storedHash IS NOT NULL OR followed
RETURN id, storedHash, followed
