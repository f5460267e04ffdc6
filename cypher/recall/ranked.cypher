// The best of the nearest records and of those that share words, without those that may not be shown
// Brought says how many of each there were before: fewer than were asked for are all there are.
// @continues near, worded, shown  @params depth  @mode read
RETURN
  size(near) AS nearBrought,
  size(worded) AS wordedBrought,
  COLLECT {
    UNWIND near AS one
    WITH one.record AS record, one.score AS score
    WHERE record IN shown
    RETURN record {.id, .kind, .text, score: score, keys: [(record)-[:MENTIONS]->(e) | e.key ]}
    LIMIT
    $depth
  } AS near,
  COLLECT {
    UNWIND worded AS one
    WITH one.record AS record, one.score AS score
    WHERE record IN shown
    RETURN record {.id, .kind, .text, score: score, keys: [(record)-[:MENTIONS]->(e) | e.key ]}
    LIMIT
    $depth
  } AS worded
