// The best of the nearest records and of those that share words, without those that may not be shown
// Equal claims count as one. Brought says how many records of each there were before: fewer than were asked
// for are all there are.
// @continues near, worded, shown  @params depth  @mode read
RETURN
  size(near) AS nearBrought,
  size(worded) AS wordedBrought,
  COLLECT {
    UNWIND near AS one
    WITH one.record AS record, one.score AS score
    WHERE record IN shown
    WITH record.kind AS kind, record.text AS text, collect(record) AS same, max(score) AS score
    ORDER
    BY
    score
    DESC,
    text
    LIMIT
    $depth
    UNWIND same AS record
    RETURN record {.id, .kind, .text, score: score, keys: [(record)-[:MENTIONS]->(e) | e.key ]}
  } AS near,
  COLLECT {
    UNWIND worded AS one
    WITH one.record AS record, one.score AS score
    WHERE record IN shown
    WITH record.kind AS kind, record.text AS text, collect(record) AS same, max(score) AS score
    ORDER
    BY
    score
    DESC,
    text
    LIMIT
    $depth
    UNWIND same AS record
    RETURN record {.id, .kind, .text, score: score, keys: [(record)-[:MENTIONS]->(e) | e.key ]}
  } AS worded
