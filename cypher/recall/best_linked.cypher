// The visible records that mention some entities: those first that share many, or rare ones
// @continues record, current  @params keys, kinds, history, depth  @mode read
WITH record, current
WHERE ($history OR current) AND record.kind IN $kinds
MATCH (record)-[:MENTIONS]->(entity)
WHERE entity.key IN $keys
WITH entity, collect(record) AS mentioning
UNWIND mentioning AS record
WITH record, sum(1.0 / size(mentioning)) AS score
WITH record.kind AS kind, record.text AS text, collect(record) AS same, max(score) AS score
ORDER BY score DESC, text
LIMIT $depth
UNWIND same AS record
RETURN record.id AS id, record.kind AS kind, record.text AS text, score
