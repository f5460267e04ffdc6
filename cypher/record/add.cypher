// Store records with the turns they are derived from
// Setting the kind's label takes the record's lock, so whoever comes second reads what the first has written.
// Returned are the records that were there before, with the hash of what they hold.
// @params space, rows  @mode write
UNWIND $rows AS row
MERGE (record:Record {space: $space, id: row.id})
SET record:$(row.labels)
WITH row, record, record.contentHash AS contentHash, record:Purged AS purged
SET record += row.content
WITH row, record, contentHash, purged
CALL (row, record) {
  UNWIND row.sources AS source
  MATCH (turn:Turn {space: $space, id: source.turn})
  MERGE (record)-[link:DERIVED_FROM]->(turn)
  SET link.quote = source.quote, link.start = source.start, link.end = source.end
}
WITH record.id AS id, contentHash, purged
WHERE contentHash IS NOT NULL
RETURN id, contentHash, purged
