// Link turns to their parents
// @params space, rows  @mode write
UNWIND $rows AS row
MATCH (turn:Turn {space: $space, id: row.id})
MATCH (parent:Turn {space: $space, id: row.parent})
MERGE (turn)-[:PARENT]->(parent)
