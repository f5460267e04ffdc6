// Label records by whether they have a vector in the live place
// What the model before could not embed, this one may.
// @params space, ids  @mode write
UNWIND $ids AS id
MATCH (record:Record {space: $space, id: id})
REMOVE record:Unembeddable
WITH record, record.text IS NOT NULL AND record.vector0 IS NULL AS waits
FOREACH (_ IN
CASE
  WHEN waits THEN [1]
  ELSE []
END |
  SET record:Unembedded
)
FOREACH (_ IN
CASE
  WHEN waits THEN []
  ELSE [1]
END |
  REMOVE record:Unembedded
)
