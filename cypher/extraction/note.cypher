// Note what an extractor has made of turns
// The reason says why one could not be read; the turn can then be given to the extractor again.
// @params space, rows, state, reason  @mode write
UNWIND $rows AS row
MATCH (turn:Turn {space: $space, id: row.id})
WHERE NOT turn:Purged
SET turn[$state] = row.state, turn[$reason] = row.reason
