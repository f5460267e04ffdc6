// The records nearest to a question, among those of a space
// @params vector, spaceKey, limit  @mode read
CYPHER 25
MATCH (record:Record)
  SEARCH record IN (
    VECTOR INDEX record_vector_0
    FOR $vector
    WHERE record.spaceKey = $spaceKey
    LIMIT $limit
  ) SCORE AS score
RETURN collect({record: record, score: score}) AS near
