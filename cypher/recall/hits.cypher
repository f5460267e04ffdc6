// Visible records by their ids, as many as may be shown
// @continues record, current, invalidatedBy  @params history  @mode read
WITH record, current, invalidatedBy
WHERE $history OR current
RETURN record, current, invalidatedBy, record.id AS position
