// The versions of an insight, the latest first
// @params space, insight  @mode read
MATCH (version:Insight {space: $space, insight: $insight})
RETURN version.id AS id, version.version AS version
ORDER BY version DESC, id
