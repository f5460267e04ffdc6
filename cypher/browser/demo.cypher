// graphmem: the fork of the demo's English chat, with the facts of each turn
// Paste it into Neo4j Browser; the graph view draws the tree. The Chinese chat's ids start with 'zh-'.
// @mode read
MATCH path = (turn:Turn {space: 'demo'})-[:PARENT|REPLACES]->(:Turn)
WHERE turn.id STARTS WITH 'en-'
RETURN path
  UNION
MATCH path = (record:Record {space: 'demo'})-[:DERIVED_FROM]->(:Turn)
WHERE record.id STARTS WITH 'en-'
RETURN path
