// Say of a record which version of which insight it is
// @params space, rows  @mode write
UNWIND $rows AS row
MATCH (record:Record {space: $space, id: row.id})
SET record.insight = row.insight, record.version = row.version
