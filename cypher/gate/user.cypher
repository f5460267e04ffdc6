// What the user's own Cypher goes on from
// @continues anchor, record, distance, current  @mode read
WITH anchor, record AS fact, distance, current
