// Which visible records are current
// A record is current unless a visible invalidation targets it, or a record that it was built from.
// @continues anchor, record, tree, distance  @mode read
WITH collect({anchor: anchor, record: record, tree: tree, distance: distance}) AS seen
WITH
  seen,
  [one IN seen | one.record] AS visible,
  [one IN seen WHERE one.record:Invalidation | one.record] AS invalidations
CALL (invalidations) {
  UNWIND invalidations AS invalidation
  MATCH (invalidation)-[:INVALIDATES]->(old)
  CALL (old) {
    RETURN old AS record
      UNION
    MATCH (old)<-[:BUILT_FROM]-(record)
    RETURN record
  }
  RETURN collect(DISTINCT record) AS superseded
}
UNWIND seen AS one
WITH
  one.anchor AS anchor,
  one.record AS record,
  one.tree AS tree,
  one.distance AS distance,
  NOT one.record IN superseded AS current,
  invalidations,
  visible
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
        MATCH (record)<-[:INVALIDATES]-(invalidation)
        WHERE invalidation IN invalidations
        OPTIONAL MATCH (invalidation)-[:REPLACED_BY]->(new)
        WHERE new IN visible
        RETURN {by: invalidation, new: new} AS one
          UNION
        MATCH (record)-[:BUILT_FROM]->()<-[:INVALIDATES]-(invalidation)
        WHERE
          invalidation IN invalidations AND NOT EXISTS { (record)<-[:INVALIDATES]-(invalidation) }
        RETURN DISTINCT {by: invalidation, new: null} AS one
      }
  END AS invalidatedBy
