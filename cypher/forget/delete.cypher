// Delete nodes of a space, with all their links
// @params space, rows  @mode write
UNWIND $rows AS row
CALL (row) {
  MATCH (node:Record {space: $space, id: row.record})
  RETURN node
    UNION
  MATCH (node:Entity {space: $space, key: row.entity})
  RETURN node
    UNION
  MATCH (node:Turn {space: $space, id: row.turn})
  RETURN node
    UNION
  MATCH (node:Conversation {space: $space, id: row.conversation})
  RETURN node
    UNION
  MATCH (node:Segment {space: $space, id: row.segment})
  RETURN node
    UNION
  MATCH (node:Space {id: row.space})
  WHERE node.id = $space
  RETURN node
}
DETACH DELETE node
RETURN count(*) AS deleted
