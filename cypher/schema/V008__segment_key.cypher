// A segment is known by its number
// @mode schema
CREATE CONSTRAINT segment_key IF NOT EXISTS
FOR (segment:Segment)
REQUIRE (segment.space, segment.id) IS UNIQUE
