// Let one transaction at a time close gaps in the trees of a space
// Two late arrivals, each harmless alone, could close a cycle together.
// @params space  @mode write
MATCH (space:Space {id: $space})
SET space.gapsClosed = coalesce(space.gapsClosed, 0) + 1
