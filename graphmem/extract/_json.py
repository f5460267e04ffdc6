"""The JSON in a model's answer, however it is wrapped, but never half of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from graphmem._errors import MissingPackageError

_THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_MARK = re.compile(r'\\.|["\[\]{}]', re.DOTALL)
_OPENING = re.compile(r"[\[{]")
_LIKE_JSON = re.compile(r"""\{|\[\s*[\[{"']""")


def json_values(answer: str) -> Iterator[Any]:
    """Yield every JSON object and list that an answer holds, mended where the spelling is broken.

    What is around them does not matter: prose, a fence, a passage of thought. Errors: ValueError
    when one of them was cut off, since what is missing cannot be mended.

    >>> list(json_values("Here: ```json\\n{'facts': ['a',]}\\n```"))
    [{'facts': ['a']}]
    """
    text = _THINKING.sub("", answer)
    try:
        yield json.loads(text)
    except (ValueError, RecursionError):
        yield from (_mended(passage) for passage in _passages(text))


def _passages(text: str) -> Iterator[str]:
    """Yield the passages from an opening bracket to the one that closes it."""
    opening = _OPENING.search(text)
    while opening:
        end = _end(text, opening.start())
        yield text[opening.start() : end]
        opening = _OPENING.search(text, end)


def _end(text: str, start: int) -> int:
    depth, quoted = 0, False
    for mark in _MARK.finditer(text, start):
        if mark[0] == '"':
            quoted = not quoted
        elif not quoted and mark[0] in "[{":
            depth += 1
        elif not quoted and mark[0] in "]}":
            depth -= 1
            if depth == 0:
                return mark.end()
    raise ValueError("the JSON was cut off before its end")


def _mended(passage: str) -> Any:
    try:
        return json.loads(passage)
    except (ValueError, RecursionError):
        return _repaired(passage) if _LIKE_JSON.match(passage) else None


def _repaired(passage: str) -> Any:
    try:
        return _repair()(passage)
    except (ValueError, RecursionError):
        return None


def _repair() -> Any:
    try:
        from json_repair import loads  # noqa: PLC0415 (optional)
    except ImportError:
        raise MissingPackageError(
            "mending a model's JSON needs json-repair; run pip install 'graphmem[openai]'"
        ) from None
    return loads
