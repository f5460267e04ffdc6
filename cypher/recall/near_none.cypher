// No record is near where there are no vectors
// @mode read
RETURN [] AS near
