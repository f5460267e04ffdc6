"""A question as the indexes take it: words for the full-text index, names for the graph."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graphmem._errors import InvalidInputError
from graphmem._text import clean_text, entity_key, place_token, space_token

MOST_WORDS = 100
"""Words of a question that are looked for; Lucene takes 1,024 clauses, and people ask in fewer."""
MOST_RUNS = 500
"""Segments of a path that the full-text index is told of."""
_LONGEST_NAME = 4
_WORD = re.compile(r"\w+")
_HAN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")


def checked_question(text: str) -> str:
    """Return the question; InvalidInputError when it is blank or no text."""
    if not isinstance(text, str) or not text.strip():
        raise InvalidInputError("the question is blank; say what to look for")
    return clean_text(text)


def checked_count(number: int, what: str) -> int:
    """Return a number of things that are asked for; InvalidInputError unless it is positive."""
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise InvalidInputError(f"{what} is a whole number from 1 on, not {number!r}")
    return number


def words(text: str) -> list[str]:
    """Return the words of a question, each once. What is Lucene's syntax is no word.

    >>> words('Where is "Ann" AND (budget:4000~)?')
    ['where', 'is', 'ann', 'and', 'budget', '4000']
    """
    found = dict.fromkeys(word.casefold() for word in _WORD.findall(text))
    return list(found)[:MOST_WORDS]


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


def named(text: str) -> list[str]:
    """Return the keys of the entities that a question may name: its runs of one to four words.

    Chinese, Japanese and Korean have no spaces; there it is every run of two to six characters.

    >>> named("Is Ada Lovelace in?")[:3]
    ['is', 'is ada', 'is ada lovelace']
    """
    return list(dict.fromkeys(entity_key(name) for name in (*_runs(text), *_han(text))))


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
