// Which summaries are current
// @continues record, current  @mode read
WITH record, current
WHERE current
RETURN record.id AS id
