// A migration's version is unique
// Runs before anything else: the lock below stands on it.
// @mode schema
CREATE CONSTRAINT migration_key IF NOT EXISTS
FOR (migration:Migration)
REQUIRE migration.version IS UNIQUE
