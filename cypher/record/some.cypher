// Some records by their ids
// @params space, ids  @mode read
UNWIND $ids AS id
MATCH (record:Record {space: $space, id: id})
RETURN collect(record) AS records
