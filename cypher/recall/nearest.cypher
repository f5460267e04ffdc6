// The visible records nearest to a question, all of them compared
// @continues record, current  @params vector, kinds, history, window, depth  @mode read
WITH record, current
WHERE
  ($history OR current) AND
  record.kind IN $kinds AND
  any(source IN record.sourceIds WHERE NOT source IN $window) AND
  record.vector0 IS NOT NULL
WITH record, vector.similarity.cosine(record.vector0, $vector) AS score
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
