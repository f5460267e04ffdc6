// The sources of a record, and which of them lie on the anchor's path
// For explaining why a record is hidden; whether it is, only the gate says.
// @params space, anchor, record  @mode read
MATCH (record:Record {space: $space, id: $record})
OPTIONAL MATCH (anchor:Turn {space: $space, id: $anchor})
CALL (record) {
  OPTIONAL MATCH (record)-[:DERIVED_FROM]->(source)
  RETURN collect(source) AS sources
}
CALL (record, anchor) {
  MATCH (anchor)-[:PARENT]->*(turn)
  WHERE EXISTS { (turn)<-[:DERIVED_FROM]-(record) }
  RETURN collect(turn) AS onPath
}
RETURN
  record.sourceIds AS declared,
  record:Purged AS purged,
  COLLECT {
    WITH record
    WHERE record:Revoked
    RETURN record.id AS id
      UNION
    MATCH (record)-[:BUILT_FROM]->(input:Revoked)
    RETURN input.id AS id
  } AS revoked,
  [(record)-[:BUILT_FROM]->(input:Purged) | input.id] AS purgedInputs,
  [
    source IN sources
    | {
      id: source.id,
      space: source.space,
      awaited: source:Awaited,
      revoked: source:Revoked,
      purged: source:Purged,
      onPath: source IN onPath
    }
 ] AS linked
