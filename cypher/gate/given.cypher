// Where scope 'space' looks from, as gate/leaves.cypher has found it before
// @params leaves  @mode read
UNWIND $leaves AS leaf
RETURN leaf.leafId AS leafId, leaf.rank AS rank
