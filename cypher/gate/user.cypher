// What the user's own Cypher goes on from
// @continues anchor, record, distance  @mode read
WITH anchor, record AS fact, distance
