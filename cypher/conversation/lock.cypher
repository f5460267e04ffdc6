// Let one transaction at a time add first messages to a conversation
// Setting the label that is there changes nothing and takes the node's lock.
// @params space, ids  @mode write
UNWIND $ids AS id
MERGE (conversation:Conversation {space: $space, id: id})
SET conversation:Conversation
