"""Extraction without a model: a turn's sentences are its facts, verbatim."""

from __future__ import annotations

from collections.abc import Iterator

from graphmem._models import Source, Turn
from graphmem.extract._reading import ExtractedFact, Extraction, Reading, readable
from graphmem.extract.mentions import mentions, names
from graphmem.extract.sentences import sentences


class SentenceExtractor:
    """Makes every sentence of a user's or an assistant's turn a fact. Works offline.

    What a fact mentions is found by the rules of `mentions`.
    """

    name = "sentences"

    def extract(self, reading: Reading) -> Extraction:
        """Return the sentences of the turn as facts, each with its passage.

        An assistant's sentence that only repeats a claim is dropped: an echo is no evidence.
        """
        known = _known_names(reading)
        facts: list[ExtractedFact] = []
        rejected: list[str] = []
        for place, passage in enumerate(passages(reading.turn)):
            text = passage.quote or ""
            if echo := reading.echoes(text):
                rejected.append(f"sentence {place}: only repeats claim {echo.id!r}")
                continue
            said = tuple(mentions(text, known=known))
            facts.append(ExtractedFact(text=text, sources=(passage,), mentions=said))
        return Extraction(facts=tuple(facts), rejected=tuple(rejected))


def passages(turn: Turn) -> Iterator[Source]:
    """Yield the turn's sentences, each as the turn quoted at its place.

    Only a user's or an assistant's turn has any, and what memory put into it is none of them.
    """
    for sentence in sentences(readable(turn)):
        yield Source(turn=turn.id, quote=sentence.text, start=sentence.start, end=sentence.end)


def _known_names(reading: Reading) -> frozenset[str]:
    texts = [readable(turn) for turn in (*reading.path, reading.turn)]
    texts += [claim.text for claim in reading.claims]
    return frozenset(
        name for text in texts for sentence in sentences(text) for name in names(sentence.text)
    )
