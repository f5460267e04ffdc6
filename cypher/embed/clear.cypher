// Take the vectors of one place from some records of a space, after an id
// The order is that of the index, so nothing is sorted.
// @params space, id, limit  @mode write
MATCH (record:Record)
WHERE record.space = $space AND record.id > $id AND record.vector0 IS NOT NULL
WITH record
ORDER BY record.space, record.id
LIMIT $limit
REMOVE record.vector0
RETURN max(record.id) AS last
