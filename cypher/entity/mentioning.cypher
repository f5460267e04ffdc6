// The records that mention some entities
// @params space, keys  @mode read
UNWIND $keys AS key
MATCH (entity:Entity {space: $space, key: key})
MATCH (entity)<-[:MENTIONS]-(record)
RETURN collect(DISTINCT record) AS records
