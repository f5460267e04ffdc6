// Some records whose labels do not tell what the live place holds, after an id
// The order is that of the index, so nothing is sorted.
// @params space, id, kinds, limit  @mode read
MATCH (record:Record)
WHERE
  record.space = $space AND
  record.id > $id AND
  record.kind IN $kinds AND
  record.text IS NOT NULL AND
  (record:Unembeddable OR (record.vector0 IS NULL) <> record:Unembedded)
RETURN record.id AS id
ORDER BY record.space, record.id
LIMIT $limit
