// Find the records of a space that wait for a vector
// @mode schema
CREATE INDEX record_unembedded IF NOT EXISTS
FOR (record:Unembedded)
ON (record.space)
