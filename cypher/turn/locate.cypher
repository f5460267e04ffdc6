// Say where turns are in the segments of their tree
// @params space, rows  @mode write
UNWIND $rows AS row
MATCH (turn:Turn {space: $space, id: row.id})
SET turn.segment = row.segment, turn.place = row.place, turn.continued = row.continued
