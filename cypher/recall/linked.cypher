// Candidates: the records that mention some entities and may lie on a path
// Those first that mention many of them, or rare ones. The gate and recall/best_linked.cypher decide.
// @params words, limit  @mode read
CALL db.index.fulltext.queryNodes('record_text', $words, {limit: $limit}) YIELD node AS record
RETURN collect(record) AS records
