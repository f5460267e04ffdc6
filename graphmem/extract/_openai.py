"""Extraction by a model at an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import ValidationError

from graphmem._models import Id, Mention, Source
from graphmem.extract._answer import (
    FACT,
    RELATION,
    RETRACTION,
    SAME_AS,
    Answer,
    AnsweredMention,
    Items,
    read_answer,
)
from graphmem.extract._chat import Chat, Message
from graphmem.extract._offer import Offer
from graphmem.extract._prompts import prompt
from graphmem.extract._reading import (
    ExtractedFact,
    ExtractedRelation,
    ExtractedSameAs,
    Extraction,
    Reading,
    Retraction,
    readable,
    same_words,
)

if TYPE_CHECKING:
    from openai import OpenAI

T = TypeVar("T")


class OpenAIExtractor:
    """Asks a model what a turn says. Turns of neither user nor assistant are not sent.

    The arguments are those of `Chat`. An item of the answer is dropped, and the reason kept in
    ``rejected``, when it cites what was not offered, lacks a part, names nothing, or is an
    assistant's echo of a claim; a quote that is not in its turn is dropped alone.
    """

    name = "openai"

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
    def model(self) -> str:
        """The model that is asked."""
        return self._chat.model

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections, unless the client was given."""
        self._chat.close()

    def extract(self, reading: Reading) -> Extraction:
        """Return what the turn says. Errors: those of `Chat.ask_and_read`."""
        if not readable(reading.turn).strip():
            return Extraction()
        offer = Offer(reading)
        answer = self._chat.ask_and_read(_messages(offer), read_answer, Answer)
        return _Reader(reading, offer).extraction(answer)


def _messages(offer: Offer) -> list[Message]:
    asked = prompt("turn", turn=offer.read, data=offer.data())
    return [
        {"role": "system", "content": prompt("extract")},
        {"role": "user", "content": asked},
    ]


class _Reader:
    """Reads the items of an answer one by one, and keeps why one could not be."""

    def __init__(self, reading: Reading, offer: Offer) -> None:
        self._reading = reading
        self._offer = offer
        self._rejected: list[str] = []

    def extraction(self, items: Items) -> Extraction:
        return Extraction(
            facts=self._kept(items, "facts", self._fact),
            relations=self._kept(items, "relations", self._relation),
            same_as=self._kept(items, "same_as", self._same_as),
            retractions=self._kept(items, "retractions", self._retraction),
            rejected=tuple(self._rejected),
        )

    def _kept(
        self, items: Items, name: str, read: Callable[[Any], tuple[Hashable, T]]
    ) -> tuple[T, ...]:
        """Return the items that can be read; of those that say the same, the first."""
        kept: dict[Hashable, T] = {}
        for place, item in enumerate(items.get(name, ())):
            try:
                key, extracted = read(item)
            except ValueError as error:
                self._rejected.append(f"{name}[{place}]: {_reason(error)}")
            else:
                kept.setdefault(key, extracted)
        return tuple(kept.values())

    def _fact(self, item: Any) -> tuple[Hashable, ExtractedFact]:
        answered = FACT.validate_python(item)
        fact = ExtractedFact(
            text=self._news(answered.text),
            sources=self._offer.sources(answered.sources),
            mentions=_distinct(answered.mentions),
            supersedes=self._offer.claim_ids(answered.supersedes),
        )
        return (same_words(fact.text), _turns(fact.sources), fact.supersedes), fact

    def _relation(self, item: Any) -> tuple[Hashable, ExtractedRelation]:
        answered = RELATION.validate_python(item)
        subject, object_ = _mention(answered.subject), _mention(answered.object)
        predicate = _words(answered.predicate, "predicate")
        text = answered.text.strip() or f"{subject.name} {predicate} {object_.name}"
        relation = ExtractedRelation(
            subject=subject,
            predicate=predicate,
            object=object_,
            text=self._news(text),
            sources=self._offer.sources(answered.sources),
            supersedes=self._offer.claim_ids(answered.supersedes),
        )
        ends = subject.key, same_words(predicate), object_.key
        return (ends, _turns(relation.sources), relation.supersedes), relation

    def _same_as(self, item: Any) -> tuple[Hashable, ExtractedSameAs]:
        answered = SAME_AS.validate_python(item)
        same = ExtractedSameAs(
            a=_mention(answered.a),
            b=_mention(answered.b),
            sources=self._offer.sources(answered.sources),
        )
        if same.a.key == same.b.key:
            raise ValueError("says of one name that it is the same as itself")
        return (frozenset((same.a.key, same.b.key)), _turns(same.sources)), same

    def _retraction(self, item: Any) -> tuple[Hashable, Retraction]:
        answered = RETRACTION.validate_python(item)
        (claim,) = self._offer.claim_ids([answered.claim])
        retraction = Retraction(claim=claim, sources=self._offer.sources(answered.sources))
        return (claim, _turns(retraction.sources)), retraction

    def _news(self, text: str) -> str:
        """Return the text of a claim, or raise ValueError when it says nothing, or nothing new."""
        words = _words(text, "text")
        if echo := self._reading.echoes(words):
            raise ValueError(f"only repeats claim {echo.id!r}")
        return words


def _words(text: str, what: str) -> str:
    if not any(map(str.isalnum, text)):
        raise ValueError(f"its {what} says nothing")
    return text.strip()


def _mention(answered: AnsweredMention) -> Mention:
    if not any(map(str.isalnum, answered.name)):
        raise ValueError("mentions what names nothing")
    return Mention(name=answered.name.strip(), type=(answered.type or "").strip() or None)


def _distinct(answered: Iterable[AnsweredMention]) -> tuple[Mention, ...]:
    named = [_mention(mention) for mention in answered]
    return tuple({mention.key: mention for mention in reversed(named)}.values())[::-1]


def _turns(sources: Iterable[Source]) -> tuple[Id | None, ...]:
    return tuple(source.turn for source in sources)


def _reason(error: ValueError) -> str:
    """Return what is wrong with an item, without what it holds."""
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'item'}: {first['msg']}"
