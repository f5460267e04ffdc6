// Some records as candidates, with whatever may invalidate or replace them
// @continues records  @mode read
CALL (records) {
  UNWIND records AS record
  CALL (record) {
    MATCH (record)<-[:INVALIDATES]-(invalidation)
    RETURN invalidation
      UNION
    MATCH (record)-[:BUILT_FROM]->()<-[:INVALIDATES]-(invalidation)
    RETURN invalidation
  }
  OPTIONAL MATCH (invalidation)-[:REPLACED_BY]->(new)
  RETURN collect(DISTINCT invalidation) + collect(DISTINCT new) AS more
}
RETURN records + [one IN more WHERE NOT one IN records] AS candidates
