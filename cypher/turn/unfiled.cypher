// The turns of a space that belong to no conversation
// Naming the id lets the index find the space's turns without reading those of others.
// @params space  @mode read
MATCH (turn:Turn)
WHERE
  turn.space = $space AND
  turn.id IS NOT NULL AND
  NOT EXISTS { (turn)-[:IN]->() } AND
  NOT turn:Awaited
RETURN turn, turn.createdAt AS position
