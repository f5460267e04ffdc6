// Take from records all that they hold, and leave tombstones
// Only what was built from them still hangs on them, hidden by the gate until it is deleted.
// The hash is that of no content, so the record does not come back.
// @params space, ids  @mode write
UNWIND $ids AS id
MATCH (record:Record {space: $space, id: id})
SET record:Purged
WITH record, [label IN labels(record) WHERE NOT label IN ['Record', 'Purged']] AS others
REMOVE record:$(others)
SET record = record {.space, .id, contentHash: 'purged'}
WITH record
MATCH (record)-[link]-(other)
WHERE type(link) <> 'BUILT_FROM' OR startNode(link) = record
DELETE link
RETURN count(*) AS cut
