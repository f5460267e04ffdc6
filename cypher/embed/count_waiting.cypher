// How many records of a space wait for a vector
// @params space  @mode read
MATCH (record:Unembedded {space: $space})
RETURN count(record) AS waiting
