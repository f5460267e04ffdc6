// One row per turn: its properties and what it is linked to
// @continues turn, position  @mode read
WITH turn, position
ORDER BY position, turn.id
RETURN
  properties(turn) AS properties,
  turn:Awaited AS awaited,
  turn:Revoked|Purged AS forgotten,
  [(turn)-[:PARENT]->(parent) | {id: parent.id, awaited: parent:Awaited}][0] AS parent,
  [(turn)-[link:REPLACES]->(replaced) | {id: replaced.id, how: link.how}][0] AS replaced,
  [(turn)-[:IN]->(conversation) | conversation.id][0] AS conversation
