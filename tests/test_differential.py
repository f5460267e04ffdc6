"""The gate against a plain-Python oracle on random trees; and mutants of the gate, which must fail.

Each tree has edits, records across branches, records built from records, corrections, turns that
never arrive, links lost and added by hand, things revoked and purged; it is stored in a shuffled
order in several batches. Every record is decided at every turn, in both scopes: by the path query,
and by the places of its sources, for all records at once and for each as the only candidate.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import LiteralString, get_args

import pytest

from graphmem import Memory, NewRecord, Source, Store
from graphmem._gate import Gate
from graphmem._models import Scope
from graphmem.store import Query, queries
from tests.conftest import Connection
from tests.forest import by_hand
from tests.oracle import Oracle

TREES = 70
DECISIONS = 200_000
UNKNOWN = "never stored"


@pytest.fixture(scope="module")
def store(connection: Connection) -> Iterator[Store]:
    """A store that does not look for remarks of the server: that walks the stack per query."""
    with Store.open(**connection | {"options": {}}) as opened:
        yield opened


Turns = list[dict[str, str | None]]


@dataclass
class Forest:
    """What is stored, as data: turns in order of arrival, records, and what corrects which."""

    turns: Turns
    records: list[NewRecord]
    corrections: list[Correcting]
    oracle: Oracle


@dataclass(frozen=True)
class Correcting:
    """A correction, or with ``new`` None a retraction, of a record by some turns."""

    old: str
    sources: list[str]
    new: str | None


def forest(rng: random.Random, *, wide: bool) -> Forest:
    """Make up a space: trees of 24 turns with 18 records and 6 corrections; ``wide`` has chats."""
    turns = _turns(rng, roots=0.3 if wide else 0.08, edits=0.1 if wide else 0.5)
    late = 0.02 if wide else 0.06
    lost = {f"t{number}" for number in range(1, 24) if rng.random() < late}
    whole = Oracle({str(turn["id"]): turn["parent"] for turn in turns})
    arriving = [turn for turn in turns if turn["id"] not in lost]
    oracle = Oracle({str(turn["id"]): turn["parent"] for turn in arriving})
    if wide:
        _into_chats(rng, arriving, oracle)
    records = _records(rng, turns, whole, oracle)
    claims = [str(record.id) for record in records]
    corrections = [
        Correcting(
            old, _sources(rng, turns, whole, oracle.records[old]), rng.choice([None, f"{n}"])
        )
        for n in range(6)
        for old in [rng.choice(claims)]
    ]
    rng.shuffle(arriving)
    return Forest(arriving, records, corrections, oracle)


def _turns(rng: random.Random, roots: float, edits: float) -> Turns:
    turns: Turns = []
    for number in range(24):
        earlier = [str(turn["id"]) for turn in turns]
        root = not earlier or rng.random() < roots
        # Mostly grow the newest branch; now and then fork from anywhere.
        parent = None if root else (earlier[-1] if rng.random() < 0.6 else rng.choice(earlier))
        siblings = [str(turn["id"]) for turn in turns if turn["parent"] == parent and earlier]
        edited = rng.choice(siblings) if siblings and rng.random() < edits else None
        turn = {"id": f"t{number}", "role": "user", "text": f"text {number}", "parent": parent}
        turns.append({**turn, "replaces": edited})
    return turns


def _into_chats(rng: random.Random, turns: Turns, oracle: Oracle) -> None:
    """File the turns in conversations, some of which share turns, versions and trees."""
    names = ["c0", "c1", "c2", "c3", "c4", None]
    for turn in turns:
        above = oracle.conversations.get(str(turn["parent"]))
        turn["conversation"] = rng.choice(names) if above is None or rng.random() < 0.05 else above
        oracle.conversations[str(turn["id"])] = turn["conversation"]
        if turn["replaces"]:
            oracle.replaces.add((str(turn["id"]), str(turn["replaces"])))
    for name in names[:5]:
        members = [turn for turn, chat in oracle.conversations.items() if chat == name]
        if members and rng.random() < 0.6:
            oracle.heads[str(name)] = rng.choice(members)


def _sources(
    rng: random.Random, turns: Turns, whole: Oracle, known: frozenset[str] = frozenset()
) -> list[str]:
    """Return turns of one path, mostly one that holds what is ``known`` already."""
    paths = [whole.path(str(turn["id"])) for turn in turns]
    fitting = [path for path in paths if known <= {*path}]
    path = rng.choice(fitting if fitting and rng.random() < 0.8 else paths)
    chosen = rng.sample(path, min(len(path), rng.choice([1, 1, 2, 3])))
    if rng.random() < 0.15:  # across branches, as far as chance will have it
        chosen.append(str(rng.choice(turns)["id"]))
    return list(dict.fromkeys(chosen))


def _records(rng: random.Random, turns: Turns, whole: Oracle, oracle: Oracle) -> list[NewRecord]:
    records: list[NewRecord] = []
    for number in range(18):
        inner = [str(rng.choice(records).id)] if records and rng.random() < 0.4 else []
        known = frozenset[str]().union(*(oracle.records[one] for one in inner))
        chosen = _sources(rng, turns, whole, known)
        sources = [*(Source(turn=turn) for turn in chosen), *(Source(record=one) for one in inner)]
        records.append(NewRecord(id=f"r{number}", text=f"record {number}", sources=tuple(sources)))
        oracle.remember(f"r{number}", frozenset(chosen), frozenset(inner))
    return records


def plant(memory: Memory, planted: Forest, rng: random.Random) -> None:
    """Store the forest: batches of turns and of records in turns, and corrections in between."""
    turns, records, corrections = planted.turns[:], planted.records[:], planted.corrections[:]
    stored: set[str] = set()
    while turns or records or corrections:
        if turns and (rng.random() < 0.6 or not (records or corrections)):
            size = rng.randint(1, 18)
            memory.add_turns(turns[:size])
            del turns[:size]
        elif records:
            size = rng.randint(1, 12)
            stored |= {record.id for record in memory.remember_all(records[:size])}
            del records[:size]
        ready = [one for one in corrections if one.old in stored]
        for one in rng.sample(ready, min(len(ready), 2)):
            corrections.remove(one)
            _correct(memory, planted.oracle, one)


def _correct(memory: Memory, oracle: Oracle, one: Correcting) -> None:
    if one.new is None:
        done = memory.retract(one.old, one.sources)
    else:
        done = memory.correct(one.old, one.new, one.sources)
    oracle.remember(done.id, frozenset(one.sources), frozenset())
    oracle.targets[done.id] = oracle.targets.get(done.id, frozenset()) | {one.old}
    if done.replacement:
        oracle.remember(done.replacement.id, frozenset(one.sources), frozenset())


def meddle(memory: Memory, oracle: Oracle, rng: random.Random) -> None:
    """Forget some of it, take some of that back, and break some links past graphmem."""
    stored = [*oracle.records]
    turns = set(rng.sample(sorted(oracle.parents), rng.choice([0, 0, 1, 2])))
    inner = sorted({one for inputs in oracle.inputs.values() for one in inputs})
    records = {rng.choice(stored), *rng.sample(inner, min(2, len(inner)))}
    memory.revoke(turns=turns, records=records)
    again = set(rng.sample(sorted(records), 1))
    memory.restore(records=again)
    oracle.hidden |= turns | (records - again)
    gone = {rng.choice(sorted(oracle.parents))} if rng.random() < 0.15 else set()
    buried = {rng.choice(stored)} if rng.random() < 0.3 else set()
    if gone or buried:
        memory.purge(turns=gone, records=buried)
        oracle.purge(gone, buried)
        oracle.hidden -= gone | buried
    oracle.remember("bare", frozenset(), frozenset())
    by_hand(
        memory,
        """
        CREATE (:Record:Fact {space: $space, id: 'bare', kind: 'fact', text: 'bare', sourceIds: []})
        """,
    )
    linked = sorted(one for one, sources in oracle.records.items() if len(sources) > 1)
    unlinked, relinked, overlinked = [*rng.sample(linked, min(3, len(linked))), "", "", ""][:3]
    extra = rng.choice(sorted(oracle.parents))
    by_hand(memory, LOSE_A_LINK, id=unlinked)
    by_hand(memory, LEAD_A_LINK_ELSEWHERE, id=relinked)
    by_hand(memory, ADD_A_LINK, id=overlinked, turn=extra)
    oracle.records |= {one: frozenset() for one in (unlinked, relinked) if one}
    if overlinked:
        oracle.records[overlinked] |= {extra}


LOSE_A_LINK = """
MATCH (:Record {space: $space, id: $id})-[link:DERIVED_FROM]->()
WITH link
LIMIT 1
DELETE link
"""
LEAD_A_LINK_ELSEWHERE = """
MATCH (record:Record {space: $space, id: $id})-[link:DERIVED_FROM]->(turn)
WITH record, link, turn
LIMIT 1
DELETE link
CREATE (record)-[:DERIVED_FROM]->(twin:Turn)
SET twin = turn {.id, .segment, .place, space: $space + '-other'}
"""
ADD_A_LINK = """
MATCH (record:Record {space: $space, id: $id})
MATCH (turn:Turn {space: $space, id: $turn})
MERGE (record)-[:DERIVED_FROM]->(turn)
"""


# --- what the gate says, in its forms

STARTS = Query(
    "test/starts", "", "UNWIND $anchors AS start\nRETURN start", "read", frozenset({"anchors"})
)
SOME = Query(
    "test/some",
    "",
    """
    UNWIND $anchors AS start
    MATCH (lone:Record)
    WHERE lone.space = $space AND lone.id IN $ids
    RETURN start, collect(lone) + collect(lone) AS records
    """,
    "read",
    frozenset({"anchors", "space", "ids"}),
)
EACH = replace(SOME, text=SOME.text.replace("collect(lone) + collect(lone) AS", "lone, [lone] AS"))
ALL_SEEN = Query("test/seen", "", "RETURN start, record.id AS id, current", "read", frozenset())
THAT_ONE = replace(ALL_SEEN, text="WITH * WHERE record = lone\n" + ALL_SEEN.text)

Seen = dict[tuple[str, str], bool]
"""The records that are visible at anchors, and whether they are current."""


@dataclass
class Decisions:
    """How many were made, and those that differ from the oracle's."""

    made: int = 0
    differing: list[str] = field(default_factory=list)
    wider: int = 0
    superseded: int = 0


