// Say which leaf a conversation shows
// Writing to the conversation first takes its lock: two heads set at once leave one.
// @params space, conversation, turn  @mode write
MATCH (conversation:Conversation {space: $space, id: $conversation})
MATCH (turn:Turn {space: $space, id: $turn})
WHERE NOT turn:Awaited
SET conversation.headsSet = coalesce(conversation.headsSet, 0) + 1
WITH conversation, turn
OPTIONAL MATCH (conversation)-[old:HEAD]->()
DELETE old
WITH DISTINCT conversation, turn
CREATE (conversation)-[:HEAD]->(turn)
RETURN turn.id AS head
