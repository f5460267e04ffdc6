// Candidates: the records that mention some entities
// An entity that very many mention tells nothing apart, and is left out; so is what cannot lie on the path.
// @params space, keys, hub, runs  @mode read
UNWIND $keys AS key
MATCH (entity:Entity {space: $space, key: key})
WHERE COUNT { (entity)<-[:MENTIONS]-() } <= $hub
MATCH (entity)<-[:MENTIONS]-(record)
WHERE $runs IS NULL OR any(run IN $runs WHERE run[0] = record.segment AND run[1] >= record.place)
RETURN collect(DISTINCT record) AS records
