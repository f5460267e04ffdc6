// The turns of a conversation
// @params space, conversation  @mode read
MATCH (:Conversation {space: $space, id: $conversation})<-[:IN]-(turn:Turn)
RETURN turn, turn.createdAt AS position
