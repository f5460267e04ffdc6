// A conversation by its id
// @params space, id  @mode read
MATCH (conversation:Conversation {space: $space, id: $id})
OPTIONAL MATCH (conversation)-[:HEAD]->(head:Turn)
RETURN
  conversation.id AS id,
  conversation.title AS title,
  conversation.createdAt AS createdAt,
  head.id AS head
