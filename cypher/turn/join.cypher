// Put turns into their conversations
// @params space, rows  @mode write
UNWIND $rows AS row
MATCH (turn:Turn {space: $space, id: row.id})
MATCH (conversation:Conversation {space: $space, id: row.conversation})
MERGE (turn)-[:IN]->(conversation)
