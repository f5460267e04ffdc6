// Where some turns are in the segments of their trees, and whether they were purged
// @params space, ids  @mode read
UNWIND $ids AS id
MATCH (turn:Turn {space: $space, id: id})
RETURN turn.id AS id, turn:Purged AS purged, turn.segment AS segment, turn.place AS place
