// The visible ones among candidates that may be shown
// @continues record, current  @params kinds, history  @mode read
WITH record, current
WHERE ($history OR current) AND record.kind IN $kinds
RETURN collect(record) AS shown
