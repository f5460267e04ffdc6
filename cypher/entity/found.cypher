// Entities by their keys, or by how their keys begin
// It says only where to look: what is shown of an entity, visible records say.
// @params space, keys, prefix  @mode read
MATCH (entity:Entity {space: $space})
WHERE entity.key IN $keys OR entity.key STARTS WITH $prefix
RETURN entity.key AS key
ORDER BY key
