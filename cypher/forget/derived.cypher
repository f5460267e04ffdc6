// Records that were derived from some turns
// Sources are flattened, so these are all that depend on the turns.
// @params space, ids, limit  @mode read
UNWIND $ids AS id
MATCH (turn:Turn {space: $space, id: id})
MATCH (turn)<-[:DERIVED_FROM]-(record)
WHERE record.space = $space
RETURN DISTINCT record.id AS id
LIMIT $limit