def decide(memory: Memory, oracle: Oracle, rng: random.Random, found: Decisions) -> None:
    """Decide everything at every turn, in every form."""
    ids = sorted(oracle.records)
    anchors = [*sorted(oracle.parents), UNKNOWN]
    few = [*rng.sample(anchors[:-1], 3), UNKNOWN]
    for scope in get_args(Scope):
        gate = Gate(memory.space, None, scope)
        by_path, by_place = gate.current(), gate.current(queries.gate.candidates)
        promised = {
            (anchor, record): record in current
            for anchor in oracle.parents
            for current in [oracle.current(anchor, scope)]
            for record in oracle.visible(anchor, scope)
        }
        found.superseded += sum(not current for current in promised.values())
        found.wider += scope == "space" and len(promised)
        found.wider -= scope == "path" and len(promised)
        alone = anchors if scope == "path" else few
        for form, rows, then, asked in (
            (by_path, STARTS, ALL_SEEN, anchors),
            (by_place, SOME, ALL_SEEN, anchors),
            (by_place, EACH, THAT_ONE, alone),
        ):
            query = form.for_each(rows, then, anchor="start")
            seen = _seen(memory, query, asked, ids)
            for key in ((anchor, record) for anchor in asked for record in ids):
                found.made += 1
                if seen.pop(key, None) != promised.get(key):
                    found.differing.append(f"{memory.space} {scope} {then.name} {key}")
            found.differing += [f"{memory.space}: {key} from nowhere" for key in seen]


