// There are two places for vectors, and each is described once
// @mode schema
CREATE CONSTRAINT embedding_key IF NOT EXISTS
FOR (embedding:Embedding)
REQUIRE embedding.slot IS UNIQUE
