// Create placeholders for turns that others name
// A turn that is there already is left as it is.
// @params space, rows  @mode write
UNWIND $rows AS row
MERGE (turn:Turn {space: $space, id: row.id})
  ON CREATE SET turn:Awaited, turn.segment = row.segment, turn.place = 0
