// Let records go without a vector
// @params space, ids  @mode write
UNWIND $ids AS id
MATCH (record:Record {space: $space, id: id})
SET record:Record
WITH record
WHERE record:Unembedded
SET record:Unembeddable
REMOVE record:Unembedded
RETURN count(record) AS refused
