"""What graphmem takes and returns: frozen pydantic models named by the words of the design."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_camel

from graphmem._errors import InvalidInputError
from graphmem._text import checked_id, clean_text, entity_key, raw_literal

Id = Annotated[str, AfterValidator(checked_id)]
Text = Annotated[
    str, BeforeValidator(lambda value: clean_text(value) if isinstance(value, str) else value)
]
Label = Annotated[Text, Field(pattern=r"\S")]
"""A text that is not blank."""
Kind = Literal["fact", "relation", "summary", "insight", "same_as", "invalidation", "credit"]
"""The kinds of record."""
CLAIMS: tuple[Kind, ...] = ("fact", "relation", "summary", "insight")
"""The kinds that say something: what is listed, recalled and corrected."""
How = Literal["edit", "regenerate"]
"""How a turn came to replace another."""
Scope = Literal["path", "space"]
"""``path``: the anchor's path. ``space``: that, and the heads of the space's other trees."""

Scalar = str | bool | int | float | datetime
_PROPERTY_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_LARGEST_INTEGER = 2**63 - 1


def _as_utc(value: datetime | None) -> datetime | None:
    if value is None:
        return None
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"the time {value} has no counterpart in UTC") from None


Time = Annotated[datetime | None, AfterValidator(_as_utc)]
"""An instant, kept in UTC. A time without a zone is taken as UTC."""
Share = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
"""A part of one: a credit share, a discount, a confidence."""


class Model(BaseModel):
    """Base of every model: frozen, camelCase on the graph's side, one typed error for bad input."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
    )

    def __init__(self, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise InvalidInputError(_readable(type(self).__name__, data, error)) from error

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Show what differs from the defaults; the rest is noise in a list of facts."""
        fields = type(self).model_fields
        return (
            (name, value)
            for name, value in super().__repr_args__()
            if name not in fields or value != fields[name].get_default(call_default_factory=True)
        )


def _readable(model: str, data: dict[str, Any], error: ValidationError) -> str:
    name = f"{model.lower()} {data['id']!r}" if data.get("id") else f"a {model.lower()}"
    problems = "; ".join(
        f"{'.'.join(str(step) for step in problem['loc']) or 'value'}: "
        + problem["msg"].removeprefix("Value error, ")
        for problem in error.errors()
    )
    return f"{name} cannot be stored: {problems}"


class Turn(Model):
    """One message as its host stored it. Immutable: same id, same content.

    ``parent`` is the turn it follows (None: a root), ``replaces`` the turn it is an edit or a
    regeneration of. ``created_at`` is kept in UTC; order never comes from it. ``properties`` are
    the host's own scalars or lists of scalars; in the graph they carry the prefix ``x_``.
    ``credit_share`` says how much of an outcome is this turn's own doing: the α of `Memory.reward`,
    0 to 1; left out it counts as 0.

    >>> Turn(id="u1", role="user", text="I'm moving to Chengdu.").parent is None
    True
    """

    id: Id
    role: Annotated[Text, Field(min_length=1, max_length=64)]
    text: Text
    parent: Id | None = None
    replaces: Id | None = None
    how: How | None = None
    conversation: Id | None = None
    created_at: Time = None
    properties: dict[str, Scalar | list[Scalar]] = Field(default_factory=dict)
    credit_share: Share | None = None
    raw_text: Text | None = None
    """The text as it came, as a JSON literal, where half a surrogate pair had to be replaced."""

    @model_validator(mode="before")
    @classmethod
    def _keep_raw_text(cls, data: Any) -> Any:
        text = data.get("text") if isinstance(data, dict) else None
        if not isinstance(text, str) or text.isascii() or (cleaned := clean_text(text)) == text:
            return data
        return {**data, "rawText": raw_literal(text, cleaned)}

    @field_validator("properties", mode="before")
    @classmethod
    def _clean_properties(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {
            name: _clean_property(name, item) for name, item in value.items() if item is not None
        }

    @model_validator(mode="after")
    def _check_links(self) -> Self:
        if self.parent == self.id:
            raise ValueError("a turn cannot be its own parent")
        if self.replaces == self.id:
            raise ValueError("a turn cannot replace itself")
        if self.how and not self.replaces:
            raise ValueError("'how' says how a turn replaces another; name that turn in 'replaces'")
        if self.replaces and not self.how:
            object.__setattr__(self, "how", "edit" if self.role == "user" else "regenerate")
        return self


def _clean_property(name: Any, value: Any) -> Any:
    if not isinstance(name, str) or not _PROPERTY_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no property name; use letters, digits and _ (at most 64)")
    if isinstance(value, list | tuple):
        items = [_clean_property(name, item) for item in value]
        if len({type(item) for item in items}) > 1 or any(isinstance(item, list) for item in items):
            raise ValueError(f"the list {name!r} mixes types; a graph property holds one type")
        return items
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
        raise ValueError(f"{name!r} is larger than 64 bits; store it as text")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name!r} is not a finite number")
    if isinstance(value, datetime):
        return _as_utc(value)
    if isinstance(value, bool | int | float):
        return value
    raise ValueError(f"{name!r} is a {type(value).__name__}; use text, numbers, booleans or times")


class Source(Model):
    """A turn (or a record, whose turns are then meant) that a record was derived from.

    ``quote`` is the passage in the turn's text, ``start`` and ``end`` its offsets in characters.
    """

    turn: Id | None = None
    record: Id | None = None
    quote: Text | None = None
    start: Annotated[int | None, Field(ge=0, le=_LARGEST_INTEGER)] = None
    end: Annotated[int | None, Field(ge=0, le=_LARGEST_INTEGER)] = None

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.turn is None) == (self.record is None):
            raise ValueError("a source names either a turn or a record")
        if self.start is not None and self.end is not None and self.end < self.start:
            raise ValueError("a source's span ends before it starts")
        return self


class Mention(Model):
    """An entity as a record names it: ``name`` as written, and what it is, if that is known.

    Two mentions are of one entity when their ``key`` is the same: names are compared without regard
    to case, width and space, and a ``type`` keeps apart what shares a name.

    >>> Mention(name="Neo4j").key == Mention(name="NEO4J ").key
    True
    >>> Mention(name="Neo", type="person").key
    'neo (person)'
    """

    name: Annotated[Text, Field(min_length=1)]
    type: Text | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not any(map(str.isalnum, self.name)):
            raise ValueError(f"{self.name!r} names nothing; use letters or digits")
        return self

    @property
    def key(self) -> str:
        """What identifies the entity in its space."""
        return entity_key(self.name, self.type)


class Record(Model):
    """Anything derived from turns, as stored: a fact, a relation, a summary, an invalidation.

    ``sources`` are turns only; those of the records it was built from are among them. A relation
    (and a ``same_as``) has ``subject`` and ``object``, a relation also its ``predicate``. An
    invalidation has no text, but the records that it ``invalidates`` and maybe one that they are
    ``replaced_by``. ``unreachable`` says that its sources lie on two branches, so that no anchor
    will ever show it.
    """

    id: Id
    kind: Kind
    text: Text
    sources: tuple[Source, ...]
    built_from: tuple[Id, ...] = ()
    mentions: tuple[Mention, ...] = ()
    subject: Mention | None = None
    predicate: Text | None = None
    object: Mention | None = None
    invalidates: tuple[Id, ...] = ()
    replaced_by: Id | None = None
    unreachable: bool = False


class Invalidated(Model):
    """By which invalidation a record no longer holds: the turns that say so, and what does hold."""

    id: Id
    sources: tuple[Id, ...]
    replaced_by: Id | None = None
    text: Text | None = None
    """What the replacement says."""


class Claim(Model):
    """A record as seen from an anchor, equal claims collapsed into one.

    ``supports`` counts the records that make the claim here; ``records`` are their ids and ``id``
    is the first. ``sources`` are the turns of all of them, along the path. A claim is ``current``
    while one of its records is; else ``invalidated`` says by what.
    """

    id: Id
    kind: Kind
    text: Text
    supports: int
    records: tuple[Id, ...]
    sources: tuple[Source, ...]
    mentions: tuple[Mention, ...] = ()
    current: bool = True
    invalidated: tuple[Invalidated, ...] = ()


class Insight(Model):
    """The newest current version of an insight at an anchor.

    ``id`` is that of all its versions. ``sources`` are the turns that this version is derived from,
    ``support`` is the number of different questions that its live evidence belongs to (`evidence`
    lists it), ``records`` are the versions that can be seen, this one first. ``unreachable`` says
    that the evidence lies on two branches, so that no anchor will ever show this version.
    """

    id: Id
    label: Label
    body: Label
    kind: Label
    confidence: Share
    version: int
    sources: tuple[Id, ...]
    support: int
    records: tuple[Id, ...]
    unreachable: bool = False


class Correction(Model):
    """What `correct` or `retract` stored: an invalidation ``id``, derived from ``sources``.

    ``invalidates`` are the records that no longer hold wherever it is visible: those that were
    named and those that made the same claim there. ``replacement`` is what holds instead.
    """

    id: Id
    invalidates: tuple[Id, ...]
    replacement: Record | None
    sources: tuple[Source, ...]
    unreachable: bool = False


ReasonCode = Literal[
    "off_path", "awaited", "revoked", "purged", "lost", "other_space", "no_source", "no_anchor"
]


class Reason(Model):
    """Why one source hides a record at an anchor.

    - ``off_path``: the turn is not on the anchor's path. ``fork`` is the last turn that both paths
      share (the anchor itself when the source comes after it), None when they are of different
      trees.
    - ``awaited``: the turn has not arrived yet.
    - ``revoked``: the turn, or (as ``record``) a record it is or is built from, was revoked.
    - ``purged``: the record, or a turn or (as ``record``) a record it came from, was purged.
    - ``lost``: the turn, or the link to it, is gone from the graph.
    - ``other_space``: the link leads to another space.
    - ``no_source``: the record has none (only the graph's owner can make one, by hand).
    - ``no_anchor``: the view has none, so it shows nothing.
    """

    code: ReasonCode
    source: Id | None = None
    record: Id | None = None
    fork: Id | None = None


class Evidence(Model):
    """A turn that an insight ever cited, seen from an anchor.

    It is ``live`` when it lies on the anchor's path and is not hidden, else ``revoked``, and
    ``reason`` says why. ``versions`` are those that cite it, ``question`` is the turn of the user
    that it belongs to (None for a turn that no question leads to).
    """

    turn: Id
    status: Literal["live", "revoked"]
    versions: tuple[int, ...]
    question: Id | None
    reason: Reason | None = None


class Explanation(Model):
    """Whether a record is visible at an anchor, and if not, one reason per source that hides it.

    A visible one is ``current`` unless it is ``invalidated`` there.
    """

    record: Id
    anchor: Id | None
    visible: bool
    current: bool = False
    invalidated: tuple[Invalidated, ...] = ()
    reasons: tuple[Reason, ...] = ()
    unreachable: bool = False


class Difference(Model):
    """What two anchors do not share: the claims current at one and not at the other."""

    fork: Id | None
    only_a: tuple[Claim, ...]
    only_b: tuple[Claim, ...]


class Branch(Model):
    """One leaf of a conversation, the turn where it leaves the others, and its length since."""

    leaf: Id
    fork: Id | None
    turns: int
    head: bool


class Space(Model):
    """The tenant boundary: one user, team or agent."""

    id: Id


class Conversation(Model):
    """A chat as its host keeps it. ``head`` is the leaf that the host shows, if it named one."""

    id: Id
    title: Text | None = None
    created_at: Time = None
    head: Id | None = None


class Tree(Conversation):
    """A conversation with all its turns, every parent before its children.

    ``id`` is None for the turns of the space that belong to no conversation.
    """

    id: Id | None  # type: ignore[assignment]
    turns: tuple[Turn, ...]
    awaited: tuple[Id, ...] = ()
    """Turns that others name and that have not arrived."""
    revoked: tuple[Id, ...] = ()
    """Those of ``turns`` that are hidden until they are restored."""
    purged: tuple[Id, ...] = ()
    """Those of ``turns`` of which no more than the place is left: no role, no text."""


class Stored(Model):
    """What a batch of turns did: how many are new, how many were there already.

    ``awaited`` are the turns that the new ones name and that have not arrived.
    """

    new: int
    known: int
    awaited: tuple[Id, ...] = ()
