// Index the vectors of one place
// The loader puts in the place (0 or 1) and the model's dimensions. Unquantized, its distances are exact.
// @mode schema
CYPHER 25
CREATE VECTOR INDEX record_vector_0 IF NOT EXISTS
FOR (record:Record)
ON record.vector0
WITH [record.spaceKey, record.segment, record.place]
OPTIONS {
  indexConfig: {
    `vector.dimensions`: 384,
    `vector.similarity_function`: 'cosine',
    `vector.quantization.enabled`: false
  }
}
