// What may be left over without some records
// The entities that they mention and the invalidations of them, each with how many links it has in all.
// @params space, ids  @mode read
UNWIND $ids AS id
MATCH (record:Record {space: $space, id: id})
RETURN
  record.id AS id,
  size([key IN keys(record) WHERE key STARTS WITH 'vector']) AS vectors,
  [(record)-[:MENTIONS]->(entity) | {key: entity.key, links: COUNT { (entity)<-[:MENTIONS]-() }}] AS entities,
  [
    (record)<-[:INVALIDATES]-(invalidation)
    | {id: invalidation.id, links: COUNT { (invalidation)-[:INVALIDATES]->() }}
 ] AS invalidations
