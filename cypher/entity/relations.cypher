// The relations of some entities, and what joins these to others
// @params space, keys  @mode read
UNWIND $keys AS key
MATCH (entity:Entity {space: $space, key: key})
MATCH (entity)<-[:SUBJECT|OBJECT]-(record)
RETURN collect(DISTINCT record) AS records
