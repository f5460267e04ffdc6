// All turns of a space
// @params space  @mode read
MATCH (turn:Turn)
WHERE turn.space = $space AND turn.id IS NOT NULL
RETURN turn
