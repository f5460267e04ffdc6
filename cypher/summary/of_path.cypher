// Which runs of turns summaries of a path stand for
// Only what the gate lets through of them may be shown: this spares it those of other branches.
// The kind is asked for, not the label: few summaries in all would be read first, and those of all spaces.
// Their lists of sources are long, so how many there are is read from the mark.
// @params space, anchor  @mode read
MATCH (anchor:Turn {space: $space, id: $anchor})
WHERE NOT anchor:Awaited
MATCH (anchor)-[:PARENT]->*(turn)
MATCH (turn)<-[:DERIVED_FROM]-(record)
WHERE record.kind = 'summary'
WITH record, count(turn) AS onPath
WHERE record.level IS NOT NULL AND record.turns = onPath
RETURN
  record.id AS id,
  record.level AS level,
  record.summariser AS summariser,
  record.firstPlace AS firstPlace,
  record.lastPlace AS lastPlace,
  record.turns AS turns
