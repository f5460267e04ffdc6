// Records whose sources lie on two branches
// Such a record is visible nowhere, ever. While a turn is awaited that may still join the sources
// to one path, this cannot be told yet, and the record is not returned.
// @params space, ids  @mode read
UNWIND $ids AS id
MATCH (record:Record {space: $space, id: id})
MATCH (record)-[:DERIVED_FROM]->(source)
WITH record, collect(DISTINCT source) AS sources
CALL (record, sources) {
  // Sources are mostly given along the path or against it: try both ends as the tip.
  UNWIND [record.sourceIds[-1], record.sourceIds[0]] AS end
  WITH [source IN sources WHERE source.id = end][0] AS tip
  MATCH (tip)-[:PARENT]->*(turn)
  WITH tip, count(
      CASE
        WHEN turn IN sources THEN 1
      END) AS found
  RETURN max(found) AS onPath
}
WITH record, sources
WHERE onPath < size(sources)
CALL (sources) {
  UNWIND sources AS tip
  CALL (sources, tip) {
    MATCH (tip)-[:PARENT]->*(turn)
    RETURN
      count(
        CASE
          WHEN turn IN sources THEN 1
        END) AS onPath,
      collect(
        CASE
          WHEN NOT EXISTS { (turn)-[:PARENT]->() } THEN turn
        END)[0] AS top
  }
  WITH top, count(tip) AS members, max(onPath) AS onOnePath
  RETURN
    count(
      CASE
        WHEN onOnePath < members THEN 1
      END) AS forks,
    count(
      CASE
        WHEN NOT top:Awaited THEN 1
      END) AS roots
}
WITH record
WHERE forks > 0 OR roots > 1
RETURN record.id AS id
