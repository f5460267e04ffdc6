// Delete those of some entities that no record mentions any more
// Their keys are names. Setting the label that is there takes the lock, so that no mention is being added.
// @params space, rows  @mode write
UNWIND $rows AS row
MATCH (entity:Entity {space: $space, key: row.key})
SET entity:Entity
WITH entity
WHERE NOT EXISTS { (entity)--() }
DELETE entity
RETURN count(*) AS deleted
