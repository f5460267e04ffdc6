// A path as what is summed up in blocks: who is on it, and what cannot be read
// @continues turn, position  @mode read
WITH turn, position
ORDER BY position
RETURN turn.id AS id, turn:Awaited AS awaited, turn:Revoked|Purged AS forgotten
