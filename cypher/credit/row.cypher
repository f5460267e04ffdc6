// What current credits hold
// @continues record, current  @mode read
WITH record, current
WHERE current AND record:Credit
RETURN
  record.id AS id,
  record.head AS head,
  record.refersTo AS refersTo,
  record.reward AS reward,
  record.gamma AS gamma
ORDER BY id
