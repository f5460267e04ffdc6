// Some records of a space that wait for a vector
// @params space, limit  @mode read
MATCH (record:Unembedded {space: $space})
RETURN record.id AS id, record.text AS text
LIMIT $limit
