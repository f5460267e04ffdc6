// graphmem: the forks of the demo, with the facts of each turn
// Paste it into Neo4j Browser; the graph view draws the tree.
// @mode read
MATCH path = (turn:Turn {space: 'demo'})-[:PARENT|REPLACES]->(:Turn)
WHERE turn.id IS NOT NULL
RETURN path
  UNION
MATCH path = (record:Record {space: 'demo'})-[:DERIVED_FROM]->(:Turn)
WHERE record.id IS NOT NULL
RETURN path
