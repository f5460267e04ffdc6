// Link turns to those they are an edit or a regeneration of
// @params space, rows  @mode write
UNWIND $rows AS row
MATCH (turn:Turn {space: $space, id: row.id})
MATCH (replaced:Turn {space: $space, id: row.replaces})
MERGE (turn)-[replaces:REPLACES]->(replaced)
SET replaces.how = row.how
