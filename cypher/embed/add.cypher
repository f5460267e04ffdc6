// Give waiting records their vectors
// The first write takes the record's lock: one that was purged or filled meanwhile is left alone.
// A vector comes in its own type, which is sent ten times faster, and is stored as a list.
// @params space, rows  @mode write
CYPHER 25
UNWIND $rows AS row
MATCH (record:Record {space: $space, id: row.id})
REMOVE record:Unembeddable
WITH row, record
WHERE record:Unembedded
SET record.vector0 = toFloatList(row.vector)
REMOVE record:Unembedded
RETURN count(record) AS filled
