"""What an extractor is given, and what it returns."""

from __future__ import annotations

import unicodedata
from functools import cached_property
from typing import Protocol

from graphmem._fence import without_injected
from graphmem._models import Claim, Id, Mention, Model, Source, Text, Turn

SPEAKERS = ("user", "assistant")
"""Whose turns are read. What a system or a tool says is no statement of the conversation."""


class Reading(Model):
    """A turn to read, with what its reader may know.

    ``path`` holds the turn's last ancestors, root first and without the turn: context, and further
    sources. ``claims`` are current at the turn: what it may supersede or retract.
    """

    turn: Turn
    path: tuple[Turn, ...] = ()
    claims: tuple[Claim, ...] = ()

    def echoes(self, text: str) -> Claim | None:
        """Return the claim that ``text`` only repeats, if an assistant says it.

        An assistant has its claims from memory, so its echo is no evidence; a user's repetition is.
        """
        if self.turn.role != "assistant":
            return None
        return self._claims_by_words.get(same_words(text))

    @cached_property
    def _claims_by_words(self) -> dict[str, Claim]:
        return {same_words(claim.text): claim for claim in self.claims}


class ExtractedFact(Model):
    """A fact that a turn states. ``supersedes`` are the ids of the claims it takes the place of."""

    text: Text
    sources: tuple[Source, ...]
    mentions: tuple[Mention, ...] = ()
    supersedes: tuple[Id, ...] = ()


class ExtractedRelation(Model):
    """A graph edge that a turn states, with a text that says the same."""

    subject: Mention
    predicate: Text
    object: Mention
    text: Text
    sources: tuple[Source, ...]
    supersedes: tuple[Id, ...] = ()


class ExtractedSameAs(Model):
    """Two names of one entity."""

    a: Mention
    b: Mention
    sources: tuple[Source, ...]


class Retraction(Model):
    """A claim that a turn takes back and puts nothing in the place of."""

    claim: Id
    sources: tuple[Source, ...]


class Extraction(Model):
    """What one turn says. ``rejected`` holds a reason for every item that was dropped."""

    facts: tuple[ExtractedFact, ...] = ()
    relations: tuple[ExtractedRelation, ...] = ()
    same_as: tuple[ExtractedSameAs, ...] = ()
    retractions: tuple[Retraction, ...] = ()
    rejected: tuple[str, ...] = ()


class Extractor(Protocol):
    """Reads turns. ``name`` (of ``a-z0-9_``) is the key under which a turn keeps its state."""

    @property
    def name(self) -> str:
        """What the extractor is called."""

    def extract(self, reading: Reading) -> Extraction:
        """Return what the turn says. Errors: `ModelError`, where a model is asked."""


def readable(turn: Turn) -> str:
    """Return the text of a turn as extractors read it, each character at its place.

    Passages of memory are blank, and so is all of what neither user nor assistant said.
    """
    return without_injected(turn.text) if turn.role in SPEAKERS else ""


def same_words(text: str) -> str:
    """Return what two texts share that differ in case, width, space or the punctuation at the end.

    >>> same_words("I live in  Chengdu.") == same_words("i live in Chengdu！")
    True
    """
    words = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    while words and unicodedata.category(words[-1])[0] in "PZ":
        words = words[:-1]
    return words
