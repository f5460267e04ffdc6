// Create placeholders for turns that others name
// A turn that is there already is left as it is.
// @params space, ids  @mode write
UNWIND $ids AS id
MERGE (turn:Turn {space: $space, id: id})
  ON CREATE SET turn:Awaited
