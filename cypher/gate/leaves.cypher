// Where scope 'space' looks from: the anchor, and the heads of the space's other trees
// Two leaves are of one tree when they share a root: of their paths, of other versions of a turn there,
// or of the conversations that these belong to. A tree whose root is awaited may be any, and stays out.
// @params space, anchor  @mode read
MATCH (anchor:Turn {space: $space, id: $anchor})
WHERE NOT anchor:Awaited
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
CALL (leaf) {
  MATCH (leaf)-[:PARENT]->*(turn)
  OPTIONAL MATCH (turn)-[:REPLACES]-+(version)
  WHERE NOT EXISTS { (version)-[:PARENT]->()<-[:PARENT]-(turn) }
  OPTIONAL MATCH (turn)-[:IN]->(conversation)
  WITH leaf, collect(DISTINCT version) AS versions, collect(DISTINCT conversation) AS conversations
  CALL (conversations) {
    UNWIND conversations AS conversation
    MATCH (conversation)<-[:IN]-(first)
    OPTIONAL MATCH (first)-[:PARENT]->(above)
    OPTIONAL MATCH (above)-[:IN]->(chat)
    WITH first, conversation, chat
    WHERE chat IS NULL OR chat <> conversation
    RETURN collect(first) AS firsts
  }
  UNWIND [leaf] + versions + firsts AS kin
  MATCH (kin)-[:PARENT]->*(root)
  WHERE NOT EXISTS { (root)-[:PARENT]->() }
  RETURN collect(DISTINCT root) AS roots, any(root IN collect(root) WHERE root:Awaited) AS undecided
}
WITH anchor, leaf, roots, undecided
ORDER BY leaf.id
WITH anchor, collect({leaf: leaf, roots: roots, undecided: undecided}) AS trees
WITH anchor, trees, [tree IN trees WHERE tree.leaf = anchor][0] AS own
WITH
  anchor,
  [
    tree IN trees
    WHERE
      NOT own.undecided AND NOT tree.undecided AND none(root IN tree.roots WHERE root IN own.roots)
    | tree.leaf.id
 ] AS others
UNWIND range(0, size(others)) AS rank
RETURN
  CASE
    WHEN rank = 0 THEN anchor.id
    ELSE others[rank - 1]
  END AS leafId, rank
