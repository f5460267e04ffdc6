"""Entities, their neighbours, and the paths between them, as far as an anchor may see them.

An entity holds its key and no more. What it is called, what it is and what it is joined to come
from records that passed the gate; a walk looks at no other relation on its way.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from graphmem._claims import mention_of, sources_of
from graphmem._errors import InvalidInputError
from graphmem._gate import Gate
from graphmem._graph_models import Direction, Edge, Entity, GraphPath
from graphmem._models import Mention, Source, Time
from graphmem._text import clean_text, entity_key
from graphmem.store import Query, Row, Transaction, queries

# --- which entities there are


def entities(tx: Transaction, gate: Gate, query: str | None = None) -> list[Entity]:
    """Return the entities that visible records mention, those of most current records first.

    ``query`` keeps those with it in a name or a key, without regard to case, width and space; of
    a name longer than a key only the beginning is looked at.
    """
    rows = gate.rows(tx, gate.current().then(queries.entity.list))
    leaders = joined((row["key"], other) for row in rows for other in row["joined"])
    groups: dict[str, list[Row]] = {}
    for row in rows:
        key: str = row["key"]
        groups.setdefault(leaders.get(key, key), []).append(row)
    found = (_entity(same) for same in groups.values())
    wanted = entity_key(clean_text(query or ""))
    kept = [one for one in found if _has(one, wanted)]
    return sorted(kept, key=lambda one: (-one.records, one.key))


def _entity(rows: Sequence[Row]) -> Entity:
    names: Counter[str] = Counter()
    types: Counter[str] = Counter()
    for one in (name for row in rows for name in row["names"]):
        names[one["name"]] += one["times"]
        if one["type"]:
            types[one["type"]] += one["times"]
    first = sorted(rows, key=lambda row: (-row["records"], row["key"]))
    alone = len(rows) == 1  # else one record may mention several of them
    return Entity.model_construct(
        key=first[0]["key"],
        keys=tuple(row["key"] for row in first),
        names=_by_count(names),
        types=_by_count(types),
        records=rows[0]["records"] if alone else len({id for row in rows for id in row["ids"]}),
    )


def _by_count(counted: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted(counted, key=lambda name: (-counted[name], name)))


def _has(entity: Entity, wanted: str) -> bool:
    return any(wanted in key for key in (*entity.keys, *map(entity_key, entity.names)))


def joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return for each of the keys that pairs make one, directly or not, the same one of them.

    >>> len(set(joined([("a", "b"), ("c", "d"), ("d", "a")]).values()))
    1
    """
    leaders: dict[str, str] = {}

    def leader(key: str) -> str:
        while (above := leaders.setdefault(key, key)) != key:
            leaders[key] = leaders[above]  # halves the way for those who come after
            key = above
        return key

    for a, b in pairs:
        leaders[leader(a)] = leader(b)
    return {key: leader(key) for key in list(leaders)}


# --- which entities a name stands for

_KEY_PREFIX = 200
"""Characters of a key that are the name's own, see `entity_key`."""


def named(tx: Transaction, gate: Gate, entity: str | Mention) -> set[str]:
    """Return the keys of the entities that a name or a key may stand for at the anchor.

    A name without a type stands also for the entities of any type that visible records call so.
    """
    if gate.anchor is None:
        return set()
    key, exact, typed = _looked_up(tx, gate.space, entity)
    if typed:
        query = _candidates(queries.entity.mentioning)
        rows = gate.rows(tx, gate.visible(query).then(queries.entity.called), keys=sorted(typed))
        typed = {row["key"] for row in rows if entity_key(row["name"]) == key}
    if not exact | typed:
        gate.require(tx)
    return exact | typed


def _looked_up(
    tx: Transaction, space: str, entity: str | Mention
) -> tuple[str, set[str], set[str]]:
    """Return the key of a name, and which keys there are: that one, and maybe those with a type.

    Nothing here is gated: it says where to look, not what may be shown.
    """
    key, exact, prefix = _asked(entity)
    rows = tx.run(queries.entity.found, space=space, keys=sorted(exact), prefix=prefix)
    found = {row["key"] for row in rows}
    return key, found & exact, found - exact


def _asked(entity: str | Mention) -> tuple[str, set[str], str | None]:
    """Return the key of a name, the keys it may be, and how the keys of its types would begin."""
    if isinstance(entity, Mention):
        return entity.key, {entity.key}, None if entity.type else _prefix(entity.key)
    name = clean_text(entity)
    key = entity_key(name)
    return key, {key, name}, _prefix(key) if key else None


def _prefix(key: str) -> str:
    return f"{key} ("[:_KEY_PREFIX]


