// What the store knows of some records
// @params space, ids  @mode read
UNWIND $ids AS id
MATCH (record:Record {space: $space, id: id})
RETURN
  record.id AS id,
  record.kind AS kind,
  record.text AS text,
  record.contentHash AS contentHash,
  record.sourceIds AS sourceIds,
  [(record)-[:BUILT_FROM]->(input) | input.id] AS inputs,
  record:Purged AS purged
