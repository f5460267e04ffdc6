// Say what a place for vectors holds
// @params slot, model, dimensions, state  @mode write
MATCH (embedding:Embedding {slot: $slot})
SET embedding.model = $model, embedding.dimensions = $dimensions, embedding.state = $state
