"""The speed of recall on 100,000 facts with vectors: ``python -m benchmarks.recall``.

Beside each recall runs the same server's vector top 10 without any gate, through the bare driver.
The vectors are made up (see `benchmarks.crowd`), so that no time goes into a model.
"""

from __future__ import annotations

import json
import platform
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, LiteralString

import numpy as np
import typer
from rich.console import Console

from benchmarks.bare import Bare
from benchmarks.crowd import DIMENSIONS, Crowd, Library, Vectors, spaces
from benchmarks.forest import Item, batches
from benchmarks.plan import profile
from benchmarks.report import table
from benchmarks.timing import Row, Timing, interleaved, times
from graphmem import Memory, Store
from graphmem.cli._output import jar_progress
from graphmem.store import home, settings, vector
from graphmem.store.local import LocalServer

UNGATED: LiteralString = """
CYPHER 25
MATCH (record:Record)
  SEARCH record IN (VECTOR INDEX record_vector_0 FOR $vector LIMIT 10) SCORE AS score
RETURN record.id AS id, record.text AS text, score
"""
FACTS: LiteralString = """
CYPHER 25
UNWIND $rows AS row
MATCH (turn:Turn {space: $space, id: row.turn})
CREATE (record:Record:Fact {space: $space, id: row.id})-[:DERIVED_FROM]->(turn)
SET record += row.content, record.vector0 = toFloatList(row.vector)
"""
K = 10
PER_TURN = Crowd().per_turn
MANY = 100
"""Hits in which the ten best by vector are looked for: more than all parts together bring."""
QUESTIONS = 40
WARM_UP = 40
"""Rounds before it counts: the server compiles what runs often, and these are large queries."""
BATCH = 5_000

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


@dataclass(frozen=True)
class Sizes:
    """How much is stored, and how often it is asked."""

    crowd: Crowd = field(default_factory=Crowd)
    depths: tuple[int, ...] = (200, 1_000, 10_000)
    rounds: int = 60
    bulk: int = 20_000


QUICK = Sizes(
    crowd=Crowd(facts=8_000, path=1_300, off_path=700, topics=100),
    depths=(200, 1_000),
    rounds=20,
    bulk=3_000,
)


class Made:
    """An embedder that looks vectors up, so that no time goes into a model."""

    name = "made-up"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self.vectors: dict[str, Vectors] = {}

    def passages(self, texts: Sequence[str]) -> list[Vectors]:
        """Return the vectors that the texts were given."""
        return [self.vectors[text] for text in texts]

    def query(self, text: str) -> Vectors:
        """Return the vector that a question was given."""
        return self.vectors[text]


