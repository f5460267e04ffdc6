// Turns that are their own ancestors
// @params space, ids  @mode read
UNWIND $ids AS id
MATCH (turn:Turn {space: $space, id: id})
WHERE EXISTS { (turn)-[:PARENT]->+(turn) }
RETURN turn.id AS id
