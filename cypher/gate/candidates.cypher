// Some records as candidates: with whatever may invalidate them, and with all their sources
// @continues records  @mode read
CALL (records) {
  UNWIND records AS record
  MATCH (record)-[:BUILT_FROM]->*(old)<-[:INVALIDATES]-(invalidation)
  RETURN collect(DISTINCT invalidation) AS invalidations
}
WITH records + invalidations AS candidates
CALL (candidates) {
  UNWIND candidates AS candidate
  MATCH (candidate)-[:DERIVED_FROM]->(source)
  RETURN collect(DISTINCT source) AS sources
}
RETURN candidates, sources
