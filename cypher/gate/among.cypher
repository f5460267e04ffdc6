// Which of some texts are visible claims
// @continues record  @params texts  @mode read
WITH record
WHERE record.text IN $texts
RETURN DISTINCT record.kind AS kind, record.text AS text
