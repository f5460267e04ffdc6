"""Summaries by a model at an OpenAI-compatible endpoint."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from pydantic import BaseModel, ConfigDict

from graphmem.extract import Chat, Message
from graphmem.extract._json import json_values
from graphmem.extract._prompts import prompt

if TYPE_CHECKING:
    from openai import OpenAI

LONGEST = 8_000
"""Characters of one text that a model is shown: of a longer one the two ends, half each."""


class Answer(BaseModel):
    """The answer that a model is asked for. Half of one is not JSON, so it is known as such."""

    model_config = ConfigDict(json_schema_extra={"additionalProperties": False})

    summary: str


class OpenAISummariser:
    """Asks a model to sum texts up. The arguments are those of `Chat`.

    Of a text of more than 8,000 characters the model is shown the first and the last 4,000.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        client: OpenAI | None = None,
        max_retries: int = 2,
        timeout: float = 60.0,
    ) -> None:
        self._chat = Chat(
            model,
            base_url=base_url,
            api_key=api_key,
            client=client,
            max_retries=max_retries,
            timeout=timeout,
        )

    @property
    def name(self) -> str:
        """What it is called: what another model says is another summary."""
        return f"openai:{self._chat.model}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, unless the client was given."""
        self._chat.close()

    def summarise(self, texts: Sequence[str]) -> str:
        """Return the model's summary. Errors: those of `Chat.ask_and_read`."""
        if not any(text.strip() for text in texts):
            return ""
        return self._chat.ask_and_read(_messages(texts), _read, Answer)


def _messages(texts: Sequence[str]) -> list[Message]:
    shown = [_shortened(text.strip()) for text in texts]
    data = json.dumps(shown, ensure_ascii=False, indent=1).replace("<", "\\u003c")
    return [
        {"role": "system", "content": prompt("summarise")},
        {"role": "user", "content": prompt("part", data=data)},
    ]


def _shortened(text: str) -> str:
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} […] {text[-half:]}"


def _read(answer: str) -> str:
    """Return the summary of an answer, or raise ValueError, in words for the model."""
    objects = [value for value in json_values(answer) if isinstance(value, dict)]
    found = [value["summary"] for value in objects if isinstance(value.get("summary"), str)]
    if len(found) != 1 or not found[0].strip():
        raise ValueError('it is not one JSON object with a text as its "summary"')
    return str(found[0]).strip()
