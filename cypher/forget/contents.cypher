// Some of what a space holds, to be deleted: first what depends on the rest
// Naming the id lets the index find the space's nodes without reading those of others.
// @params space, limit  @mode read
CALL () {
  MATCH (record:Record)
  WHERE record.space = $space AND record.id IS NOT NULL
  RETURN
    0 AS place,
    {record: record.id} AS row,
    size([key IN keys(record) WHERE key STARTS WITH 'vector']) AS vectors
  LIMIT $limit
    UNION ALL
  MATCH (entity:Entity)
  WHERE entity.space = $space AND entity.key IS NOT NULL
  RETURN 1 AS place, {entity: entity.key} AS row, 0 AS vectors
  LIMIT $limit
    UNION ALL
  MATCH (turn:Turn)
  WHERE turn.space = $space AND turn.id IS NOT NULL
  RETURN 2 AS place, {turn: turn.id} AS row, 0 AS vectors
  LIMIT $limit
    UNION ALL
  MATCH (conversation:Conversation)
  WHERE conversation.space = $space AND conversation.id IS NOT NULL
  RETURN 3 AS place, {conversation: conversation.id} AS row, 0 AS vectors
  LIMIT $limit
    UNION ALL
  MATCH (segment:Segment)
  WHERE segment.space = $space AND segment.id IS NOT NULL
  RETURN 4 AS place, {segment: segment.id} AS row, 0 AS vectors
  LIMIT $limit
}
RETURN place, row, vectors
ORDER BY place
LIMIT $limit
