"""What a string may hold before it reaches the store.

Ids are refused when they cannot be stored as they are; texts are stored whatever they hold. A text
keeps NUL. A lone half of a surrogate pair, which no UTF-8 can carry, becomes U+FFFD; two halves
that belong together become the character they stand for.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from functools import lru_cache

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


_LONGEST_KEY = 200
"""Characters of an entity's key. A longer name keeps its beginning; a hash stands for the rest."""


def entity_key(name: str, kind: str | None = None) -> str:
    """Return what identifies an entity: its name without case, width and odd spaces; and its kind.

    >>> entity_key("  Ada   LOVELACE"), entity_key("Neo", "film")
    ('ada lovelace', 'neo (film)')
    """
    plain = _plain(name) + (f" ({_plain(kind)})" if kind and _plain(kind) else "")
    if len(plain) <= _LONGEST_KEY:
        return plain
    digest = hashlib.blake2b(plain.encode(), digest_size=8).hexdigest()
    return f"{plain[:_LONGEST_KEY]}…{digest}"


def _plain(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    return " ".join(_CONTROL.sub(" ", folded).split())


def number_of(name: str) -> int:
    """Return a number for a name, which an index compares faster than the name itself."""
    return int.from_bytes(_digest(name)) >> 2  # the store's integers have a sign


@lru_cache(maxsize=256)
def space_token(space: str) -> str:
    """Return a word that no text holds, for a space in the full-text index."""
    return "s" + _digest(space).hex()


def place_token(segment: int, place: int) -> str:
    """Return a word that no text holds, for a turn's place in its tree in the full-text index.

    The words of one segment follow each other as its places do.
    """
    return f"g{segment:016x}{place:08x}"


def entity_token(space: str, key: str) -> str:
    """Return a word that no text holds, for an entity of a space in the full-text index."""
    return "e" + _digest(f"{space}\0{key}").hex()


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
