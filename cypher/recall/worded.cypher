// Candidates: the nearest records, and those that share words with a question
// @continues near  @params words, limit  @mode read
CALL () {
  CALL
    db.index.fulltext.queryNodes(
      'record_text',
      $words,
      {limit: $limit}
    )
    YIELD node, score
    WHERE score > 0
  RETURN collect({record: node, score: score}) AS worded
}
RETURN near, worded, [one IN near + worded | one.record] AS records
