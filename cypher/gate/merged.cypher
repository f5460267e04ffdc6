// Each record once, seen from the anchor, though several leaves show it
// @continues record, rank, distance  @params space, anchor  @mode read
WITH record, min(rank) AS tree, min(distance) AS distance
MATCH (anchor:Turn {space: $space, id: $anchor})
RETURN anchor, record, tree, distance
