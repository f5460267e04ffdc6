// The turns of a path from its anchor back to a turn; to the root, where that one is not on it
// @params space, anchor, since  @mode read
MATCH (anchor:Turn {space: $space, id: $anchor})
MATCH (anchor) ((lower)-[:PARENT]->(upper) WHERE lower.id <> $since)*(turn)
RETURN turn.id AS id
