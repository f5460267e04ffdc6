"""What the gate promises, in plain Python: sets and parent pointers, nothing of the product."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Oracle:
    """Turns that have arrived (with their parents), and records (with all their source turns)."""

    parents: dict[str, str | None] = field(default_factory=dict)
    records: dict[str, frozenset[str]] = field(default_factory=dict)

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
