// One row per record: what it holds and what it is linked to
// @continues record, current, invalidatedBy, position  @mode read
WITH record, current, invalidatedBy, position
ORDER BY position
RETURN
  record.id AS id,
  record.kind AS kind,
  record.text AS text,
  record.predicate AS predicate,
  record.sourceIds AS sourceIds,
  position,
  current,
  [
    one IN invalidatedBy
    | {
      id: one.by.id,
      sourceIds: one.by.sourceIds,
      replacedBy:
        CASE
          WHEN one.new IS NOT NULL THEN {id: one.new.id, text: one.new.text}
        END
    }
 ] AS invalidatedBy,
  [(record)-[source:DERIVED_FROM]->(turn) | source {.*, turn: turn.id}] AS sources,
  [(record)-[link:BUILT_FROM]->(input) WHERE link.direct | input.id] AS builtFrom,
  [
    (record)-[mention:MENTIONS]->(entity)
    | {
      key: entity.key,
      name: mention.surface,
      type: mention.type,
      subject: EXISTS { (record)-[:SUBJECT]->(entity) },
      object: EXISTS { (record)-[:OBJECT]->(entity) }
    }
 ] AS mentions,
  [(record)-[:INVALIDATES]->(old) | old.id] AS invalidates,
  [(record)-[:REPLACED_BY]->(new) | new.id][0] AS replacedBy
