// Which of some records are stored, hidden or not
// @params space, ids  @mode read
UNWIND $ids AS id
MATCH (record:Record {space: $space, id: id})
RETURN record.id AS id
