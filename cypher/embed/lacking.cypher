// Some records of a space that lack a vector, after an id
// The order is that of the index, so nothing is sorted.
// @params space, id, kinds, limit  @mode read
MATCH (record:Record)
WHERE
  record.space = $space AND
  record.id > $id AND
  record.kind IN $kinds AND
  record.text IS NOT NULL AND
  record.vector0 IS NULL
RETURN record.id AS id, record.text AS text
ORDER BY record.space, record.id
LIMIT $limit
