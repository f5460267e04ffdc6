// The records nearest to a question, among those of the segments that a path runs through
// @params vector, segments, limit  @mode read
CYPHER 25
MATCH (record:Record)
  SEARCH record IN (
    VECTOR INDEX record_vector_0
    FOR $vector
    WHERE record.segment IN $segments
    LIMIT $limit
  ) SCORE AS score
RETURN collect({record: record, score: score}) AS near
