// Let one process at a time change the schema
// Version 0 stands for the lock: writing to it holds it until the transaction ends.
// @mode write
MERGE (lock:Migration {version: 0})
SET lock.name = 'lock', lock.takenAt = datetime()
