"""The speed of storing turns and of the gate: ``python -m benchmarks.core``.

The bare driver runs beside each measurement in the same run, in turns with it, so that the ratios
hold on any machine. Times tell about this one only, and missing a target is no failure: the exit
code is 0 whenever every measurement could be made.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from benchmarks import bare
from benchmarks.bare import Bare
from benchmarks.forest import Item, batches, chain, facts
from benchmarks.report import table
from benchmarks.timing import Row, Timing, interleaved, seconds
from graphmem import Memory, Store
from graphmem.cli._output import jar_progress

VISIBLE = "RETURN count(fact) AS n"
FACTS_PER_TURN = 2

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


@dataclass(frozen=True)
class Sizes:
    """How much is stored and how often it is measured."""

    turns: int = 20_000
    batch: int = 5_000
    writes: int = 5
    """How many times the bulk writes are repeated, each time in a fresh space."""
    depths: tuple[int, ...] = (200, 1_000, 10_000)
    rounds: int = 25
    others: int = 20_000
    """Turns of other trees before they grow tenfold."""
    other_trees: int = 100


QUICK = Sizes(
    turns=2_000,
    batch=500,
    writes=3,
    depths=(200, 1_000),
    rounds=15,
    others=2_000,
    other_trees=20,
)


class Bench:
    """A store, the bare driver on it, and spaces that are gone when the benchmark is."""

    def __init__(self, store: Store, sizes: Sizes) -> None:
        self.store = store
        self.bare = Bare(store)
        self.sizes = sizes
        self._spaces: list[str] = []

    def memory(self) -> Memory:
        """Return the memory of a fresh space."""
        memory = Memory(self.store, space=f"bench-{secrets.token_hex(6)}")
        self._spaces.append(memory.space)
        return memory

    def fill(self, space: str, turns: Sequence[Item], facts_per_turn: int) -> None:
        """Store turns and their facts through the bare driver."""
        for batch in batches(bare.turn_rows(turns), self.sizes.batch):
            self.bare.add_turns(space, batch)
        for batch in batches(bare.fact_rows(facts(turns, facts_per_turn)), self.sizes.batch):
            self.bare.add_facts(space, batch)

    def clear(self) -> None:
        """Delete the spaces made so far."""
        while self._spaces:
            self.bare.delete(self._spaces[-1])
            self._spaces.pop()


def bulk_turns(bench: Bench) -> list[Row]:
    """Seconds to store a forked chain with `add_turns`, and with a bare UNWIND of the same rows.

    Once with times and once without: the driver takes longer over a time than over all the rest of
    a turn, on both sides, which hides what else there is.
    """

    def measured_with(name: str, turns: Sequence[Item]) -> Row:
        rows = bare.turn_rows(turns)

        def once(count: int) -> tuple[float, float]:
            ours, theirs = bench.memory(), bench.memory().space
            return _in_turns(
                bench,
                (turns[:count], ours.add_turns),
                (rows[:count], lambda batch: bench.bare.add_turns(theirs, batch)),
            )

        return _bulk_row(name, "turns", bench, once)

    turns = chain(bench.sizes.turns, "bulk", fork_every=10)
    timeless = [{**turn, "created_at": None} for turn in turns]
    return [
        measured_with("add_turns", turns),
        measured_with("add_turns without created_at", timeless),
    ]


def bulk_facts(bench: Bench) -> list[Row]:
    """Seconds to store facts with `remember_all`, and with a bare UNWIND of the same rows."""
    turns = chain(bench.sizes.turns, "bulk", fork_every=10)
    records = facts(turns, 1)
    rows = bare.fact_rows(records)

    def once(count: int) -> tuple[float, float]:
        ours, theirs = bench.memory(), bench.memory().space
        for space in (ours.space, theirs):
            bench.fill(space, turns[:count], 0)
        return _in_turns(
            bench,
            (records[:count], ours.remember_all),
            (rows[:count], lambda batch: bench.bare.add_facts(theirs, batch)),
        )

    return [_bulk_row("remember_all", "facts", bench, once)]


Write = tuple[Sequence[Item], Callable[[Sequence[Item]], object]]


def _in_turns(bench: Bench, ours: Write, theirs: Write) -> tuple[float, float]:
    """Write batch by batch in turn; return the seconds that each of the two took in all."""
    taken = [0.0, 0.0]
    size = bench.sizes.batch
    for pair in zip(batches(ours[0], size), batches(theirs[0], size), strict=True):
        for side, (batch, (_, write)) in enumerate(zip(pair, (ours, theirs), strict=True)):
            taken[side] += seconds(lambda write=write, batch=batch: write(batch))  # type: ignore[misc]
    return taken[0], taken[1]


def _bulk_row(
    name: str, things: str, bench: Bench, once: Callable[[int], tuple[float, float]]
) -> Row:
    sizes = bench.sizes
    once(sizes.batch)  # a first batch warms the server up
    ours, theirs = zip(*(once(sizes.turns) for _ in range(sizes.writes)), strict=True)
    mine, beside = Timing.of(ours), Timing.of(theirs)
    ratio = beside.median / mine.median
    return Row(
        f"{name}: {sizes.turns:,} {things} in batches of {sizes.batch:,}",
        "s",
        mine.median,
        beside.median,
        ratio,
        "bare / ours ≥ 0.5",
        ratio >= 0.5,
        f"{sizes.turns / mine.median:,.0f} {things}/s; {mine}, bare {beside}",
    )


def visible_records(bench: Bench) -> list[Row]:
    """Milliseconds to count what is visible at some depths, and to count the ancestors only.

    The longest depth is the whole chain with all its facts; the others are read from within it.
    """
    deepest = bench.sizes.depths[-1]
    memory = bench.memory()
    turns = chain(deepest, "deep")
    bench.fill(memory.space, turns, FACTS_PER_TURN)
    rows = []
    for depth in bench.sizes.depths:
        leaf = turns[depth - 1]["id"]
        times = interleaved(_counts(bench, memory, leaf, depth), rounds=bench.sizes.rounds)
        ours, theirs = times["ours"], times["bare"]
        row = Row(
            f"visible at depth {depth:,}: {depth * FACTS_PER_TURN:,} records counted",
            "ms",
            ours.median,
            theirs.median,
            ours.median / theirs.median,
            "ours / bare < 6",
            ours.median / theirs.median < 6,
            f"{ours}, bare {theirs}",
        )
        rows.append(row)
    return [*rows, _facts_row(bench, memory, turns)]


def _counts(bench: Bench, memory: Memory, leaf: str, depth: int) -> dict[str, Callable[[], object]]:
    return {
        "ours": lambda: _expect(
            depth * FACTS_PER_TURN, memory.at(leaf).cypher(VISIBLE)[0]["n"], "visible records"
        ),
        "bare": lambda: _expect(
            depth, bench.bare.count(bare.ANCESTORS, space=memory.space, id=leaf), "ancestors"
        ),
    }


def _expect(expected: int, found: int, what: str) -> None:
    if expected != found:
        raise AssertionError(f"there should be {expected} {what}, not {found}")


def _facts_row(bench: Bench, memory: Memory, turns: Sequence[Item]) -> Row:
    depth = bench.sizes.depths[0]
    view = memory.at(turns[depth - 1]["id"])
    times = interleaved({"ours": view.facts}, rounds=bench.sizes.rounds)["ours"]
    name = f"facts() at depth {depth:,}: {depth * FACTS_PER_TURN:,} claims with sources sent"
    return Row(name, "ms", times.median, note=str(times))


def growth(bench: Bench) -> list[Row]:
    """Milliseconds for the same reads, before and after the other trees grow tenfold.

    Half of the other trees are of the same space, half of other spaces. The bare driver's count of
    the ancestors comes before and after as well: what slows that down is the machine.
    """
    memory = bench.memory()
    depths = bench.sizes.depths[:2]
    turns = chain(depths[-1], "mine")
    bench.fill(memory.space, turns, FACTS_PER_TURN)
    works: dict[str, Callable[[], object]] = {}
    for depth in depths:
        leaf = turns[depth - 1]["id"]
        for side, work in _counts(bench, memory, leaf, depth).items():
            works[f"{side} {depth}"] = work
    works["facts"] = memory.at(turns[depths[0] - 1]["id"]).facts
    _grow_others(bench, memory.space, 0, bench.sizes.others)
    before, few = interleaved(works, rounds=2 * bench.sizes.rounds), bench.bare.count(bare.COUNT)
    _grow_others(bench, memory.space, bench.sizes.others, 10 * bench.sizes.others)
    after, many = interleaved(works, rounds=2 * bench.sizes.rounds), bench.bare.count(bare.COUNT)
    others = f"{few:,} → {many:,} turns in the database"
    return [
        _growth_row(
            f"{what} at depth {depth:,}, {others}",
            (before[name], after[name]),
            after[f"bare {depth}"].median / before[f"bare {depth}"].median,
        )
        for what, name, depth in [
            *(("visible", f"ours {depth}", depth) for depth in depths),
            ("facts()", "facts", depths[0]),
        ]
    ]


def _growth_row(name: str, times: tuple[Timing, Timing], drift: float) -> Row:
    before, after = times
    ratio = after.median / before.median
    return Row(
        name,
        "ms",
        after.median,
        None,
        ratio,
        "after / before ≤ 1.25 × bare's",
        ratio <= 1.25 * drift,
        f"before {before.median:.3g} ({before}), after {after.median:.3g} ({after}); "
        f"bare count ×{drift:.2f}",
    )


def _grow_others(bench: Bench, space: str, start: int, stop: int) -> None:
    """Add trees of 200 turns with a fact each, every other one to a space of other people."""
    length = 200
    for first in range(start, stop, 20 * length):
        numbers = range(first, min(first + 20 * length, stop), length)
        trees = [chain(length, f"other{number}") for number in numbers]
        for owner, some in ((space, trees[::2]), (bench.memory().space, trees[1::2])):
            bench.fill(owner, [turn for tree in some for turn in tree], 1)


def long_chain(bench: Bench) -> list[Row]:
    """Seconds to import a long chain and to read it back whole, far deeper than Python recurses."""
    length = bench.sizes.depths[-1]
    memory = bench.memory()
    turns = chain(length, "long")
    leaf = turns[-1]["id"]

    def store() -> None:
        for batch in batches(turns, bench.sizes.batch):
            memory.add_turns(batch)

    works: dict[str, Callable[[], object]] = {
        "add_turns": store,
        "path()": lambda: _expect(length, len(memory.at(leaf).path()), "turns on the path"),
        "tree()": lambda: _expect(length, len(memory.tree("long").turns), "turns in the tree"),
        "branches()": lambda: _expect(length, memory.branches("long")[0].turns, "turns"),
    }
    target = f"all {length:,} turns"  # a read that returned fewer would have raised
    return [
        Row(f"{name} of a chain of {length:,}", "s", seconds(work), target=target, ok=True)
        for name, work in works.items()
    ]


def scope_space(bench: Bench) -> list[Row]:
    """Milliseconds to count what is visible under ``scope="space"``, beside the ancestors only."""
    trees, length = bench.sizes.other_trees, 50
    memory = bench.memory()
    forest = [chain(length, f"tree{number}") for number in range(trees + 1)]
    bench.fill(memory.space, [turn for tree in forest for turn in tree], 1)
    heads = [tree[-1]["id"] for tree in forest]
    view = memory.at(heads[0], scope="space")
    everything = length * (trees + 1)
    works: dict[str, Callable[[], object]] = {
        "ours": lambda: _expect(everything, view.cypher(VISIBLE)[0]["n"], "visible records"),
        "bare": lambda: _expect(
            everything,
            bench.bare.count(bare.ANCESTORS_OF_ALL, space=memory.space, ids=heads),
            "ancestors",
        ),
    }
    times = interleaved(works, rounds=bench.sizes.rounds)
    ours, theirs = times["ours"], times["bare"]
    return [
        Row(
            f"scope='space': {trees} other trees of {length} turns and facts",
            "ms",
            ours.median,
            theirs.median,
            ours.median / theirs.median,
            note=f"{ours}, bare {theirs}",
        )
    ]


MEASUREMENTS = (bulk_turns, bulk_facts, visible_records, growth, long_chain, scope_space)


@contextmanager
def opened(sizes: Sizes) -> Iterator[Bench]:
    """Open the store as the command line does; delete what was stored, also after a failure."""
    with jar_progress() as progress, Store.open(progress=progress) as store:
        bench = Bench(store, sizes)
        try:
            yield bench
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what came during a `clear` ended it
            bench.clear()


def measured(bench: Bench) -> Iterator[Row]:
    """Make every measurement, each with the spaces of the one before it gone."""
    for measure in MEASUREMENTS:
        with err.status(f"{measure.__name__} …"):
            yield from measure(bench)
            bench.clear()


def document(bench: Bench, rows: Sequence[Row]) -> dict[str, Any]:
    """Return what ``--json`` writes: the machine, the sizes and the rows."""
    return {
        "neo4j": bench.store.version,
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "sizes": asdict(bench.sizes),
        "rows": [asdict(row) for row in rows],
    }


def main(
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the numbers to this file.")
    ] = None,
    quick: Annotated[bool, typer.Option(help="Store less: about a tenth.")] = False,
) -> None:
    """Measure the speed of storing turns and of the gate, with the bare driver beside them."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the spaces are deleted
    with opened(QUICK if quick else Sizes()) as bench:
        rows = list(measured(bench))
    out.print(
        f"Neo4j {bench.store.version}, Python {platform.python_version()}, {os.cpu_count()} CPUs"
        + (" (quick: the targets are meant for the full sizes)" if quick else "")
    )
    out.print(table(rows))
    missed = [row.name for row in rows if row.ok is False]
    out.print(f"Targets missed: {'; '.join(missed)}" if missed else "All targets are met.")
    if json_file:
        json_file.write_text(json.dumps(document(bench, rows), ensure_ascii=False, indent=2) + "\n")


if __name__ == "__main__":
    typer.run(main)
