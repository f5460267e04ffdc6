// What the store knows of some turns
// @params space, ids  @mode read
UNWIND $ids AS id
MATCH (turn:Turn {space: $space, id: id})
RETURN
  turn.id AS id,
  turn:Awaited AS awaited,
  turn:Purged AS purged,
  turn.contentHash AS contentHash,
  [(turn)-[:PARENT]->(parent) | parent.id][0] AS parent
