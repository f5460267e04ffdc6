// A record's id is unique in its space
// @mode schema
CREATE CONSTRAINT record_key IF NOT EXISTS
FOR (record:Record)
REQUIRE (record.space, record.id) IS UNIQUE
