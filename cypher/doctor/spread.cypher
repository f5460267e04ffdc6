// Records of a space that have more than one source
// @params space  @mode read
MATCH (record:Record)
WHERE record.space = $space AND record.id IS NOT NULL AND size(record.sourceIds) > 1
RETURN record.id AS id
