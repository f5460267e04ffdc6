// Say of summaries which run of their path they stand for
// A path never changes, so neither do the places of its turns, counted from the root.
// @params space, rows  @mode write
UNWIND $rows AS row
MATCH (record:Record {space: $space, id: row.id})
SET
  record.level = row.level,
  record.summariser = row.summariser,
  record.firstPlace = row.firstPlace,
  record.lastPlace = row.lastPlace,
  record.turns = row.turns
