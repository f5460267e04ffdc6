// Say which leaf a conversation shows
// Setting the label that is there takes the conversation's lock: two heads set at once leave one.
// @params space, conversation, turn  @mode write
MATCH (conversation:Conversation {space: $space, id: $conversation})
MATCH (turn:Turn {space: $space, id: $turn})
WHERE NOT turn:Awaited
SET conversation:Conversation
WITH conversation, turn
OPTIONAL MATCH (conversation)-[old:HEAD]->()
DELETE old
WITH DISTINCT conversation, turn
CREATE (conversation)-[:HEAD]->(turn)
RETURN turn.id AS head
