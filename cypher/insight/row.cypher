// Visible versions of insights, the latest of each first
// @continues record, tree, current  @mode read
WITH record, tree, current
WHERE record:Insight AND record.version IS NOT NULL
RETURN
  record.id AS id,
  record.insight AS insight,
  record.version AS version,
  record.label AS label,
  record.text AS text,
  record.insightKind AS kind,
  record.confidence AS confidence,
  record.sourceIds AS sourceIds,
  tree,
  current
ORDER BY version DESC, id
