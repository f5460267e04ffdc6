// Note that a migration was applied
// @params version, name, checksum  @mode write
CREATE (migration:Migration {version: $version})
SET migration.name = $name, migration.checksum = $checksum, migration.appliedAt = datetime()
