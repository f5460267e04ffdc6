// The turns of a space that belong to no conversation
// Naming the id lets the index find the space's turns without reading those of others.
// @params space  @mode read
MATCH (turn:Turn)
WHERE turn.space = $space AND turn.id IS NOT NULL
  AND NOT turn:Awaited AND NOT EXISTS { (turn)-[:IN]->() }
RETURN turn, turn.createdAt AS position