def closed(tx: Transaction, gate: Gate, keys: Collection[str]) -> set[str]:
    """Return some entities' keys with those of all that they are joined to here."""
    return _around(tx, gate, keys, queries.entity.joins)[0]


def _candidates(start: Query) -> Query:
    return start.then(queries.gate.candidates)


def _around(
    tx: Transaction, gate: Gate, keys: Collection[str], start: Query
) -> tuple[set[str], list[Row]]:
    """Return entities with those they are joined to, and what ``start`` finds at them all.

    Only a join that is current here leads on, so that nothing is reached through a hidden one.
    """
    query = gate.current(_candidates(start)).then(queries.entity.edges)
    known: set[str] = set()
    rows: dict[str, Row] = {}
    new = set(keys)
    while new:
        known |= new
        found = gate.rows(tx, query, keys=sorted(new))
        rows |= {row["id"]: row for row in found}
        new = {key for pair in map(_ends, filter(_joins, found)) for key in pair} - known
    return known, list(rows.values())


def _joins(row: Row) -> bool:
    return bool(row["kind"] == "same_as")


def _ends(row: Row) -> tuple[str, str]:
    return row["subject"]["key"], row["object"]["key"]


# --- what is next to an entity


def neighbours(
    tx: Transaction, gate: Gate, entity: str | Mention, *, limit: int | None = None
) -> list[Edge]:
    """Return the current relations of an entity, those nearest to the anchor first.

    The entity is given by a name that visible records use, or by its key; those that it is joined
    to here count as it. One that is unknown or hidden has none. ``limit`` cuts what is visible.
    """
    _refuse_negative(limit=limit)
    keys, rows = _around(tx, gate, named(tx, gate, entity), queries.entity.relations)
    groups = _collapsed(nearest_first(tx, gate, rows))
    return [_edge(same, _direction(same, keys)) for same in groups[:limit]]


def _refuse_negative(**numbers: int | None) -> None:
    for name, number in numbers.items():
        if number is not None and number < 0:
            raise InvalidInputError(f"{name} is a count and cannot be {number}")


