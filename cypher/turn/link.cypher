// Link turns to their parents
// MERGE, not CREATE: it locks both ends, which is what keeps late arrivals from closing a cycle.
// @params space, rows  @mode write
UNWIND $rows AS row
MATCH (turn:Turn {space: $space, id: row.id})
MATCH (parent:Turn {space: $space, id: row.parent})
MERGE (turn)-[:PARENT]->(parent)
