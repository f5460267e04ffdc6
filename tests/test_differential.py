"""The gate against a plain-Python oracle on random trees; and mutants of the gate, which must fail.

Each tree has edits, records across branches, records built from records, turns that never arrive,
and is stored in a shuffled order in several batches. Every record is decided at every turn.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import LiteralString

import pytest

from graphmem import Memory, NewRecord, Source, Store, UnknownTurnError
from graphmem.store import Query, queries
from tests.conftest import Connection
from tests.forest import by_hand
from tests.oracle import Oracle

TREES = 400
DECISIONS = 107_000


@pytest.fixture(scope="module")
def store(connection: Connection) -> Iterator[Store]:
    """A store that does not look for remarks of the server: that walks the stack per query."""
    with Store.open(**connection | {"options": {}}) as opened:
        yield opened


@dataclass
class Forest:
    """What is stored, as data: turns in order of arrival, records, and who never comes."""

    turns: list[dict[str, str | None]]
    records: list[NewRecord]
    oracle: Oracle


def forest(
    rng: random.Random, roots: float = 0.08, late: float = 0.06, edits: float = 0.5
) -> Forest:
    """Make up a space: one to three trees, 15 records among 20 turns."""
    turns: list[dict[str, str | None]] = []
    for number in range(20):
        earlier = [str(turn["id"]) for turn in turns]
        root = not earlier or rng.random() < roots
        # Mostly grow the newest branch; now and then fork from anywhere.
        parent = None if root else (earlier[-1] if rng.random() < 0.6 else rng.choice(earlier))
        siblings = [str(turn["id"]) for turn in turns if turn["parent"] == parent and earlier]
        edited = rng.choice(siblings) if siblings and rng.random() < edits else None
        turns.append(
            {
                "id": f"t{number}",
                "role": "user",
                "text": f"text {number}",
                "parent": parent,
                "replaces": edited,
            }
        )
    lost = {f"t{number}" for number in range(1, 20) if rng.random() < late}
    arriving = [turn for turn in turns if turn["id"] not in lost]
    rng.shuffle(arriving)
    oracle = Oracle({str(turn["id"]): turn["parent"] for turn in arriving})
    return Forest(arriving, _records(rng, turns, oracle), oracle)


def _records(
    rng: random.Random, turns: list[dict[str, str | None]], oracle: Oracle
) -> list[NewRecord]:
    whole = Oracle({str(turn["id"]): turn["parent"] for turn in turns})
    records: list[NewRecord] = []
    for number in range(15):
        tip = rng.choice(turns)["id"]
        path = whole.path(str(tip))
        chosen = rng.sample(path, min(len(path), rng.choice([1, 1, 2, 3])))
        if rng.random() < 0.3:  # across branches, as far as chance will have it
            chosen.append(str(rng.choice(turns)["id"]))
        sources = [Source(turn=turn) for turn in dict.fromkeys(chosen)]
        known = set(chosen)
        if records and rng.random() < 0.25:
            inner = rng.choice(records)
            sources.append(Source(record=inner.id))
            known |= oracle.records[str(inner.id)]
        records.append(NewRecord(id=f"r{number}", text=f"record {number}", sources=tuple(sources)))
        oracle.records[f"r{number}"] = frozenset(known)
    return records


def plant(memory: Memory, planted: Forest, rng: random.Random) -> None:
    """Store the forest: batches of turns and of records, in turns."""
    turns, records = list(planted.turns), list(planted.records)
    while turns or records:
        if (turns and rng.random() < 0.7) or not records:
            size = rng.randint(1, 12)
            memory.add_turns(turns[:size])
            del turns[:size]
        else:
            size = rng.randint(1, 9)
            memory.remember_all(records[:size])
            del records[:size]


def decisions(memory: Memory, oracle: Oracle) -> Iterator[bool]:
    """Yield for every arrived turn and every record whether the gate decides as the oracle does."""
    for anchor in oracle.parents:
        seen = {record for claim in memory.at(anchor).visible() for record in claim.records}
        promised = oracle.visible(anchor)
        yield from ((record in seen) == (record in promised) for record in oracle.records)
        yield from (False for _ in seen - oracle.records.keys())


def compare(store: Store, trees: int, seed: int) -> tuple[int, int]:
    """Return how many decisions were made on ``trees`` random spaces, and how many differed."""
    made = differing = 0
    for tree in range(trees):
        rng = random.Random(f"{seed}-{tree}")
        memory = Memory(store, space=f"diff-{secrets.token_hex(6)}")
        planted = forest(rng)
        plant(memory, planted, rng)
        by_hand(
            memory,
            "CREATE (:Record:Fact "
            "{space: $space, id: 'bare', kind: 'fact', text: 'bare', sourceIds: []})",
        )
        planted.oracle.records["bare"] = frozenset()
        for agrees in decisions(memory, planted.oracle):
            made += 1
            differing += not agrees
        differing += not nothing_at_an_unknown_anchor(memory)
        made += 1
    return made, differing


def nothing_at_an_unknown_anchor(memory: Memory) -> bool:
    """Say whether an anchor that was never stored shows nothing."""
    try:
        return not memory.at("never stored").visible()
    except UnknownTurnError:
        return True


@pytest.mark.timeout(900)
def test_the_gate_agrees_with_the_oracle(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    made, differing = compare(store, TREES, seed=20261201)
    with capsys.disabled():
        print(f"\n{made:,} visibility decisions on {TREES} random trees, {differing} differences")
    assert differing == 0
    assert made >= DECISIONS


def wide_forest(rng: random.Random) -> Forest:
    """Make up a space of several conversations, some of which share turns, versions and trees."""
    planted = forest(rng, roots=0.3, late=0.02, edits=0.1)
    oracle, names = planted.oracle, ["c0", "c1", "c2", "c3", "c4", None]
    for turn in planted.turns:
        above = oracle.conversations.get(str(turn["parent"]))
        turn["conversation"] = rng.choice(names) if above is None or rng.random() < 0.05 else above
        oracle.conversations[str(turn["id"])] = turn["conversation"]
        if turn["replaces"]:
            oracle.replaces.add((str(turn["id"]), str(turn["replaces"])))
    for name in names[:5]:
        members = [turn for turn, chat in oracle.conversations.items() if chat == name]
        if members and rng.random() < 0.6:
            oracle.heads[str(name)] = rng.choice(members)
    return planted


@pytest.mark.timeout(300)
def test_the_wide_scope_agrees_with_the_oracle(store: Store) -> None:
    wider = 0
    for tree in range(60):
        rng = random.Random(f"wide-{tree}")
        memory = Memory(store, space=f"wide-{secrets.token_hex(6)}")
        planted = wide_forest(rng)
        plant(memory, planted, rng)
        for conversation, head in planted.oracle.heads.items():
            memory.set_head(conversation, head)
        for anchor in planted.oracle.parents:
            view = memory.at(anchor, scope="space")
            seen = {record for claim in view.visible() for record in claim.records}
            assert seen == planted.oracle.visible_in_space(anchor)
            wider += seen > planted.oracle.visible(anchor)
    assert wider > 50


MUTANTS: dict[str, tuple[LiteralString, LiteralString]] = {
    "any source instead of all": (
        "WHERE\n"
        "  all(source IN record.sourceIds WHERE source IN onPath) AND\n"
        "  COUNT { (record)-[:DERIVED_FROM]->() } = size(onPath)",
        "WHERE any(source IN record.sourceIds WHERE source IN onPath)",
    ),
    "records without sources": (
        "MATCH (turn)<-[:DERIVED_FROM]-(record)\nWHERE record.space = $space",
        "MATCH (record:Record {space: $space})\n"
        "WHERE EXISTS { (turn)<-[:DERIVED_FROM]-(record) } "
        "OR NOT EXISTS { (record)-[:DERIVED_FROM]->() }\n"
        "WITH anchor, distance, record,\n"
        "  CASE WHEN EXISTS { (turn)<-[:DERIVED_FROM]-(record) } THEN turn END AS turn",
    ),
    "awaited sources": ("WHERE NOT turn:Awaited\nMATCH (turn)", "MATCH (turn)"),
    "everything at an unknown anchor": (
        "MATCH (anchor:Turn {space: $space, id: $anchor})\nWHERE NOT anchor:Awaited",
        "OPTIONAL MATCH (known:Turn {space: $space, id: $anchor})\n"
        "MATCH (anchor:Turn {space: $space})\n"
        "WHERE NOT anchor:Awaited AND (known IS NULL OR anchor = known)",
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_comparison_notices_a_broken_gate(
    store: Store, monkeypatch: pytest.MonkeyPatch, mutant: str
) -> None:
    gate = queries.gate.visible
    old, new = MUTANTS[mutant]
    assert gate.text.count(old) == 1, "the gate's text has changed; bring the mutant up to date"
    broken: Query = replace(gate, text=gate.text.replace(old, new))
    monkeypatch.setitem(queries.gate._loaded, "visible", broken)
    made, differing = compare(store, 12, seed=7)
    assert made > 1000
    assert differing > 0