@dataclass
class World:
    """What was stored, and what is asked of it."""

    memory: Memory
    theirs: Memory
    library: Library
    made: Made
    facts: list[Item] = field(default_factory=list)
    """The facts of the deep tree's path, in the order of the path."""
    questions: list[str] = field(default_factory=list)

    def add(self, memory: Memory, turns: Sequence[Item], per_turn: int) -> list[Item]:
        """Store turns with facts and vectors through the library; return the facts."""
        records = self.library.records(memory.space, turns, per_turn)
        self.made.vectors |= {record["content"]["text"]: record["vector"] for record in records}
        for batch in batches(turns, BATCH):
            memory.add_turns(batch)
        for part in batches([as_new(record) for record in records], BATCH):
            memory.remember_all(part)
        return records

    def ask(self, count: int) -> None:
        """Make up questions, each near some fact of the path and with its words."""
        for number in range(count):
            fact = self.facts[number * len(self.facts) // count]
            text = f"{fact['content']['text']} question {number}"
            self.made.vectors[text] = self.library.near(fact["vector"][None], 0.8)[0]
            self.questions.append(text)


def as_new(record: Item) -> Item:
    """Return a fact as `remember_all` takes it."""
    return {
        "text": record["content"]["text"],
        "sources": [record["turn"]],
        "mentions": [record["entity"]],
    }


def grown(store: Store, sizes: Sizes) -> World:
    """Store the crowd."""
    made, library = Made(), Library(sizes.crowd)
    names = [f"bench-{secrets.token_hex(6)}" for _ in range(2)]
    mine, theirs = (Memory(store, space=name, embedder=made) for name in names)
    world = World(mine, theirs, library, made)
    for space, turns in spaces(sizes.crowd, *names):
        records = world.add(mine if space == names[0] else theirs, turns, sizes.crowd.per_turn)
        if not world.facts:
            world.facts = records[: sizes.crowd.path * sizes.crowd.per_turn]
    for memory in (mine, theirs):
        memory.embed()
    world.ask(QUESTIONS)
    return world


def recalls(bench: Bare, world: World, sizes: Sizes) -> Iterator[Row]:
    """Milliseconds of recall at some depths, embedding apart, beside the ungated top 10."""
    for depth in sizes.depths:
        taken = times(_works(bench, world, depth), rounds=sizes.rounds, warm_up=WARM_UP)
        ours, theirs = Timing.of(taken["ours"]), Timing.of(taken["bare"])
        limit = 2 if depth <= 200 else 4
        ratio = ours.median / theirs.median
        p95 = float(np.percentile(taken["ours"], 95))
        yield Row(
            f"recall at depth {depth:,}, {len(world.made.vectors):,} facts",
            "ms",
            ours.median,
            theirs.median,
            ratio,
            f"ours / ungated top 10 ≤ {limit}",
            ratio <= limit,
            f"{ours}, ungated {theirs}",
        )
        yield Row(f"  p95 of it at depth {depth:,}", "ms", p95, target="< 150 ms", ok=p95 < 150)
        yield _exactness(world, depth)


def _works(bench: Bare, world: World, depth: int) -> dict[str, Callable[[], object]]:
    view = world.memory.at(f"deep-{depth - 1}")
    asked = _rotating(world.questions)
    sent = _rotating([vector(world.made.vectors[text]) for text in world.questions])
    return {
        "ours": lambda: view.recall(next(asked), k=K),
        "bare": lambda: bench.rows(UNGATED, vector=next(sent)),
    }


def _rotating(items: Sequence[Any]) -> Iterator[Any]:
    while True:
        yield from items


def _exactness(world: World, depth: int) -> Row:
    """How many of the exact ten nearest visible facts recall's vector part finds."""
    visible = world.facts[: depth * PER_TURN]
    matrix = np.stack([fact["vector"] for fact in visible])
    view = world.memory.at(f"deep-{depth - 1}")
    shares = []
    for text in world.questions:
        order = np.argsort(-(matrix @ world.made.vectors[text]))[:K]
        exact = {visible[place]["content"]["text"] for place in order}
        hits = view.recall(text, k=MANY)
        best = sorted(hits, key=lambda hit: -hit.parts.get("vector", 0.0))[:K]
        shares.append(len(exact & {hit.text for hit in best}) / K)
    share = float(np.mean(shares))
    return Row(
        f"  recall@{K} of the exact gated answer at depth {depth:,}",
        "",
        share,
        target="≥ 0.98",
        ok=share >= 0.98,
    )


def growth(bench: Bare, world: World, sizes: Sizes) -> Iterator[Row]:
    """Milliseconds of recall before and after the other spaces' data grows by half."""
    works = _works(bench, world, sizes.depths[0])
    before = interleaved(works, rounds=sizes.rounds)
    more = Crowd(path=sizes.crowd.facts // 6, off_path=0, per_turn=3)
    turns = [{**turn, "id": f"more-{turn['id']}"} for turn in _line(more)]
    world.add(world.theirs, turns, more.per_turn)
    world.theirs.embed()
    after = interleaved(works, rounds=sizes.rounds)
    ratio = after["ours"].median / before["ours"].median
    drift = after["bare"].median / before["bare"].median
    yield Row(
        f"recall at depth {sizes.depths[0]:,} after other spaces grew by half",
        "ms",
        after["ours"].median,
        None,
        ratio,
        "after / before ≤ 1.25 × ungated's",
        ratio <= 1.25 * drift,
        f"before {before['ours'].median:.3g}, ungated ×{drift:.2f}",
    )


def _line(crowd: Crowd) -> list[Item]:
    return [
        {
            "id": str(number),
            "role": "user",
            "text": f"text {number}",
            "parent": f"more-{number - 1}" if number else None,
            "conversation": "more",
        }
        for number in range(crowd.path)
    ]


def bulk(store: Store, sizes: Sizes) -> Row:
    """Seconds to store facts with their vectors, beside a bare UNWIND of the same."""
    made, library = Made(), Library(sizes.crowd, seed=11)
    bench = Bare(store)
    ours = Memory(store, space=f"bench-{secrets.token_hex(6)}", embedder=made)
    theirs = f"bench-{secrets.token_hex(6)}"
    turns = [{**turn, "id": f"bulk-{turn['id']}"} for turn in _line(Crowd(path=sizes.bulk))]
    turns = [{**turn, "parent": None} for turn in turns]
    taken = [0.0, 0.0]
    for memory in (ours, Memory(store, space=theirs)):
        for batch in batches(turns, BATCH):
            memory.add_turns(batch)
    records = library.records(ours.space, turns, 1)
    made.vectors |= {record["content"]["text"]: record["vector"] for record in records}
    for batch in batches(records, BATCH // 2):
        start = time.perf_counter()
        ours.remember_all([as_new(record) | {"mentions": []} for record in batch])
        ours.embed()
        middle = time.perf_counter()
        rows = [{**record, "vector": vector(record["vector"]), "entity": None} for record in batch]
        bench.write(FACTS, space=theirs, rows=rows)
        taken[0] += middle - start
        taken[1] += time.perf_counter() - middle
    for space in (ours.space, theirs):
        Memory(store, space=space).forget_space()
    ratio = taken[1] / taken[0]
    return Row(
        f"{sizes.bulk:,} facts with vectors, in batches of {BATCH // 2:,}",
        "s",
        taken[0],
        taken[1],
        ratio,
        "bare / ours ≥ 0.7",
        ratio >= 0.7,
        f"{sizes.bulk / taken[0]:,.0f} facts/s",
    )


@contextmanager
def opened() -> Iterator[Store]:
    """Open a store for this alone, since a database holds vectors of one model only.

    It is a local server in a folder of its own, stopped at the end; or the one that ``NEO4J_URI``
    names, which must hold no vectors.
    """
    if settings().uri:
        with Store.open() as store:
            yield store
        return
    folder = home() / "bench"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    jars = folder / "jars"
    if not jars.exists():
        (home() / "jars").mkdir(parents=True, exist_ok=True)
        jars.symlink_to(home() / "jars", target_is_directory=True)
    server = LocalServer(folder)
    running = server.state() is not None
    try:
        with jar_progress() as progress, Store.open(home_folder=folder, progress=progress) as store:
            yield store
    finally:
        if not running:
            server.stop()


def measured(store: Store, sizes: Sizes, plan_file: Path | None = None) -> Iterator[Row]:
    """Make every measurement; delete what was stored, also after a failure."""
    bench = Bare(store)
    with err.status("storing the crowd …"):
        world = grown(store, sizes)
    try:
        with err.status("recalling …"):
            yield from recalls(bench, world, sizes)
            if plan_file:
                text, anchor = world.questions[0], f"deep-{sizes.depths[-1] - 1}"
                plan_file.write_text(profile(world.memory, anchor, text) + "\n")
            yield bulk(store, sizes)
            yield from growth(bench, world, sizes)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for memory in (world.memory, world.theirs):
            memory.close()
            memory.forget_space()


def main(
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the numbers to this file.")
    ] = None,
    quick: Annotated[bool, typer.Option(help="Store less: about a tenth.")] = False,
    plan: Annotated[
        Path | None, typer.Option(help="Write the plan of the query to this file.")
    ] = None,
) -> None:
    """Measure recall on a large memory, with the ungated vector search beside it."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sizes = QUICK if quick else Sizes()
    with opened() as store:
        rows = list(measured(store, sizes, plan))
        version = store.version
    out.print(f"Neo4j {version}, Python {platform.python_version()}")
    out.print(table(rows))
    missed = [row.name.strip() for row in rows if row.ok is False]
    out.print(f"Targets missed: {'; '.join(missed)}" if missed else "All targets are met.")
    if json_file:
        document = {"neo4j": version, "sizes": asdict(sizes), "rows": [asdict(row) for row in rows]}
        json_file.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


if __name__ == "__main__":
    typer.run(main)
