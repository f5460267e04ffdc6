// All that some insights ever cited, and which of it lies on a path
// For each turn the versions that cite it, and the question that it belongs to: the last thing the user said.
// A turn lies on a path that runs through the turn's segment and reaches its place there.
// @params space, ids, runs  @mode read
UNWIND $ids AS id
MATCH (version:Insight {space: $space, insight: id})
UNWIND version.sourceIds AS cited
WITH id, cited, collect(version.version) AS versions
OPTIONAL MATCH (source:Turn {space: $space, id: cited})
RETURN
  id AS insight,
  cited,
  versions,
  source IS NOT NULL AS stored,
  source:Awaited AS awaited,
  source:Revoked AS revoked,
  source:Purged AS purged,
  any(run IN $runs WHERE run[0] = source.segment AND run[1] >= source.place) AS onPath,
  COLLECT {
    MATCH (source)-[:PARENT]->*(question)
    WHERE question.role = 'user'
    RETURN question.id AS asked
    LIMIT
    1
  }[0] AS question
