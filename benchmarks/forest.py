"""What the benchmarks store: chains of turns with forks, and facts about them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

Item = dict[str, Any]
START = datetime(2026, 1, 1, tzinfo=UTC)
TEXT = "We could take the train to Hangzhou on Friday and look at the flat by the lake before noon"


def chain(length: int, conversation: str, *, fork_every: int = 0) -> list[Item]:
    """Return ``length`` turns of one conversation, each after the one before it.

    With ``fork_every`` n every n-th turn is left behind: the next one goes on from before it.
    """
    turns: list[Item] = []
    for number in range(length):
        left_behind = fork_every and number >= 2 and (number - 1) % fork_every == fork_every - 1
        parent = number - (2 if left_behind else 1)
        turn = {
            "id": f"{conversation}-{number}",
            "role": "assistant" if number % 2 else "user",
            "text": f"{TEXT}, turn {number}.",
            "parent": turns[parent]["id"] if number else None,
            "conversation": conversation,
            "created_at": START + timedelta(seconds=number),
        }
        turns.append(turn)
    return turns


def facts(turns: Sequence[Item], per_turn: int) -> list[Item]:
    """Return ``per_turn`` facts with each turn as their only source."""
    return [
        {"text": f"{TEXT}, fact {number} of {turn['id']}.", "sources": [turn["id"]]}
        for turn in turns
        for number in range(per_turn)
    ]


def digest(text: str) -> str:
    """Return what takes as much room as one of graphmem's hashes."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def batches(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    """Yield ``items`` in pieces of ``size``."""
    for start in range(0, len(items), size):
        yield items[start : start + size]
