// What has been given at a head, the latest first
// @params space, head  @mode read
MATCH (head:Turn {space: $space, id: $head})
MATCH (head)<-[:DERIVED_FROM]-(credit)
WHERE credit.kind = 'credit' AND credit.space = $space AND credit.head = $head
RETURN credit.id AS id, credit.number AS number
ORDER BY number DESC
