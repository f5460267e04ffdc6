// Link invalidations to what they invalidate, and to what takes its place
// @params space, rows  @mode write
UNWIND $rows AS row
MATCH (invalidation:Record {space: $space, id: row.record})
MATCH (old:Record {space: $space, id: row.old})
MERGE (invalidation)-[:INVALIDATES]->(old)
WITH row, invalidation
MATCH (new:Record {space: $space, id: row.new})
MERGE (invalidation)-[:REPLACED_BY]->(new)
