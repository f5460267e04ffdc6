// A record by its id, as the only one of a list
// @params space, record  @mode read
MATCH (record:Record {space: $space, id: $record})
RETURN [record] AS records
