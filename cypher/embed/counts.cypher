// How many records of a space have a vector, wait for one, or go without
// @params space, kinds  @mode read
MATCH (record:Record)
WHERE
  record.space = $space AND
  record.id IS NOT NULL AND
  record.kind IN $kinds AND
  record.text IS NOT NULL
RETURN
  count(record) AS records,
  count(
    CASE
      WHEN record.vector0 IS NOT NULL THEN 1
    END) AS embedded,
  count(
    CASE
      WHEN record:Unembedded THEN 1
    END) AS waiting,
  count(
    CASE
      WHEN record:Unembeddable THEN 1
    END) AS refused
