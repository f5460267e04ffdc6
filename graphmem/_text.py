"""What a string may hold before it reaches the store.

Ids are refused when they cannot be stored as they are; texts are stored whatever they hold. A text
keeps NUL. A lone half of a surrogate pair, which no UTF-8 can carry, becomes U+FFFD; two halves
that belong together become the character they stand for.
"""

from __future__ import annotations

import json
import re

MAX_ID_BYTES = 4000
"""Longest id in UTF-8 bytes. Neo4j indexes keys up to 8,164 bytes; a key is a space and an id."""


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def checked_id(value: str, what: str = "id") -> str:
    """Return ``value``, or raise ValueError when it cannot be an id."""
    if not value:
        raise ValueError(f"the {what} is empty; give it at least one character")
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise ValueError(
            f"the {what} {value!r} holds half a surrogate pair; fix its encoding"
        ) from None
    if size > MAX_ID_BYTES:
        raise ValueError(f"the {what} has {size} bytes, the limit is {MAX_ID_BYTES}; hash it")
    if _CONTROL.search(value):
        raise ValueError(f"the {what} {value!r} holds a control character; remove it")
    return value


def clean_text(value: str) -> str:
    """Return ``value`` as text that UTF-8 can carry.

    >>> clean_text("ok \\ud83d"), clean_text("\\ud83c\\udf78") == "\\U0001f378"
    ('ok �', True)
    """
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value


def raw_literal(original: str, cleaned: str) -> str | None:
    """Return the original as a JSON literal when cleaning lost something, else None."""
    literal = json.dumps(original)
    return None if json.loads(literal) == cleaned else literal
