// A turn by its id
// @params space, id  @mode read
MATCH (turn:Turn {space: $space, id: $id})
RETURN turn, 0 AS position
