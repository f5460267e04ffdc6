// How much a space holds
// Naming the id lets the index find the space's nodes without reading those of others.
// @params space  @mode read
CALL () {
  MATCH (record:Record)
  WHERE record.space = $space AND record.id IS NOT NULL
  RETURN
    count(record) AS recordTotal,
    sum(size([key IN keys(record) WHERE key STARTS WITH 'vector'])) AS vectorTotal
}
RETURN
  recordTotal,
  vectorTotal,
  COUNT {
    MATCH (entity:Entity)
    WHERE entity.space = $space AND entity.key IS NOT NULL
  } AS entityTotal,
  COUNT {
    MATCH (turn:Turn)
    WHERE turn.space = $space AND turn.id IS NOT NULL
  } AS turnTotal,
  COUNT {
    MATCH (conversation:Conversation)
    WHERE conversation.space = $space AND conversation.id IS NOT NULL
  } AS conversationTotal
