"""What a model is offered under short names, and what its citations of them mean."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from graphmem._fence import cut_injected
from graphmem._models import Claim, Id, Source, Turn
from graphmem._text import clean_text
from graphmem.extract._answer import AnsweredSource
from graphmem.extract._reading import Reading, readable

T = TypeVar("T")


class Offer:
    """The turns and the claims of a reading under the handles ``t1`` … and ``r1`` ….

    Models copy a short handle reliably and a long id not. A citation counts only when it is a
    handle as offered: ``1``, ``"1"`` or ``"T1"`` may mean something else, and nothing is guessed.
    Turns without a word of user or assistant in them are not offered.
    """

    def __init__(self, reading: Reading) -> None:
        before = [turn for turn in reading.path if readable(turn).strip()]
        self.turns: Mapping[str, Turn] = _handled("t", [*before, reading.turn])
        self.claims: Mapping[str, Claim] = _handled("r", reading.claims)
        self.read = f"t{len(self.turns)}"
        """The handle of the turn being read: the last."""

    def data(self) -> str:
        """Return what is offered, as JSON that cannot close the fence it is put in."""
        offered = {
            "turns": [
                {"id": handle, "role": turn.role, "text": cut_injected(turn.text).strip()}
                for handle, turn in self.turns.items()
            ],
            "known": [{"id": handle, "text": claim.text} for handle, claim in self.claims.items()],
            "read": self.read,
        }
        return json.dumps(offered, ensure_ascii=False, indent=1).replace("<", "\\u003c")

    def sources(self, cited: Iterable[AnsweredSource]) -> tuple[Source, ...]:
        """Return the turns that are cited, and the one being read, along the path.

        A turn cited twice counts once, with the first quote that stands in its text. Errors:
        ValueError for a handle that was not offered.
        """
        passages = {self.read: Source(turn=self.turns[self.read].id)}
        for citation in cited:
            passage = _passage(_offered(self.turns, citation.turn), citation.quote)
            if (known := passages.get(citation.turn)) is None or known.quote is None:
                passages[citation.turn] = passage
        return tuple(passages[handle] for handle in self.turns if handle in passages)

    def claim_ids(self, cited: Iterable[str]) -> tuple[Id, ...]:
        """Return the ids of the claims that are cited, each once, or raise ValueError."""
        return tuple(dict.fromkeys(_offered(self.claims, handle).id for handle in cited))


def _handled(letter: str, items: Sequence[T]) -> dict[str, T]:
    return {f"{letter}{number}": item for number, item in enumerate(items, start=1)}


def _offered(items: Mapping[str, T], handle: str) -> T:
    try:
        return items[handle]
    except KeyError:
        raise ValueError(f"cites {handle[:20]!r}, which was not offered") from None


def _passage(turn: Turn, quote: str | None) -> Source:
    """Return the turn as a source, quoted if the quote stands in what was said there."""
    words = clean_text((quote or "").strip())
    start = readable(turn).find(words) if words else -1
    if start < 0:
        return Source(turn=turn.id)
    return Source(turn=turn.id, quote=words, start=start, end=start + len(words))
