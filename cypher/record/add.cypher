// Store records
// Setting the kind's label takes the record's lock, so whoever comes second reads what the first has written.
// Returned are the records that were there before, with the hash of what they hold.
// @params space, rows  @mode write
UNWIND $rows AS row
MERGE (record:Record {space: $space, id: row.id})
SET record:$(row.label)
WITH row, record, record.contentHash AS storedHash
SET record += row.content
WITH record.id AS id, storedHash
WHERE storedHash IS NOT NULL
RETURN id, storedHash
