// Give records their vectors in the place that is not live yet
// The first write takes the record's lock: one that was purged meanwhile is left alone.
// @params space, rows  @mode write
CYPHER 25
UNWIND $rows AS row
MATCH (record:Record {space: $space, id: row.id})
SET record:Record
WITH row, record
WHERE record.text IS NOT NULL
SET record.vector0 = toFloatList(row.vector)
RETURN count(record) AS filled
