// Find the versions of an insight
// @mode schema
CREATE INDEX insight_versions IF NOT EXISTS
FOR (record:Insight)
ON (record.space, record.insight)
