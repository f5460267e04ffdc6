// Add a space
// @params space  @mode write
MERGE (space:Space {id: $space})
