// Add conversations, or give them a title
// @params space, rows  @mode write
UNWIND $rows AS row
MERGE (conversation:Conversation {space: $space, id: row.id})
SET conversation += row.content
