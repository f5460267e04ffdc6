// Some records, and all that are built from them
// @params space, ids  @mode read
UNWIND $ids AS id
MATCH (record:Record {space: $space, id: id})
CALL (record) {
  RETURN record AS dependent
    UNION
  MATCH (record)<-[:BUILT_FROM]-(dependent)
  RETURN dependent
}
RETURN DISTINCT dependent.id AS id
