// Keep others from adding a version of an insight for now
// Setting the label that is there takes the lock.
// @params space, ids  @mode write
UNWIND $ids AS id
MATCH (version:Record {space: $space, id: id})
SET version:Record
