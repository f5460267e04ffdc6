// The visible records that mention some entities: those first that share many, or rare ones
// Rare is what few visible records mention. Brought says how many candidates there were.
// @continues records, shown  @params keys, depth  @mode read
RETURN
  size(records) AS brought,
  COLLECT {
    UNWIND shown AS one
    MATCH (one)-[:MENTIONS]->(entity)
    WHERE entity.key IN $keys
    WITH entity, collect(one) AS mentioning
    UNWIND mentioning AS one
    WITH one, sum(1.0 / size(mentioning)) AS score
    WITH one.kind AS kind, one.text AS text, collect(one) AS same, max(score) AS score
    ORDER
    BY
    score
    DESC,
    text
    LIMIT
    $depth
    UNWIND same AS one
    RETURN one {.id, .kind, .text, score: score}
  } AS linked
