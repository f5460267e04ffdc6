// What the two places for vectors hold
// @mode read
UNWIND [0, 1] AS slot
MATCH (embedding:Embedding {slot: slot})
RETURN
  embedding.slot AS slot,
  embedding.model AS model,
  embedding.dimensions AS dimensions,
  embedding.state AS state
ORDER BY slot
