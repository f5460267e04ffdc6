// What some turns say, in the order given
// A turn that is hidden by now has no row, so that whoever misses one can tell.
// @params space, ids  @mode read
UNWIND range(0, size($ids) - 1) AS position
MATCH (turn:Turn {space: $space, id: $ids[position]})
WHERE NOT turn:Awaited|Revoked|Purged
WITH position, turn
ORDER BY position
RETURN turn.role AS role, turn.text AS text
