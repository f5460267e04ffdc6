// Drop the index of one place for vectors
// @mode schema
DROP INDEX record_vector_0 IF EXISTS
