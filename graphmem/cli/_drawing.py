"""Drawing a tree of turns with lines, for the terminal.

The branch of the head (else the newest) goes straight down; the others hang beside the turn where
they leave it. So a chat of 10,000 turns without forks is a straight line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rich.text import Text

from graphmem._models import Tree, Turn
from graphmem._turns import Skeleton
from graphmem.cli._output import shown

STYLES = {"user": "cyan", "assistant": "green"}


def drawing(tree: Tree, *, path: Collection[str] = (), width: int = 60) -> Iterator[Text]:
    """Yield the lines of the tree. When ``path`` is given, its turns are bright, the others dim."""
    turns = {turn.id: turn for turn in tree.turns}
    revoked, purged = set(tree.revoked), set(tree.purged)
    skeleton = Skeleton.of(tree.turns)
    children = skeleton.children()
    trunk = _trunk(tree, skeleton)
    stack = [(root, "", "") for root in reversed(_ordered(children.get(None, []), trunk))]
    while stack:
        id_, lead, mark = stack.pop()
        turn = turns[id_]
        line = Text(lead + mark, style="dim")
        if id_ in purged:
            line.append("(purged)", style="dim")
        else:
            dim = id_ in revoked or (bool(path) and id_ not in path)
            _say(line, turn, dim=dim, width=width)
            line.append("  (revoked)" if id_ in revoked else "", style="yellow")
        _name(line, turn, head=tree.head == id_)
        yield line
        below = _ordered(children.get(id_, []), trunk)
        inner = lead + _continued(mark)
        stack.append((below[-1], inner, "")) if below else None
        stack.extend((child, inner, "├─") for child in reversed(below[:-1]))


def _continued(mark: str) -> str:
    return "│ " if mark else ""


def _trunk(tree: Tree, skeleton: Skeleton) -> set[str]:
    """Return the turns on the path of the head."""
    trunk: set[str] = set()
    turn = tree.head
    while turn is not None and turn in skeleton.parents and turn not in trunk:
        trunk.add(turn)
        turn = skeleton.parents[turn]
    return trunk


def _ordered(siblings: list[str], trunk: Collection[str]) -> list[str]:
    """Put the branch that goes straight down last."""
    return sorted(siblings, key=lambda turn: turn in trunk)


def _say(line: Text, turn: Turn, *, dim: bool, width: int) -> None:
    line.append(f"{shown(turn.role, 12)} ", style="dim" if dim else STYLES.get(turn.role, "yellow"))
    line.append(shown(turn.text, width), style="dim" if dim else "")


def _name(line: Text, turn: Turn, *, head: bool) -> None:
    line.append(f"  {shown(turn.id)}", style="dim")
    if turn.replaces:
        line.append(f"  {turn.how} of {shown(turn.replaces)}", style="dim italic")
    if head:
        line.append("  ← head", style="bold magenta")
