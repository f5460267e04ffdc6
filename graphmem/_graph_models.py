"""What is read from the graph of entities: frozen models, gated in every part."""

from __future__ import annotations

from typing import Literal

from graphmem._models import Id, Kind, Mention, Model, Source, Text, Time

Direction = Literal["out", "in", "loop"]
"""``out``: from subject to object. ``in``: against it. ``loop``: both ends are the same entity."""


class Entity(Model):
    """What visible records mention, under whatever names; joined where a ``same_as`` is current.

    ``names`` are spelt as the records spell them, like ``types`` the most used first. ``records``
    counts the current records that mention it: none, when all that did were corrected. ``key`` is
    the key most often mentioned among ``keys``.
    """

    key: str
    keys: tuple[str, ...]
    names: tuple[str, ...]
    types: tuple[str, ...] = ()
    records: int = 0


class Edge(Model):
    """A current relation, seen from one of its ends; equal ones collapsed into one.

    Relations are equal when subject, predicate and object are. ``supports`` counts those made from
    other turns, ``records`` are their ids and ``id`` is the one nearest to the anchor, whose text
    and names are given. ``direction`` says how the edge is met from the entity that was asked for,
    or in a path from the entity before.
    """

    id: Id
    subject: Mention
    predicate: Text
    object: Mention
    text: Text
    direction: Direction
    supports: int
    records: tuple[Id, ...]
    sources: tuple[Source, ...]


class GraphPath(Model):
    """A chain of current relations from one entity to another, the first edge at the first."""

    edges: tuple[Edge, ...]

    def __str__(self) -> str:
        """Draw the chain, each edge by its arrow: ``(Ira)-[leads]->(Helix)``."""
        return " ".join(map(_drawn, self.edges))


def _drawn(edge: Edge) -> str:
    subject, object = edge.subject.name, edge.object.name
    if edge.direction == "in":
        return f"({object})<-[{edge.predicate}]-({subject})"
    return f"({subject})-[{edge.predicate}]->({object})"


class Moment(Model):
    """A claim for as long as it held on the path: ``since`` one turn, ``until`` another.

    ``since`` is the last turn it was derived from and ``since_at`` that turn's time, where known.
    ``until`` is the turn that corrected or retracted it, None while it holds; ``replaced_by`` the
    record that holds instead and ``replacement`` what that says. ``records`` are all that made the
    claim and fell with it, and ``record`` is the first of them.
    """

    text: Text
    record: Id
    records: tuple[Id, ...]
    kind: Kind
    since: Id
    since_at: Time = None
    until: Id | None = None
    replaced_by: Id | None = None
    replacement: Text | None = None
