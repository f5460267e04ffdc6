// Link records to the records they are built from
// @params space, rows  @mode write
UNWIND $rows AS row
MATCH (record:Record {space: $space, id: row.record})
MATCH (input:Record {space: $space, id: row.input})
MERGE (record)-[:BUILT_FROM]->(input)
