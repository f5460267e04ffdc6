// The first space after another one that has records
// @params space  @mode read
MATCH (record:Record)
WHERE record.space > $space AND record.id IS NOT NULL
RETURN record.space AS space
ORDER BY space
LIMIT 1
