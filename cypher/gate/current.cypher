// Which visible records are current
// A record is current unless a visible invalidation targets it, or a record that it was built from.
// @continues anchor, record, tree, distance  @mode read
WITH collect({anchor: anchor, record: record, tree: tree, distance: distance}) AS seen
WITH seen, [one IN seen WHERE one.record:Invalidation | one.record] AS invalidations
CALL (invalidations) {
  UNWIND invalidations AS invalidation
  MATCH (invalidation)-[:INVALIDATES]->(old)
  MATCH (old)<-[:BUILT_FROM]-*(record)
  RETURN collect(DISTINCT record) AS superseded
}
UNWIND seen AS one
WITH
  one.anchor AS anchor,
  one.record AS record,
  one.tree AS tree,
  one.distance AS distance,
  NOT one.record IN superseded AS current,
  invalidations
RETURN
  anchor,
  record,
  tree,
  distance,
  current,
  CASE
    WHEN current THEN []
    ELSE
      COLLECT {
        MATCH (record)-[:BUILT_FROM]->*(old)<-[:INVALIDATES]-(invalidation)
        WHERE invalidation IN invalidations
        RETURN DISTINCT invalidation
      }
  END AS invalidatedBy
