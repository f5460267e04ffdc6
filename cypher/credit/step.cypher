// A path as what rewards flow back along: each turn with its share, and whether it is hidden
// @continues turn, position  @mode read
WITH turn, position
ORDER BY position
RETURN turn.id AS id, turn.creditShare AS share, turn:Awaited|Revoked|Purged AS hidden
