// Some records, with all that corrections connect them to
// More than the records before and after them; which of it is, visible corrections say.
// @continues records  @mode read
CALL (records) {
  UNWIND records AS record
  MATCH (record)-[:INVALIDATES|REPLACED_BY]-*(one)
  RETURN collect(DISTINCT one) AS connected
}
RETURN connected AS records
