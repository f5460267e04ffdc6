// Conversations of a space
// Naming the id lets the index find the space's conversations without reading those of others.
// @params space  @mode read
MATCH (conversation:Conversation)
WHERE conversation.space = $space AND conversation.id IS NOT NULL
OPTIONAL MATCH (conversation)-[:HEAD]->(head:Turn)
RETURN
  conversation.id AS id,
  conversation.title AS title,
  conversation.createdAt AS createdAt,
  head.id AS head
ORDER BY createdAt, id
