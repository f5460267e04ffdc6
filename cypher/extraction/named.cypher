// Some turns by their ids
// @params space, ids  @mode read
UNWIND $ids AS id
MATCH (turn:Turn {space: $space, id: id})
RETURN turn
