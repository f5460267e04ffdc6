// Records visible at an anchor
// A record is visible when it has sources and every one of them has arrived and lies on the path.
// Scope 'space' adds the paths of the heads of the space's other trees; the anchor's own has no other.
// @params space, anchor, scope  @mode read
MATCH (anchor:Turn {space: $space, id: $anchor})
WHERE NOT anchor:Awaited
CALL (anchor) {
  RETURN anchor AS leaf
    UNION
  WITH anchor
  WHERE $scope = 'space'
  MATCH (anchor)-[:PARENT]->*(turn)
  OPTIONAL MATCH (turn)-[:IN]->(own)
  WITH
    collect(DISTINCT own) AS ownConversations,
    collect(DISTINCT
      CASE
        WHEN NOT EXISTS { (turn)-[:PARENT]->() } THEN turn
      END)[0] AS root
  WHERE NOT root:Awaited
  MATCH (root)-[:REPLACES]-*(version)
  WITH ownConversations, collect(DISTINCT version) AS ownRoots
  MATCH (conversation:Conversation)
  WHERE
    conversation.space = $space AND
    conversation.id IS NOT NULL AND
    NOT conversation IN ownConversations
  CALL (conversation) {
    MATCH (conversation)-[:HEAD]->(head)
    RETURN head
      UNION
    WITH conversation
    WHERE NOT EXISTS { (conversation)-[:HEAD]->() }
    MATCH (conversation)<-[:IN]-(leaf)
    WHERE NOT EXISTS { (leaf)<-[:PARENT]-() }
    WITH collect(leaf) AS leaves
    WHERE size(leaves) = 1
    RETURN leaves[0] AS head
  }
  MATCH (head)-[:PARENT]->*(top)
  WHERE NOT EXISTS { (top)-[:PARENT]->() } AND NOT top:Awaited AND NOT top IN ownRoots
  RETURN head AS leaf
}
MATCH (leaf)-[:PARENT]->*(turn)
WITH anchor, leaf, collect(turn) AS path
UNWIND range(0, size(path) - 1) AS distance
WITH anchor, leaf, path[distance] AS turn, distance
WHERE NOT turn:Awaited
MATCH (turn)<-[:DERIVED_FROM]-(record)
WHERE record.space = $space
WITH anchor, leaf, record, collect(turn.id) AS onPath, min(distance) AS distance
WHERE
  all(source IN record.sourceIds WHERE source IN onPath) AND
  COUNT { (record)-[:DERIVED_FROM]->() } = size(onPath)
WITH anchor, record, collect(leaf)[0] AS leaf, min(distance) AS distance
RETURN anchor, record, leaf, distance
