"""Summarisers by name, as settings and the command line give them."""

from __future__ import annotations

from graphmem._errors import InvalidInputError
from graphmem.summarise._extractive import ExtractiveSummariser
from graphmem.summarise._openai import OpenAISummariser
from graphmem.summarise._summariser import Summariser


def summariser_named(name: str) -> Summariser:
    """Return the summariser called ``extractive``, ``openai`` or ``openai:<model>``.

    Errors: `InvalidInputError` for another name; those of `OpenAISummariser`.

    >>> summariser_named("extractive").name
    'extractive'
    """
    kind, colon, model = name.partition(":")
    if name == "extractive":
        return ExtractiveSummariser()
    if kind == "openai" and bool(colon) == bool(model):
        return OpenAISummariser(model or None)
    raise InvalidInputError(
        f"no summariser is called {name!r}; use 'extractive', 'openai' or 'openai:<model>'"
    )
