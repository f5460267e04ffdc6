// What joins some entities to others
// @params space, keys  @mode read
UNWIND $keys AS key
MATCH (entity:Entity {space: $space, key: key})
MATCH (entity)<-[:SUBJECT|OBJECT]-(record)
WHERE record:SameAs
RETURN collect(DISTINCT record) AS records
