// A conversation's id is unique in its space
// @mode schema
CREATE CONSTRAINT conversation_key IF NOT EXISTS
FOR (conversation:Conversation)
REQUIRE (conversation.space, conversation.id) IS UNIQUE
