// Hold both places for vectors, and tell what they hold
// Whoever writes vectors holds them, so that no vector lands in a place that has just changed hands.
// Setting the label that is there changes nothing and takes the node's lock.
// @mode write
UNWIND [0, 1] AS slot
MERGE (embedding:Embedding {slot: slot})
  ON CREATE SET embedding.state = 'empty'
SET embedding:Embedding
RETURN
  embedding.slot AS slot,
  embedding.model AS model,
  embedding.dimensions AS dimensions,
  embedding.state AS state
ORDER BY slot
