// The visible records that mention some entities: those first that share many, or rare ones
// Rare is what few visible records mention. Brought says how many candidates there were.
// @continues records, shown  @params keys, depth  @mode read
RETURN
  size(records) AS brought,
  COLLECT {
    UNWIND shown AS record
    MATCH (record)-[:MENTIONS]->(entity)
    WHERE entity.key IN $keys
    WITH entity, collect(record) AS mentioning
    UNWIND mentioning AS record
    WITH record, sum(1.0 / size(mentioning)) AS score
    WITH record.kind AS kind, record.text AS text, collect(record) AS same, max(score) AS score
    ORDER
    BY
    score
    DESC,
    text
    LIMIT
    $depth
    UNWIND same AS record
    RETURN record {.id, .kind, .text, score: score}
  } AS linked
