// What an extractor has made of a turn, held until the transaction ends
// Setting the label that is there takes the lock: of two results for one turn, the second finds the first.
// @params space, id, state  @mode write
MATCH (turn:Turn {space: $space, id: $id})
SET turn:Turn
RETURN turn[$state] AS state, turn:Purged AS purged
