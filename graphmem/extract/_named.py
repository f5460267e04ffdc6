"""Extractors by name, as settings and the command line give them."""

from __future__ import annotations

from graphmem._errors import InvalidInputError
from graphmem.extract._openai import OpenAIExtractor
from graphmem.extract._reading import Extractor
from graphmem.extract._spoken import SentenceExtractor


def extractor_named(name: str) -> Extractor:
    """Return the extractor called ``sentences``, ``openai`` or ``openai:<model>``.

    Errors: `InvalidInputError` for another name; those of `OpenAIExtractor`.

    >>> extractor_named("sentences").name
    'sentences'
    """
    kind, colon, model = name.partition(":")
    if name == "sentences":
        return SentenceExtractor()
    if kind == "openai" and bool(colon) == bool(model):
        return OpenAIExtractor(model or None)
    raise InvalidInputError(
        f"no extractor is called {name!r}; use 'sentences', 'openai' or 'openai:<model>'"
    )
