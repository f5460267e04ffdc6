"""Asking a model at an OpenAI-compatible endpoint, with every failure as a `ModelError`."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, TypeVar, cast
from urllib.parse import urlsplit

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from graphmem._errors import (
    InvalidInputError,
    MissingPackageError,
    ModelAnswerError,
    ModelUnavailableError,
)
from graphmem.extract._prompts import prompt

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI, OpenAIError
    from openai.types.chat import ChatCompletion, ChatCompletionMessageParam

DEFAULT_MODEL = "gpt-5-mini"
"""The model that is asked when neither a setting nor ``GRAPHMEM_MODEL`` names one."""

_FORMS = ("json_schema", "json_object", "none")
_REFUSED_FORM = re.compile(r"response_?format|json_?schema|json_?object|structured.?output", re.I)
_SAFE_CODE = re.compile(r"[a-z][a-z_]{2,39}")
_logger = logging.getLogger(__name__)

T = TypeVar("T")


class Message(TypedDict):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


class Chat:
    """A model to ask, at any endpoint that speaks OpenAI's chat completions.

    ``model`` defaults to ``GRAPHMEM_MODEL``, then to `DEFAULT_MODEL`; ``base_url`` to
    ``OPENAI_BASE_URL``, then to OpenAI; ``api_key`` to ``OPENAI_API_KEY``. An endpoint of one's own
    needs no key. ``max_retries`` counts the attempts after the first where the endpoint is not
    reached, overloaded or failing (it may say when, by ``Retry-After``); ``timeout`` is in seconds,
    for each. A ``client`` of one's own brings its address, key, retries and timeout along, and is
    not closed here.

    Errors: `MissingPackageError`; `InvalidInputError` without a key.
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
        self._openai = _package()
        self.model = model or os.environ.get("GRAPHMEM_MODEL") or DEFAULT_MODEL
        self._owned = client is None
        self._client: OpenAI = client or self._openai.OpenAI(
            max_retries=max_retries, timeout=timeout, **_account(base_url, api_key)
        )
        self._form = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, unless the client was given."""
        if self._owned:
            self._client.close()

    def ask(self, messages: Sequence[Message], schema: type[BaseModel] | None = None) -> str:
        """Return the model's answer, complete; with ``schema``, JSON that should be of its shape.

        An endpoint that refuses a ``response_format`` is asked without, then and from then on: the
        messages must say what to answer in any case. Errors: `ModelUnavailableError`, and
        `ModelAnswerError` when the answer was cut off or declined.
        """
        return self._whole_answer(self._complete(messages, schema))

    def ask_and_read(
        self,
        messages: Sequence[Message],
        read: Callable[[str], T],
        schema: type[BaseModel] | None = None,
    ) -> T:
        """Return what ``read`` makes of the answer, asking once more when it raises ValueError.

        The model is told the error's message. Errors: those of `ask`; `ModelAnswerError` when the
        second answer cannot be read either.
        """
        answer = self.ask(messages, schema)
        try:
            return read(answer)
        except ValueError as error:
            again = _asked_again(messages, answer, str(error))
        try:
            return read(self.ask(again, schema))
        except ValueError as error:
            raise ModelAnswerError(
                f"{self.model} gave two answers that cannot be read ({error}); try again, or use "
                "another model"
            ) from None

    def _complete(
        self, messages: Sequence[Message], schema: type[BaseModel] | None
    ) -> ChatCompletion:
        form = self._form
        told = cast("list[ChatCompletionMessageParam]", list(messages))
        try:
            completion: ChatCompletion = self._client.chat.completions.create(
                model=self.model, messages=told, **_response_format(form, schema)
            )
            return completion
        except self._openai.OpenAIError as error:
            if not (schema and form < len(_FORMS) - 1 and self._refuses_form(error)):
                raise self._unavailable(error) from None
        except ValueError:
            raise self._no_chat() from None
        self._form = max(self._form, form + 1)
        _logger.info("%s takes no %s, so it is asked without", self.model, _FORMS[form])
        return self._complete(messages, schema)

    def _refuses_form(self, error: OpenAIError) -> bool:
        if not isinstance(error, self._openai.APIStatusError):
            return False
        said: APIStatusError = error
        return said.status_code in (400, 422) and bool(
            _REFUSED_FORM.search(f"{said.message} {said.body}")
        )

    def _whole_answer(self, completion: ChatCompletion) -> str:
        if not isinstance(completion, BaseModel):
            raise self._no_chat()
        if not completion.choices:
            raise ModelAnswerError(f"{self.model} gave no answer; try again")
        choice = completion.choices[0]
        if choice.finish_reason == "length":
            raise ModelAnswerError(
                f"{self.model}'s answer was cut off at its length limit, and half an answer is not "
                "used; raise the endpoint's limit, or use another model"
            )
        if choice.finish_reason == "content_filter" or getattr(choice.message, "refusal", None):
            raise ModelAnswerError(f"{self.model} declined to answer; use another model")
        content: object = choice.message.content if choice.message else None
        return content if isinstance(content, str) else ""

    def _unavailable(self, error: OpenAIError) -> ModelUnavailableError:
        """Return the error without what the endpoint said: that may quote the key or the turns."""
        api = self._openai
        if isinstance(error, api.APITimeoutError):
            return self._failed("did not answer in time; try later, or raise the timeout")
        if isinstance(error, api.APIConnectionError):
            return self._failed("is not reached; check base_url and that it runs")
        if not isinstance(error, api.APIStatusError):
            return self._no_chat()
        said: APIStatusError = error
        code = said.code if isinstance(said.code, str) and _SAFE_CODE.fullmatch(said.code) else ""
        what = f"answered {said.status_code}" + (f" ({code})" if code else "")
        retryable = said.status_code in (408, 409, 429) or said.status_code >= 500
        advice = "try later" if retryable else _ADVICE.get(said.status_code, _ADVICE[400])
        return self._failed(f"{what}; {advice}", retryable=retryable)

    def _no_chat(self) -> ModelUnavailableError:
        return self._failed(
            "does not answer as a chat endpoint does; check base_url (it often ends in /v1) and "
            "the key",
            retryable=False,
        )

    def _failed(self, what: str, *, retryable: bool = True) -> ModelUnavailableError:
        host = urlsplit(str(self._client.base_url)).hostname
        return ModelUnavailableError(
            f"the endpoint of {self.model} at {host} {what}", retryable=retryable
        )


_ADVICE: Mapping[int, str] = {
    400: "it refuses the request; check the model's name and what it can do",
    401: "check the key (OPENAI_API_KEY)",
    403: "check the key (OPENAI_API_KEY) and what it is allowed to use",
    404: "check the model's name and base_url (it often ends in /v1)",
}


class StrictSchema(GenerateJsonSchema):
    """JSON Schema as structured output takes it: it knows no defaults."""

    def default_schema(self, schema: Any) -> dict[str, Any]:
        """Return the schema of a field without its default."""
        return self.generate_inner(schema["schema"])


def _response_format(form: int, schema: type[BaseModel] | None) -> dict[str, Any]:
    if schema is None or _FORMS[form] == "none":
        return {}
    if _FORMS[form] == "json_object":
        return {"response_format": {"type": "json_object"}}
    # As it is written out, a model has all its fields, as strict output wants them required.
    shape = schema.model_json_schema(mode="serialization", schema_generator=StrictSchema)
    named = {"name": schema.__name__.lower(), "strict": True, "schema": shape}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def _asked_again(messages: Sequence[Message], answer: str, problem: str) -> list[Message]:
    """Return the prompt with the answer and what was wrong with it. Empty messages are refused."""
    said: list[Message] = [{"role": "assistant", "content": answer}] if answer.strip() else []
    told: Message = {"role": "user", "content": prompt("again", problem=problem)}
    return [*messages, *said, told]


def _account(base_url: str | None, api_key: str | None) -> dict[str, str | None]:
    address = base_url or os.environ.get("OPENAI_BASE_URL") or None
    key = (api_key or os.environ.get("OPENAI_API_KEY") or "").strip()
    if not key and not address:
        raise InvalidInputError(
            "OpenAI needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint"
        )
    return {"base_url": address, "api_key": key or "none"}


def _package() -> ModuleType:
    try:
        import openai  # noqa: PLC0415 (optional)
    except ImportError:
        raise MissingPackageError(
            "asking a model needs the package openai; run pip install 'graphmem[openai]'"
        ) from None
    return openai
