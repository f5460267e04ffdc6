// Each record once, seen from the anchor, though several leaves show it
// @continues record, rank, distance  @params space, anchor  @mode read
WITH record, rank, distance
ORDER BY rank, distance
WITH record, collect({tree: rank, distance: distance})[0] AS first
MATCH (anchor:Turn {space: $space, id: $anchor})
RETURN anchor, record, first.tree AS tree, first.distance AS distance
