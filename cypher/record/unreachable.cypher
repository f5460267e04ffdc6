// Records whose sources lie on two branches
// Such a record is visible nowhere, ever. While a turn is awaited that may still join the sources
// to one path, this cannot be told yet, and the record is not returned.
// @params space, ids  @mode read
UNWIND $ids AS id
MATCH (record:Record {space: $space, id: id})
WHERE NOT EXISTS {
  MATCH (record)-[:DERIVED_FROM]->(tip:Turn)
  WHERE COUNT { (tip)-[:PARENT]->*(:Turn)<-[:DERIVED_FROM]-(record) } = size(record.sourceIds)
}
MATCH (record)-[:DERIVED_FROM]->(source:Turn)-[:PARENT]->*(top:Turn)
WHERE NOT EXISTS { (top)-[:PARENT]->() }
WITH record, top, collect(source) AS members
WITH record, top,
  any(tip IN members
    WHERE COUNT { (tip)-[:PARENT]->*(:Turn)<-[:DERIVED_FROM]-(record) } = size(members)
  ) AS onOnePath
WITH record,
  count(CASE WHEN NOT onOnePath THEN 1 END) AS forks,
  count(CASE WHEN NOT top:Awaited THEN 1 END) AS roots
WHERE forks > 0 OR roots > 1
RETURN record.id AS id
