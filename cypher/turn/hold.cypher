// Where some turns are, for those who will follow them
// Setting the label that is there takes the lock: of two turns that follow at once, one goes on with the segment.
// @params space, ids  @mode write
UNWIND $ids AS id
MATCH (turn:Turn {space: $space, id: id})
SET turn:Turn
RETURN
  turn.id AS id,
  turn.segment AS segment,
  turn.place AS place,
  coalesce(turn.continued, false) AS continued
