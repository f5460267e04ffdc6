// Wait until every index can be used
// @mode read
CALL db.awaitIndexes(300)
