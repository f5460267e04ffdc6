// What current summaries say, along the path
// @continues record, current  @mode read
WITH record, current
WHERE current
WITH record
ORDER BY record.firstPlace
RETURN
  record.id AS id,
  record.text AS text,
  record.sourceIds AS sourceIds,
  record.level AS level,
  record.summariser AS summariser
