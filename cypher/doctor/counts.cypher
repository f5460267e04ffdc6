// How much each space holds
// @mode read
MATCH (space:Space)
RETURN
  space.id AS space,
  COUNT {
    MATCH (turn:Turn)
    WHERE turn.space = space.id AND turn.id IS NOT NULL
  } AS turns,
  COUNT {
    MATCH (record:Record)
    WHERE record.space = space.id AND record.id IS NOT NULL
  } AS records,
  COUNT {
    MATCH (conversation:Conversation)
    WHERE conversation.space = space.id AND conversation.id IS NOT NULL
  } AS conversations
ORDER BY space
