// Entities that visible records mention, with what these call them
// Of an entity that is joined to others, the records are named: one may mention several of them.
// @continues record, current  @mode read
WITH record, current
MATCH (record)-[mention:MENTIONS]->(entity)
WHERE entity.space = record.space
WITH
  entity,
  mention.surface AS name,
  mention.type AS type,
  count(*) AS times,
  collect(
    CASE
      WHEN current THEN record.id
    END) AS ids,
  collect(
    CASE
      WHEN current AND record:SameAs THEN [(record)-[:SUBJECT|OBJECT]->(end) | end.key]
    END) AS ends
WITH
  entity,
  collect({name: name, type: type, times: times}) AS names,
  collect(ids) AS ids,
  collect(ends) AS ends
WITH
  entity,
  names,
  reduce(all = [], some IN ids | all + some) AS ids,
  reduce(all = [], some IN ends | all + some) AS joins
RETURN
  entity.key AS key,
  names,
  size(ids) AS records,
  CASE
    WHEN size(joins) > 0 THEN ids
    ELSE []
  END AS ids,
  reduce(all = [], some IN joins | all + some) AS joined
