// What has been given at a head, the latest first, and whether it still stands
// @params space, head  @mode read
MATCH (head:Turn {space: $space, id: $head})
MATCH (head)<-[:DERIVED_FROM]-(credit)
WHERE credit.kind = 'credit' AND credit.space = $space AND credit.head = $head
RETURN
  credit {.id, .head, .refersTo, .reward, .gamma} AS credit,
  credit.number AS number,
  NOT EXISTS { (credit)<-[:INVALIDATES]-() } AS stands
ORDER BY number DESC
