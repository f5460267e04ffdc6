"""What the gate promises, in plain Python: sets and parent pointers, nothing of the product."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Oracle:
    """Turns that have arrived (with their parents), and records (with all their source turns)."""

    parents: dict[str, str | None] = field(default_factory=dict)
    records: dict[str, frozenset[str]] = field(default_factory=dict)
    replaces: set[tuple[str, str]] = field(default_factory=set)
    conversations: dict[str, str | None] = field(default_factory=dict)
    heads: dict[str, str] = field(default_factory=dict)

    def path(self, anchor: str, *, awaited: bool = False) -> list[str]:
        """Return the turns up to the root; an awaited one ends the path, and counts if asked."""
        path = []
        turn: str | None = anchor
        while turn is not None and (turn in self.parents or (awaited and turn not in path)):
            path.append(turn)
            turn = self.parents.get(turn)
        return path

    def visible(self, anchor: str) -> set[str]:
        """Return the records that have sources, all of them on the anchor's path."""
        path = set(self.path(anchor))
        return {record for record, sources in self.records.items() if sources and sources <= path}

    def fork(self, a: str, b: str) -> str | None:
        """Return the last turn on both paths, arrived or not."""
        other = set(self.path(b, awaited=True))
        return next((turn for turn in self.path(a, awaited=True) if turn in other), None)

    def visible_in_space(self, anchor: str) -> set[str]:
        """Return what is visible at the anchor or at a head that shares no root with it."""
        own = self.roots(anchor)
        others = [
            leaf
            for leaf in self.leaves()
            if not own & (roots := self.roots(leaf)) and own | roots <= self.parents.keys()
        ]
        return self.visible(anchor).union(*(self.visible(leaf) for leaf in others))

    def leaves(self) -> list[str]:
        """Return each conversation's head; without one, its only leaf."""
        found = []
        for name in {chat for chat in self.conversations.values() if chat}:
            members = [turn for turn, chat in self.conversations.items() if chat == name]
            ends = [turn for turn in members if turn not in self.parents.values()]
            found += [self.heads[name]] if name in self.heads else ends if len(ends) == 1 else []
        return found

    def roots(self, leaf: str) -> set[str]:
        """Return the ends of all paths up from a leaf's kin: versions, and turns of its chats."""
        path = self.path(leaf)
        chats = {self.conversations.get(turn) for turn in path} - {None}
        kin = {turn for turn, chat in self.conversations.items() if chat in chats} | {leaf}
        for turn in path:
            versions = {turn}
            while (
                more := {v for pair in self.replaces if versions & set(pair) for v in pair}
                - versions
            ):
                versions |= more
            kin |= versions
        return {self.path(turn, awaited=True)[-1] for turn in kin}

    def versions(self, turn: str) -> set[str]:
        """Return a turn and all that it replaces or that replace it, over any number of steps."""
        found: set[str] = set()
        waiting = [turn]
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting += [other for pair in self.replaces if one in pair for other in pair]
        return found
