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
  CALL (anchor) {
    RETURN anchor AS leaf
      UNION
    MATCH (conversation:Conversation)
    WHERE conversation.space = $space AND conversation.id IS NOT NULL
    CALL (conversation) {
      MATCH (conversation)-[:HEAD]->(leaf)
      RETURN leaf
        UNION
      WITH conversation
      WHERE NOT EXISTS { (conversation)-[:HEAD]->() }
      MATCH (conversation)<-[:IN]-(turn)
      WHERE NOT EXISTS { (turn)<-[:PARENT]-() }
      WITH collect(turn) AS leaves
      WHERE size(leaves) = 1
      RETURN leaves[0] AS leaf
    }
    RETURN leaf
  }
  // Two leaves are of one tree when they share a root: of their paths, of other versions of a turn
  // there, or of the conversations that these belong to.
  CALL (leaf) {
    MATCH (leaf)-[:PARENT]->*(turn)
    OPTIONAL MATCH (turn)-[:REPLACES]-+(version)
    WHERE NOT EXISTS { (version)-[:PARENT]->()<-[:PARENT]-(turn) }
    OPTIONAL MATCH (turn)-[:IN]->(conversation)
    WITH
      leaf,
      collect(DISTINCT version) AS versions,
      collect(DISTINCT conversation) AS conversations
    CALL (conversations) {
      UNWIND conversations AS conversation
      MATCH (conversation)<-[:IN]-(first)
      WHERE NOT EXISTS { (first)-[:PARENT]->()-[:IN]->(conversation) }
      RETURN collect(first) AS firsts
    }
    UNWIND [leaf] + versions + firsts AS kin
    MATCH (kin)-[:PARENT]->*(root)
    WHERE NOT EXISTS { (root)-[:PARENT]->() }
    RETURN
      collect(DISTINCT root) AS roots,
      any(root IN collect(root) WHERE root:Awaited) AS undecided
  }
  WITH anchor, collect({leaf: leaf, roots: roots, undecided: undecided}) AS trees
  WITH trees, [tree IN trees WHERE tree.leaf = anchor][0] AS own
  UNWIND trees AS tree
  WITH tree, own
  WHERE
    NOT own.undecided AND NOT tree.undecided AND none(root IN tree.roots WHERE root IN own.roots)
  RETURN tree.leaf AS leaf
}
MATCH (leaf)-[:PARENT]->*(turn)
WITH anchor, leaf, collect(turn) AS path
UNWIND range(0, size(path) - 1) AS distance
WITH anchor, leaf, path[distance] AS turn, distance
WHERE NOT turn:Awaited AND turn.space = $space
MATCH (turn)<-[:DERIVED_FROM]-(record)
WHERE record.space = $space
WITH anchor, leaf, record, collect(turn.id) AS onPath, min(distance) AS distance
WHERE
  all(source IN record.sourceIds WHERE source IN onPath) AND
  COUNT { (record)-[:DERIVED_FROM]->() } = size(onPath)
WITH anchor, record, collect(leaf)[0] AS leaf, min(distance) AS distance
RETURN anchor, record, leaf, distance