def _collapsed(rows: Iterable[Row]) -> list[list[Row]]:
    """Group relations with the same subject, predicate and object, in the order of the first."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if not _joins(row):
            subject, object = _ends(row)
            groups.setdefault((subject, row["predicate"], object), []).append(row)
    return list(groups.values())


def _direction(same: Sequence[Row], keys: Collection[str]) -> Direction:
    subject, object = _ends(same[0])
    if subject in keys:
        return "loop" if object in keys else "out"
    return "in"


def _edge(same: Sequence[Row], direction: Direction) -> Edge:
    first = same[0]
    sources: dict[str | None, Source] = {}
    for source in (source for row in same for source in sources_of(row)):
        sources.setdefault(source.turn, source)
    return Edge.model_construct(
        id=first["id"],
        subject=mention_of(first["subject"]),
        predicate=first["predicate"],
        object=mention_of(first["object"]),
        text=first["text"] or "",
        direction=direction,
        supports=len({frozenset(row["sourceIds"]) for row in same}),
        records=tuple(row["id"] for row in same),
        sources=tuple(sources.values()),
    )


# --- how one entity is connected to another

_Step = tuple[Direction, Sequence[Row]]


def paths(
    tx: Transaction,
    gate: Gate,
    a: str | Mention,
    b: str | Mention,
    *,
    longest: int = 4,
    limit: int = 100,
) -> list[GraphPath]:
    """Return all the shortest chains of current relations from one entity to another.

    A relation is walked in both directions. Chains have at most ``longest`` relations; there are
    often many of one length, and ``limit`` of them are returned. An entity has none to itself, or
    to one that it is joined to here. The walk goes out from ``a``, one gated query for each hop.
    """
    _refuse_negative(longest=longest, limit=limit)
    start = named(tx, gate, a)
    goal = closed(tx, gate, named(tx, gate, b)) if start else set()
    if not goal or start & goal:
        return []
    rows = _walked(tx, gate, start, goal, longest)
    web = _Web.of(nearest_first(tx, gate, rows))
    return [
        GraphPath.model_construct(edges=tuple(_edge(same, way) for way, same in chain))
        for chain in islice(web.chains(start, goal), limit)
    ]


def _walked(
    tx: Transaction, gate: Gate, start: set[str], goal: set[str], longest: int
) -> list[Row]:
    """Walk from hop to hop until the goal is met; return all that was met, or nothing."""
    rows: list[Row] = []
    known: set[str] = set()
    frontier = start
    for _ in range(longest):
        reached, found = _around(tx, gate, frontier, queries.entity.relations)
        rows += found
        known |= reached
        frontier = {key for row in found for key in _ends(row)} - known
        if frontier & goal:
            return rows
        if not frontier:
            break
    return []


@dataclass(frozen=True)
class _Web:
    """Relations by the entities they lead from, either way; joined entities are one."""

    leaders: Mapping[str, str]
    ways: Mapping[str, Sequence[tuple[str, _Step]]]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> _Web:
        """Make it of current relations and joins."""
        leaders = joined(_ends(row) for row in rows if _joins(row))
        ways: dict[str, list[tuple[str, _Step]]] = {}
        for same in _collapsed({row["id"]: row for row in rows}.values()):
            subject, object = (leaders.get(key, key) for key in _ends(same[0]))
            ways.setdefault(subject, []).append((object, ("out", same)))
            ways.setdefault(object, []).append((subject, ("in", same)))
        return cls(leaders, ways)

    def _all(self, keys: Iterable[str]) -> set[str]:
        return {self.leaders.get(key, key) for key in keys}

    def chains(self, start: Iterable[str], goal: Iterable[str]) -> Iterator[tuple[_Step, ...]]:
        """Yield the shortest chains, found from their ends, so that none is begun in vain."""
        hops = self._hops(self._all(start))
        ends = {end for end in self._all(goal) if end in hops}
        nearest = min((hops[end] for end in ends), default=0)
        unfinished: list[tuple[str, tuple[_Step, ...]]] = [
            (end, ()) for end in sorted(ends) if hops[end] == nearest
        ]
        while unfinished:
            key, chain = unfinished.pop()
            if hops[key] == 0:
                yield chain
                continue
            for before, (way, same) in reversed(self.ways[key]):
                if hops.get(before) == hops[key] - 1:
                    step: _Step = ("in" if way == "out" else "out", same)
                    unfinished.append((before, (step, *chain)))

    def _hops(self, start: Iterable[str]) -> dict[str, int]:
        """Return how many relations away from the start each entity is."""
        hops = dict.fromkeys(start, 0)
        waiting = deque(hops)
        while waiting:
            key = waiting.popleft()
            for after, _ in self.ways.get(key, ()):
                if after not in hops:
                    hops[after] = hops[key] + 1
                    waiting.append(after)
        return hops


# --- the order of the path


@dataclass(frozen=True)
class Place:
    """Where a record stands: the turn it was last derived from, and how far off that is."""

    rank: int
    """0 for the anchor's own path; scope ``space`` counts other trees' from 1."""
    distance: int
    turn: str
    created_at: Time


def places(
    tx: Transaction, gate: Gate, sources: Iterable[Sequence[str]]
) -> dict[frozenset[str], Place]:
    """Return the place of each set of sources. A set that lies on no one path is left out."""
    wanted = {frozenset(ids) for ids in sources}
    ids = sorted(frozenset().union(*wanted))
    if not ids:
        return {}
    rows = tx.run(queries.entity.places, space=gate.space, rows=_leaves(tx, gate), ids=ids)
    on_path: dict[str, dict[int, Place]] = {}
    for row in rows:
        place = Place(row["rank"], row["distance"], row["id"], row["createdAt"])
        on_path.setdefault(row["id"], {})[row["rank"]] = place
    found = {ids: _tip([on_path.get(id, {}) for id in ids]) for ids in wanted}
    return {ids: place for ids, place in found.items() if place}


def _leaves(tx: Transaction, gate: Gate) -> list[Row]:
    if gate.scope == "path":
        return [{"id": gate.anchor, "rank": 0}]
    rows = gate.settled(tx).leaves or ()
    return [{"id": row["leafId"], "rank": row["rank"]} for row in rows]


def _tip(turns: Sequence[Mapping[int, Place]]) -> Place | None:
    """Return the deepest of some turns on the first path that holds them all."""
    shared = set(turns[0]).intersection(*turns[1:]) if turns else set()
    if not shared:
        return None
    rank = min(shared)
    return min((turn[rank] for turn in turns), key=lambda place: place.distance)


def nearest_first(tx: Transaction, gate: Gate, rows: Sequence[Row]) -> list[Row]:
    """Sort records by how far from the anchor they are; other trees follow its own."""
    found = places(tx, gate, (row["sourceIds"] for row in rows))
    placed = [(found[ids], row) for row in rows if (ids := frozenset(row["sourceIds"])) in found]
    placed.sort(key=lambda pair: (pair[0].rank, pair[0].distance, pair[1]["id"]))
    return [row for _, row in placed]
