"""A question as the indexes take it: words for the full-text index, names for the graph."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from graphmem._errors import InvalidInputError
from graphmem._text import clean_text, entity_key, entity_token, place_token, space_token

MOST_WORDS = 100
"""Words of a question that are looked for; people ask in fewer."""
MOST_CLAUSES = 400
"""What these may come to in the full-text index, where Chinese is cut into pairs of characters. It
takes 1,024 in all; the segments are among them."""
MOST_RUNS = 500
"""Segments of a path that the full-text index is told of."""
MOST_NAMED = 400
"""Names of a question that are looked for among the entities."""
MOST_CLAIMS = 200
"""Claims that one question may ask for."""
_LONGEST_NAME = 4
_OPERATORS = {"AND", "OR", "NOT", "TO"}
_JOINERS = "'\u2019.,"
"""What stands within a word: the index decides whether it parts two, as it did with the texts."""
_FIRST_PAIRED = 0x1100
"""From here on the index may cut between any two characters."""
_LONGEST_TOKEN = 255
"""Characters after which the index cuts a word."""
_WORD = re.compile(r"\w+")
_HAN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")


def checked_question(text: str) -> str:
    """Return the question; InvalidInputError when it is blank or no text."""
    if not isinstance(text, str) or not text.strip():
        raise InvalidInputError("the question is blank; say what to look for")
    return clean_text(text)


def checked_count(number: int, what: str, most: int | None = None) -> int:
    """Return a number of things that are asked for; InvalidInputError outside of 1 to ``most``."""
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise InvalidInputError(f"{what} is a whole number from 1 on, not {number!r}")
    if most is not None and number > most:
        raise InvalidInputError(f"{what} is at most {most}, not {number}; `visible` lists all")
    return number


def words(text: str) -> list[str]:
    """Return the words of a question, each once. What is Lucene's syntax is no word.

    Letters stay as they are: to fold them is for the index, which folded its own.

    >>> words('Where is "Ann" AND (budget:4,000~)?')
    ['Where', 'is', 'Ann', 'and', 'budget', '4,000']
    """
    plain = "".join(one if _is_part(one) else " " for one in text).split()
    cleaned = (word.strip(_JOINERS) for word in plain)
    found = dict.fromkeys(word.lower() if word in _OPERATORS else word for word in cleaned if word)
    return list(_bounded(found))


def _is_part(one: str) -> bool:
    """Say whether a character may be part of a word; all of Lucene's syntax is ASCII."""
    return (
        one.isalnum()
        or one == "_"
        or one in _JOINERS
        or (not one.isascii() and unicodedata.category(one)[0] in "MS")
    )


def _bounded(found: Iterable[str]) -> Iterator[str]:
    """Yield the first words, as many as the index takes; one too long for it is cut."""
    room = MOST_CLAUSES
    for word in islice(found, MOST_WORDS):
        if room <= 0:
            return
        fits = word[:room] if _clauses(word) > room else word
        room -= _clauses(fits)
        yield fits


def _clauses(word: str) -> int:
    """Return how many clauses the index makes of a word, at most."""
    cuts = sum(one in _JOINERS or ord(one) >= _FIRST_PAIRED for one in word)
    return 1 + cuts + len(word) // _LONGEST_TOKEN


def lucene(text: str, space: str, runs: Sequence[Sequence[int]]) -> str | None:
    """Return a query of the full-text index, None when the question has no word.

    It asks for records of the space, or of the turns that the runs of a path reach, and for any of
    the words. The first part filters; only the words count for the score.

    >>> lucene("Who?", "ann", [(1, 2)])
    '+tokens:([g000000000000000100000000 TO g000000000000000100000002])^0 +text:(who)'
    """
    asked = words(text)
    if not asked:
        return None
    return f"+tokens:({_place(space, runs)})^0 +text:({' '.join(asked)})"


def _place(space: str, runs: Sequence[Sequence[int]]) -> str:
    if not 0 < len(runs) <= MOST_RUNS:
        return space_token(space)
    return " ".join(
        f"[{place_token(segment, 0)} TO {place_token(segment, reach)}]" for segment, reach in runs
    )


def linked(keys: Iterable[str], space: str, runs: Sequence[Sequence[int]]) -> str:
    """Return a query of the full-text index for records that mention an entity.

    >>> linked(["ann"], "ann", [])[:31]
    '+tokens:(s8d3adf6abf23f3a5)^0 +'
    """
    tokens = " ".join(entity_token(space, key) for key in keys)
    return f"+tokens:({_place(space, runs)})^0 +tokens:({tokens})"


def named(text: str) -> list[str]:
    """Return the keys of the entities that a question may name: its runs of one to four words.

    Chinese, Japanese and Korean have no spaces; there it is every run of two to six characters.

    >>> named("Is Ada Lovelace in?")[:3]
    ['is', 'is ada', 'is ada lovelace']
    """
    names = dict.fromkeys(entity_key(name) for name in (*_runs(text), *_han(text)))
    return list(names)[:MOST_NAMED]


def _runs(text: str) -> Iterator[str]:
    found = _WORD.findall(text)[:MOST_WORDS]
    for start in range(len(found)):
        for end in range(start + 1, min(start + _LONGEST_NAME, len(found)) + 1):
            yield " ".join(found[start:end])


def _han(text: str) -> Iterator[str]:
    for run in _HAN.findall(text[:MOST_WORDS]):
        for start in range(len(run)):
            for end in range(start + 2, min(start + 6, len(run)) + 1):
                yield run[start:end]
