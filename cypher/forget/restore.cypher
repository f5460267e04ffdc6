// Show revoked turns and records again
// Removing the label takes the node's lock, so no purge comes in between unseen.
// @params space, rows  @mode write
UNWIND $rows AS row
CALL (row) {
  MATCH (node:Turn {space: $space, id: row.turn})
  RETURN node
    UNION
  MATCH (node:Record {space: $space, id: row.record})
  RETURN node
}
WITH row, node, node:Revoked AS changes
REMOVE node:Revoked
RETURN row.turn AS turnId, row.record AS recordId, changes, node:Purged AS purged
