"""The answer that a model is asked for, and what it is taken for when it looks otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    AliasChoices,
    AliasGenerator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
)

from graphmem.extract._json import json_values

SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "facts": ("claims", "memories", "statements"),
    "relations": ("relationships", "edges", "triples"),
    "same_as": ("sameAs", "aliases"),
    "retractions": ("retracts", "retracted"),
    "text": ("fact", "content", "statement", "sentence"),
    "sources": ("source", "source_ids", "sourceIds", "source_id", "turns", "turn_ids"),
    "mentions": ("entities", "names"),
    "supersedes": ("superseded", "replaces", "corrects", "invalidates"),
    "turn": ("turn_id", "turnId", "id", "source"),
    "quote": ("text", "passage", "span"),
    "name": ("entity", "label"),
    "type": ("kind", "category"),
    "subject": ("from", "head"),
    "predicate": ("relation", "relationship", "verb"),
    "object": ("to", "tail"),
    "claim": ("record", "id", "retracts"),
    "a": ("first", "name"),
    "b": ("second", "alias"),
}
"""Other names that models give our fields. Our own comes first where an item has several."""


def _names(field: str) -> AliasChoices:
    return AliasChoices(field, *SYNONYMS.get(field, ()))


def _as_list(value: Any) -> Any:
    if value is None or value == "":
        return []
    return value if isinstance(value, list) else [value]


def _named(field: str) -> BeforeValidator:
    return BeforeValidator(lambda value: {field: value} if isinstance(value, str) else value)


_Listed = BeforeValidator(_as_list)


class _Answered(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        alias_generator=AliasGenerator(validation_alias=_names),
        json_schema_serialization_defaults_required=True,
        json_schema_extra={"additionalProperties": False},
    )


class AnsweredSource(_Answered):
    """A turn that an item was taken from."""

    turn: str
    quote: str | None = None


class AnsweredMention(_Answered):
    """A name, and what it is the name of."""

    name: str
    type: str | None = None


_Source = Annotated[AnsweredSource, _named("turn")]
_Mention = Annotated[AnsweredMention, _named("name")]
_Sources = Annotated[list[_Source], _Listed]
_Mentions = Annotated[list[_Mention], _Listed]
_Claims = Annotated[list[str], _Listed]


class AnsweredFact(_Answered):
    """A statement of the turn."""

    text: str
    sources: _Sources = Field(default_factory=list)
    mentions: _Mentions = Field(default_factory=list)
    supersedes: _Claims = Field(default_factory=list)


class AnsweredRelation(_Answered):
    """A statement of the turn that joins two named things."""

    subject: _Mention
    predicate: str
    object: _Mention
    text: str = ""
    sources: _Sources = Field(default_factory=list)
    supersedes: _Claims = Field(default_factory=list)


class AnsweredSameAs(_Answered):
    """Two names of one thing."""

    a: _Mention
    b: _Mention
    sources: _Sources = Field(default_factory=list)


class AnsweredRetraction(_Answered):
    """A known claim that the turn takes back."""

    claim: str
    sources: _Sources = Field(default_factory=list)


_Fact = Annotated[AnsweredFact, _named("text")]
_Retraction = Annotated[AnsweredRetraction, _named("claim")]


class Answer(_Answered):
    """What a turn says."""

    facts: list[_Fact] = Field(default_factory=list)
    relations: list[AnsweredRelation] = Field(default_factory=list)
    same_as: list[AnsweredSameAs] = Field(default_factory=list)
    retractions: list[_Retraction] = Field(default_factory=list)


class _Items(_Answered):
    """An answer whose items are not looked at yet, so that a bad one spoils no other."""

    facts: Annotated[list[Any], _Listed] = Field(default_factory=list)
    relations: Annotated[list[Any], _Listed] = Field(default_factory=list)
    same_as: Annotated[list[Any], _Listed] = Field(default_factory=list)
    retractions: Annotated[list[Any], _Listed] = Field(default_factory=list)


Items = dict[str, list[Any]]
FACT: TypeAdapter[AnsweredFact] = TypeAdapter(_Fact)
RELATION: TypeAdapter[AnsweredRelation] = TypeAdapter(AnsweredRelation)
SAME_AS: TypeAdapter[AnsweredSameAs] = TypeAdapter(AnsweredSameAs)
RETRACTION: TypeAdapter[AnsweredRetraction] = TypeAdapter(_Retraction)


def read_answer(answer: str) -> Items:
    """Return the items of an answer, by field, as they came.

    The answer is one JSON object; a list is taken for the facts, and a lone fact for a list of one.
    Errors: ValueError, in words for the model, when there is none, or several, or half of one.
    """
    found = [items for value in json_values(answer) if (items := _items(value)) is not None]
    if not found:
        raise ValueError("it holds no JSON object with the lists facts, relations, …")
    if len(found) > 1:
        raise ValueError("it holds several JSON values instead of one object")
    return found[0]


def _items(value: Any) -> Items | None:
    """Return the items of what may be an answer. An empty object is one that says nothing."""
    if isinstance(value, list) and all(isinstance(item, dict | str) for item in value):
        return {"facts": value}
    if not isinstance(value, dict):
        return None
    if not value or _has(value, *Answer.model_fields):
        return _Items.model_validate(value).model_dump()
    return {"facts": [value]} if _has(value, "text") and _has(value, "sources") else None


def _has(value: dict[str, Any], *fields: str) -> bool:
    return any(name in value for field in fields for name in (field, *SYNONYMS[field]))
