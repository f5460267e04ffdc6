// Conversations of a space with several leaves and no head
// The wide scope cannot tell which of their branches is meant, and leaves them out.
// @params space  @mode read
MATCH (conversation:Conversation)
WHERE
  conversation.space = $space AND
  conversation.id IS NOT NULL AND
  NOT EXISTS { (conversation)-[:HEAD]->() } AND
  COUNT {
    MATCH (conversation)<-[:IN]-(leaf)
    WHERE NOT EXISTS { (leaf)<-[:PARENT]-() }
  } >
  1
RETURN conversation.id AS id
ORDER BY id
