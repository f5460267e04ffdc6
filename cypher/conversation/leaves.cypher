// The turns that conversations end in
// @params space, ids  @mode read
UNWIND $ids AS id
MATCH (conversation:Conversation {space: $space, id: id})
MATCH (conversation)<-[:IN]-(turn:Turn)
WHERE NOT EXISTS { (turn)<-[:PARENT]-() }
RETURN id AS conversation, collect(turn.id) AS leaves
