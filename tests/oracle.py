"""What the gate promises, in plain Python: sets and parent pointers, nothing of the product."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Oracle:
    """Turns that have arrived (with their parents), and records (with all their source turns).

    ``inputs`` are all records that one was built from, directly or not; ``targets`` those that an
    invalidation names; ``hidden`` the turns and the records that are revoked.
    """

    parents: dict[str, str | None] = field(default_factory=dict)
    records: dict[str, frozenset[str]] = field(default_factory=dict)
    inputs: dict[str, frozenset[str]] = field(default_factory=dict)
    targets: dict[str, frozenset[str]] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    replaces: set[tuple[str, str]] = field(default_factory=set)
    conversations: dict[str, str | None] = field(default_factory=dict)
    heads: dict[str, str] = field(default_factory=dict)

    def remember(self, record: str, turns: frozenset[str], inputs: frozenset[str]) -> None:
        """Add a record: it has the turns of its inputs as well, and their inputs."""
        self.records[record] = turns.union(*(self.records[one] for one in inputs))
        self.inputs[record] = inputs.union(*(self.inputs[one] for one in inputs))

    def path(self, anchor: str, *, awaited: bool = False) -> list[str]:
        """Return the turns up to the root; an awaited one ends the path, and counts if asked."""
        path = []
        turn: str | None = anchor
        while turn is not None and (turn in self.parents or (awaited and turn not in path)):
            path.append(turn)
            turn = self.parents.get(turn)
        return path

    def visible(self, anchor: str, scope: str = "path") -> set[str]:
        """Return the records that have sources, all of them on the path of the anchor.

        In the wide scope also those of a head that shares no root with it.
        """
        if scope == "space":
            return set().union(*(self.visible(leaf) for leaf in (anchor, *self.others(anchor))))
        path = {*self.path(anchor)} - self.hidden
        return {
            record
            for record, sources in self.records.items()
            if sources and sources <= path and not self.hidden & {record, *self.inputs[record]}
        }

    def current(self, anchor: str, scope: str = "path") -> set[str]:
        """Return what is visible and no visible invalidation targets, nor what it is built from."""
        seen = self.visible(anchor, scope)
        fallen = {old for one in seen for old in self.targets.get(one, ())}
        return {record for record in seen if not fallen & {record, *self.inputs[record]}}

    def purge(self, turns: set[str], records: set[str]) -> None:
        """Empty what is named and all that came from it; invalidations of nothing else go along."""
        gone = {
            record
            for record, sources in self.records.items()
            if sources & turns or records & {record, *self.inputs[record]}
        }
        gone |= {one for one, old in self.targets.items() if old & gone and old <= gone}
        self.records |= dict.fromkeys(gone, frozenset())
        self.targets = {
            one: targets - gone for one, targets in self.targets.items() if one not in gone
        }

    def fork(self, a: str, b: str) -> str | None:
        """Return the last turn on both paths, arrived or not."""
        other = set(self.path(b, awaited=True))
        return next((turn for turn in self.path(a, awaited=True) if turn in other), None)

    def others(self, anchor: str) -> list[str]:
        """Return the heads of other trees: they share no root with the anchor; all are known."""
        own = self.roots(anchor)
        return [
            leaf
            for leaf in self.leaves()
            if not own & (roots := self.roots(leaf)) and own | roots <= self.parents.keys()
        ]

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
