// Which of some texts are visible claims
// @continues record, current  @params texts  @mode read
WITH record, current
WHERE current AND record.text IN $texts
RETURN record.kind AS kind, record.text AS text, collect(record.id) AS ids
