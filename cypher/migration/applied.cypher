// Migrations applied to this graph
// @mode read
MATCH (migration:Migration)
WHERE migration.version > 0
RETURN migration.version AS version, migration.name AS name, migration.checksum AS checksum
ORDER BY version
