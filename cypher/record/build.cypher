// Link records to the records they are built from, and to what these are built from
// @params space, rows  @mode write
UNWIND $rows AS row
MATCH (record:Record {space: $space, id: row.record})
MATCH (input:Record {space: $space, id: row.input})
MERGE (record)-[link:BUILT_FROM]->(input)
SET link.direct = row.direct
