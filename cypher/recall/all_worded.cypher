// The visible records that share words with a question, all of them looked at
// For when very many hidden records share these words.
// @continues record, current  @params words, kinds, history, window, depth  @mode read
WITH record, current
WHERE
  ($history OR current) AND
  record.kind IN $kinds AND
  any(source IN record.sourceIds WHERE NOT source IN $window)
WITH collect(record) AS shown
CALL (shown) {
  CALL db.index.fulltext.queryNodes('record_text', $words) YIELD node, score
  WITH node AS record, score
  WHERE score > 0 AND record IN shown
  RETURN record, score
}
WITH record.kind AS kind, record.text AS text, collect(record) AS same, max(score) AS score
ORDER BY score DESC, text
LIMIT $depth
UNWIND same AS record
RETURN
  record.id AS id,
  record.kind AS kind,
  record.text AS text,
  score,
  [(record)-[:MENTIONS]->(entity) | entity.key] AS keys