def _seen(memory: Memory, query: Query, anchors: list[str], ids: list[str]) -> Seen:
    rows = memory.store.run(query, space=memory.space, anchors=anchors, ids=ids)
    return {(row["start"], row["id"]): row["current"] for row in rows}


Space = tuple[Memory, Oracle, random.Random]


def spaces(store: Store, trees: int, seed: int) -> Iterator[Space]:
    """Yield random spaces, each with what the gate promises of it."""
    for tree in range(trees):
        rng = random.Random(f"{seed}-{tree}")
        memory = Memory(store, space=f"diff-{secrets.token_hex(6)}")
        planted = forest(rng, wide=tree % 3 == 0)
        plant(memory, planted, rng)
        for conversation, head in planted.oracle.heads.items():
            memory.set_head(conversation, head)
        meddle(memory, planted.oracle, rng)
        yield memory, planted.oracle, random.Random(tree)


def compare(planted: Iterable[Space]) -> Decisions:
    """Decide everything in some spaces."""
    found = Decisions()
    for space in planted:
        decide(*space, found)
    return found


@pytest.mark.timeout(900)
def test_the_gate_agrees_with_the_oracle(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    found = compare(spaces(store, TREES, seed=20261201))
    with capsys.disabled():
        print(
            f"\n{found.made:,} decisions on {TREES} random trees, "
            f"{len(found.differing)} differences"
        )
    assert found.differing == []
    assert found.made >= DECISIONS
    assert found.wider > 200
    assert found.superseded > 200


# --- a broken gate is noticed


@dataclass(frozen=True)
class Mutant:
    """A change of the gate's text, in the file of that name."""

    file: str
    old: LiteralString
    new: LiteralString


_LINKS: LiteralString = "COUNT { (record)-[:DERIVED_FROM]->() } = size(onPath) AND\n"
_BUILT: LiteralString = (
    " AND\n  NOT EXISTS {\n  (record)-[:BUILT_FROM]->(:Revoked|Purged)\n  }\nRETURN anchor"
)
MUTANTS = {
    "any source instead of all": Mutant(
        "visible", "  all(source IN record.sourceIds WHERE source IN onPath) AND\n  " + _LINKS, "  "
    ),
    "records without sources": Mutant(
        "visible",
        "MATCH (turn)<-[:DERIVED_FROM]-(record)\nWHERE record.space = $space",
        "MATCH (record:Record {space: $space})\n"
        "WHERE EXISTS { (turn)<-[:DERIVED_FROM]-(record) } "
        "OR NOT EXISTS { (record)-[:DERIVED_FROM]->() }\n"
        "WITH anchor, distance, record,\n"
        "  CASE WHEN EXISTS { (turn)<-[:DERIVED_FROM]-(record) } THEN turn END AS turn",
    ),
    "awaited and revoked sources": Mutant("visible", "WHERE NOT turn:Awaited|Revoked|Purged\n", ""),
    "links added by hand": Mutant("visible", _LINKS, ""),
    "lost links": Mutant(
        "visible", "  all(source IN record.sourceIds WHERE source IN onPath) AND\n", ""
    ),
    "revoked records": Mutant("visible", "  NOT record:Revoked AND\n", ""),
    "records built from revoked ones": Mutant("visible", _BUILT, "\nRETURN anchor"),
    "everything at an unknown anchor": Mutant(
        "visible",
        "MATCH (anchor:Turn {space: $space, id: $anchor})\nWHERE NOT anchor:Awaited",
        "OPTIONAL MATCH (known:Turn {space: $space, id: $anchor})\n"
        "MATCH (anchor:Turn {space: $space})\n"
        "WHERE NOT anchor:Awaited AND (known IS NULL OR anchor = known)",
    ),
    "located: any place of the segment": Mutant("located", " AND run.reach >= source.place)", ")"),
    "located: any segment": Mutant("located", "run.segment = source.segment AND ", ""),
    "located: any source": Mutant(
        "located",
        "  all(source IN record.sourceIds WHERE source IN onPath) AND\n"
        "  links = size(onPath) AND\n",
        "  size(onPath) > 0 AND\n",
    ),
    "located: lost links": Mutant(
        "located", "  all(source IN record.sourceIds WHERE source IN onPath) AND\n", ""
    ),
    "located: links added by hand": Mutant("located", "  links = size(onPath) AND\n", ""),
    "located: awaited and revoked sources": Mutant(
        "located", "        NOT source:Awaited|Revoked|Purged AND\n", ""
    ),
    "located: turns of another space": Mutant("located", "        source.space = $space AND\n", ""),
    "located: revoked records": Mutant("located", "  NOT record:Revoked AND\n", ""),
    "located: built from revoked ones": Mutant("located", _BUILT, "\nRETURN anchor"),
    "located: not the segments above": Mutant(
        "located", "(lower)-[:ABOVE]->(upper)", "(lower)-[:ABOVE {no: 1}]->(upper)"
    ),
    "current: what is built from a corrected record": Mutant(
        "current", "      UNION\n    MATCH (old)<-[:BUILT_FROM]-(record)\n    RETURN record\n", ""
    ),
    "current: hidden invalidations count": Mutant(
        "current",
        "CALL (invalidations) {\n"
        "  UNWIND invalidations AS invalidation\n"
        "  MATCH (invalidation)-[:INVALIDATES]->(old)",
        "CALL (visible) {\n  UNWIND visible AS old\n  MATCH (old)<-[:INVALIDATES]-()",
    ),
    "candidates: without their invalidations": Mutant(
        "candidates",
        "MATCH (record)<-[:INVALIDATES]-(invalidation)",
        "MATCH (record)<-[:NONE]-(invalidation)",
    ),
    "candidates: without those of their inputs": Mutant(
        "candidates", "-[:BUILT_FROM]->()<-[:INVALIDATES]-", "-[:BUILT_FROM]->()<-[:NONE]-"
    ),
    "merged: one leaf only": Mutant(
        "leaves", "UNWIND range(0, size(others)) AS rank", "UNWIND [0] AS rank"
    ),
}


@pytest.fixture(scope="module")
def planted(store: Store) -> list[Space]:
    return list(spaces(store, 12, seed=7))


@pytest.mark.parametrize("name", MUTANTS)
def test_the_comparison_notices_a_broken_gate(
    planted: list[Space], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    mutant = MUTANTS[name]
    gate: Query = getattr(queries.gate, mutant.file)
    assert gate.text.count(mutant.old) == 1, (
        "the gate's text has changed; bring the mutant up to date"
    )
    broken = replace(gate, text=gate.text.replace(mutant.old, mutant.new))
    monkeypatch.setitem(queries.gate._loaded, mutant.file, broken)
    found = compare(planted)
    assert found.made > 5000
    assert found.differing
