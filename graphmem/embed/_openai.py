"""Embedders at an OpenAI-compatible endpoint."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from graphmem._errors import (
    InvalidInputError,
    MissingPackageError,
    ModelAnswerError,
    ModelError,
    ModelUnavailableError,
)
from graphmem.embed._vector import Vector

if TYPE_CHECKING:
    from openai import OpenAI

logger = logging.getLogger("graphmem.embed")

REFUSES_THE_REQUEST = (400, 413, 422)
PROBE = "hello"
SAFE_REASON = re.compile(r"[a-z][a-z_]{2,39}")
"""What may be told of an endpoint's reason: a word. Its message may repeat the text."""


class _RefusedError(ModelUnavailableError):
    """The endpoint refuses the request, maybe for one of its texts."""


class OpenAIEmbedder:
    """A model behind ``/embeddings`` of OpenAI or of a compatible endpoint.

    ``base_url`` and ``api_key`` default to ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``; an endpoint
    of one's own may need no key. ``dimensions`` are asked of models that can be cut; None takes
    what the model gives, found out by embedding one word. ``batch`` texts go in one request, which
    is tried again ``max_retries`` times when the endpoint is overloaded or fails. Texts are sent
    whole: one that is too long for the endpoint is refused by it and stays without a vector.

    Errors: `ModelUnavailableError`, `ModelAnswerError`.
    """

    def __init__(
        self,
        model: str,
        *,
        dimensions: int | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        batch: int = 64,
        timeout: float = 60.0,
        max_retries: int = 4,
    ) -> None:
        if not model.strip():
            raise InvalidInputError("the model has no name; write openai:text-embedding-3-small")
        self.name = f"openai:{model}"
        self._model = model
        self._asked_dimensions = dimensions
        self._batch = max(1, batch)
        self._client = _client(base_url, api_key, timeout, max_retries)

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        return self._asked_dimensions or self._found_dimensions

    @cached_property
    def _found_dimensions(self) -> int:
        return len(self._answer([PROBE])[0])

    def passages(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vectors of texts that will be searched; None for one that is refused."""
        parts = (texts[start : start + self._batch] for start in range(0, len(texts), self._batch))
        return [vector for part in parts for vector in self._each(part)]

    def query(self, text: str) -> Vector:
        """Return the vector of a text to search with."""
        return self._answer([text])[0]

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _each(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """Embed texts; where they are refused, find out which of them are to blame."""
        try:
            return self._answer(texts)
        except _RefusedError:
            if len(texts) > 1:
                half = len(texts) // 2
                return [*self._each(texts[:half]), *self._each(texts[half:])]
            self._answer([PROBE])  # refused as well? Then no text is to blame, and it raises
            logger.warning("%s refuses a text; it stays without a vector", self.name)
            return [None]

    def _answer(self, texts: Sequence[str]) -> list[Vector]:
        data = getattr(self._ask(texts), "data", None)
        if not isinstance(data, list) or len(data) != len(texts):
            given = len(data) if isinstance(data, list) else "no"
            raise ModelAnswerError(f"{self.name} gave {given} vectors for {len(texts)} texts")
        vectors = {getattr(item, "index", None): item.embedding for item in data}
        if vectors.keys() != set(range(len(texts))):  # an endpoint that does not number them
            return [item.embedding for item in data]
        return [vectors[index] for index in range(len(texts))]

    def _ask(self, texts: Sequence[str]) -> Any:
        import openai  # noqa: PLC0415 (an extra, and slow to load)

        try:
            return self._client.embeddings.create(
                model=self._model,
                input=list(texts),
                encoding_format="float",
                dimensions=self._asked_dimensions or openai.omit,
            )
        except openai.APIStatusError as error:
            raise self._failure(error.status_code, error) from None
        except openai.APIConnectionError as error:
            raise ModelUnavailableError(
                f"{self.name} cannot be reached at {self._client.base_url}: {type(error).__name__}"
            ) from None
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
            raise ModelAnswerError(
                f"{self.name} gave an answer that cannot be read; is {self._client.base_url} the "
                f"address of an OpenAI-compatible endpoint? ({type(error).__name__})"
            ) from None

    def _failure(self, status: int, error: Any) -> ModelError:
        if status in (408, 409, 429) or status >= 500:
            return ModelUnavailableError(f"{self.name} is overloaded or fails (HTTP {status})")
        kind = _RefusedError if status in REFUSES_THE_REQUEST else ModelUnavailableError
        reason = str(getattr(error, "code", None) or getattr(error, "type", None))
        told = f", {reason}" if SAFE_REASON.fullmatch(reason) else ""
        return kind(
            f"{self.name} refuses the request (HTTP {status}{told}); check the model's name, "
            "OPENAI_API_KEY and OPENAI_BASE_URL",
            retryable=False,
        )


def _client(base_url: str | None, api_key: str | None, timeout: float, max_retries: int) -> OpenAI:
    try:
        from openai import OpenAI  # noqa: PLC0415 (an extra, and slow to load)
    except ImportError as error:
        raise MissingPackageError(
            "the package openai is not installed: run `pip install 'graphmem[openai]'`"
        ) from error
    base_url = base_url or os.environ.get("OPENAI_BASE_URL") or None
    api_key = api_key or os.environ.get("OPENAI_API_KEY") or None
    if api_key is None and base_url is None:
        raise InvalidInputError(
            "OpenAI's embeddings need a key: set OPENAI_API_KEY, or OPENAI_BASE_URL to an endpoint "
            "of your own"
        )
    return OpenAI(
        base_url=base_url, api_key=api_key or "none", timeout=timeout, max_retries=max_retries
    )
