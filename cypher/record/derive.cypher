// Link records to the turns they are derived from
// @params space, rows  @mode write
UNWIND $rows AS row
MATCH (record:Record {space: $space, id: row.record})
MATCH (turn:Turn {space: $space, id: row.turn})
MERGE (record)-[source:DERIVED_FROM]->(turn)
SET source += row.passage
