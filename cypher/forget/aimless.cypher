// Delete those of some invalidations that have no target left
// One that depends on what was purged is left to be deleted, and counted, for that reason.
// Setting the label that is there takes the lock, so that no target is being added.
// @params space, ids  @mode write
UNWIND $ids AS id
MATCH (invalidation:Record {space: $space, id: id})
WHERE invalidation:Invalidation
SET invalidation:Invalidation
WITH invalidation
WHERE
  NOT EXISTS { (invalidation)-[:INVALIDATES]->() } AND
  NOT EXISTS {
  (invalidation)-[:DERIVED_FROM|BUILT_FROM]->(:Purged)
  }
DETACH DELETE invalidation
RETURN count(*) AS deleted
