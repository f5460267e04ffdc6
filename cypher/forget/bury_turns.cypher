// Take from turns all that they hold, and leave tombstones
// Once this is committed the gate hides whatever came from them. Their links to other turns and their places
// stay, and so the tree does. The hash is that of no content, so that the turn does not come back.
// @params space, ids  @mode write
UNWIND $ids AS id
MATCH (turn:Turn {space: $space, id: id})
WHERE NOT turn:Purged
SET turn:Purged
WITH turn, [label IN labels(turn) WHERE NOT label IN ['Turn', 'Purged', 'Awaited']] AS others
REMOVE turn:$(others)
SET turn = turn {.space, .id, .segment, .place, .continued, contentHash: 'purged'}
RETURN count(turn) AS buried
