// Records that hang on purged ones
// @params space, ids, limit  @mode read
UNWIND $ids AS id
MATCH (purged:Record {space: $space, id: id})
WHERE purged:Purged
MATCH (purged)<-[:BUILT_FROM]-(record)
WHERE record.space = $space
RETURN DISTINCT record.id AS id
LIMIT $limit
