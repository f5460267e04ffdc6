// Nothing but what the gate returns
// @continues anchor, record, tree, distance  @mode read
RETURN anchor, record, tree, distance
