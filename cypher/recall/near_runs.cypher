// The records nearest to a question, among those of the turns that a path of few segments reaches
// @params vector, runs, limit  @mode read
CYPHER 25
UNWIND $runs AS run
CALL (run) {
  MATCH (record:Record)
    SEARCH record IN (
      VECTOR INDEX record_vector_0
      FOR $vector
      WHERE record.segment = run[0] AND record.place <= run[1]
      LIMIT $limit
    ) SCORE AS score
  RETURN record, score
}
WITH record, score
ORDER BY score DESC
RETURN collect({record: record, score: score}) AS near
