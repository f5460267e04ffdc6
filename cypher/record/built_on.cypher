// Which of some records are, or are built from, some others
// @params space, ids, others  @mode read
UNWIND $ids AS id
MATCH (record:Record {space: $space, id: id})
WHERE
  id IN $others OR
  EXISTS {
    MATCH (record)-[:BUILT_FROM]->(input)
    WHERE input.id IN $others
  }
RETURN record.id AS id
