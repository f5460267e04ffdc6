"""Rolling summaries: a path in blocks, each summed up once for all the branches that share it.

The path is cut into blocks of `BLOCK` turns, counted from the root. Every full block gets a summary
of level 1; `FAN` full blocks in a row get one of level 2, made of theirs, and so on up to level
`LEVELS`. The turns that come after the last full block stay as they are. So nothing that follows
changes what a block is.

A summary is a record: its sources are the turns it was made of, and the gate shows it where all of
them are on the path. Its id is made of its level, these turns and the summariser's name, so that it
is found again from every branch and by every process, without asking a model.

- What was said by others than user and assistant, and what memory put into a turn, is not summed
  up; the turns are among the sources all the same, since the summary stands for them.
- A block with a revoked or purged turn is summed up without it: another summary, with an id of its
  own. When a revoked turn is restored the first one is visible again, and is preferred.
- A summary that was revoked, purged or corrected is not made again; its turns stay.
- While the root of a path has not arrived its blocks cannot be counted, and nothing is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from graphmem import _records
from graphmem._errors import (
    BatchError,
    ConflictError,
    InvalidInputError,
    ModelAnswerError,
    PurgedError,
    UnknownRecordError,
    UsageError,
)
from graphmem._fence import cut_injected
from graphmem._gate import Gate
from graphmem._models import Claim, Id, Model, Source
from graphmem._records import NewRecord
from graphmem._turns import hash_of
from graphmem.extract._reading import SPEAKERS
from graphmem.store import Row, Store, Transaction, queries
from graphmem.summarise import Summariser

BLOCK = 20
"""Turns that are summed up together: some ten exchanges."""
FAN = 10
"""Summaries that the next level sums up together."""
LEVELS = 3
"""The highest level. What is above it would have so many sources that the gate takes long."""
GIVE_UP = 3
"""Answers of no use after which no more are asked for: the model is not up to it."""

Progress = Callable[[int, int], object]


class Summary(Claim):
    """A summary of a run of turns: its ``sources``. ``level`` 1 is made of turns, 2 of level 1."""

    level: int
    summariser: str


class Rolling(Model):
    """A path in short: ``summaries`` in order, the highest level first, without overlap.

    ``turns`` are those of the path that none of them was made of, revoked and purged ones left out.
    """

    summaries: tuple[Summary, ...] = ()
    turns: tuple[Id, ...] = ()


class Summarised(Rolling):
    """A path in short, and how many of its summaries were ``made`` now or were there (``reused``).

    ``left_out`` counts the blocks without a summary: they say nothing, or what they were to be made
    of is gone or hidden. Their turns are among ``turns``. With ``awaited`` turns on the path
    nothing was made.
    """

    made: int = 0
    reused: int = 0
    left_out: int = 0
    awaited: tuple[Id, ...] = ()


# --- reading


def rolling(tx: Transaction, gate: Gate, summariser: str | None = None) -> Rolling:
    """Return the stored summaries that stand for the anchor's path, and the turns that are left.

    With ``summariser`` only those that it made. Errors: `UnknownTurnError`.
    """
    if gate.anchor is None:
        return Rolling()
    gate.require(tx)
    found = tx.run(queries.summary.of_path, **gate.bound())
    rows = _shown(tx, gate, [run for run in found if summariser in (None, run["summariser"])])
    ids = [row["id"] for row in rows]
    left = tx.run(queries.summary.uncovered, **gate.bound(), ids=ids)
    return Rolling(
        summaries=tuple(_summary(row) for row in rows), turns=tuple(row["id"] for row in left)
    )


def _shown(tx: Transaction, gate: Gate, runs: Sequence[Row]) -> list[Row]:
    """Return the fewest summaries that the gate lets through.

    It is asked about those that would do; for one that is hidden the next best are looked at.
    """
    shown: dict[str, Row] = {}
    while True:
        chosen = [run["id"] for run in _fewest(runs)]
        asked = [id for id in chosen if id not in shown]
        shown |= {row["id"]: row for row in _rows(tx, gate, asked)}
        hidden = set(asked) - shown.keys()
        if not hidden:
            return [shown[id] for id in chosen]
        runs = [run for run in runs if run["id"] not in hidden]


def _fewest(runs: Iterable[Row]) -> list[Row]:
    """Return runs that do not overlap, along the path: high levels win, then many turns."""
    taken: list[Row] = []
    for run in sorted(runs, key=lambda run: (-run["level"], -run["turns"], run["id"])):
        if not any(_overlap(run, other) for other in taken):
            taken.append(run)
    return sorted(taken, key=lambda run: int(run["firstPlace"]))


def _overlap(a: Row, b: Row) -> bool:
    return bool(a["firstPlace"] <= b["lastPlace"] and b["firstPlace"] <= a["lastPlace"])


def _rows(tx: Transaction, gate: Gate, ids: Sequence[str]) -> list[Row]:
    """Return those of some summaries that are current at the anchor, along its path."""
    if not ids:
        return []
    return gate.rows(tx, gate.among(queries.record.some, queries.summary.row), ids=list(ids))


def _summary(row: Row) -> Summary:
    return Summary.model_construct(
        id=row["id"],
        kind="summary",
        text=row["text"],
        supports=1,
        records=(row["id"],),
        sources=tuple(Source.model_construct(turn=turn) for turn in row["sourceIds"]),
        level=row["level"],
        summariser=row["summariser"],
    )


# --- what is to be made


@dataclass(frozen=True)
class Block:
    """A run of turns to be summed up by one summariser, from its inputs if it has any."""

    summariser: str
    level: int
    first: int
    last: int
    turns: tuple[str, ...]
    inputs: tuple[Block, ...] = ()

    @cached_property
    def id(self) -> str:
        """What the summary's record is called."""
        return hash_of(["summary", self.level, self.turns, self.summariser])

    def sources(self) -> tuple[Source, ...]:
        """Return what the summary is derived from."""
        if self.inputs:
            return tuple(Source(record=one.id) for one in self.inputs)
        return tuple(Source(turn=turn) for turn in self.turns)

    def marks(self) -> Row:
        """Return what `rolling` knows the summary by."""
        return {
            "id": self.id,
            "level": self.level,
            "summariser": self.summariser,
            "firstPlace": self.first,
            "lastPlace": self.last,
            "turns": len(self.turns),
        }


def blocks(path: Sequence[Row], summariser: str, block: int, fan: int) -> list[Block]:
    """Return the full blocks of a path, what each is made of before itself."""
    level = [
        _lowest(summariser, path[first : first + block], first)
        for first in range(0, len(path) - block + 1, block)
    ]
    found = [one for one in level if one]
    number = 1
    while len(level) >= fan and number < LEVELS:
        number += 1
        groups = [level[at : at + fan] for at in range(0, len(level) - fan + 1, fan)]
        level = [_above(number, [one for one in group if one]) for group in groups]
        found += [one for one in level if one and one.level == number]
    return found


def _lowest(summariser: str, steps: Sequence[Row], first: int) -> Block | None:
    """Return a block of turns, unless all of them are forgotten."""
    turns = tuple(step["id"] for step in steps if not step["forgotten"])
    return Block(summariser, 1, first, first + len(steps) - 1, turns) if turns else None


def _above(level: int, inputs: Sequence[Block]) -> Block | None:
    """Return the block above some others; a single one stands for itself."""
    if len(inputs) < 2:
        return inputs[0] if inputs else None
    turns = tuple(turn for one in inputs for turn in one.turns)
    first, last = inputs[0], inputs[-1]
    return Block(first.summariser, level, first.first, last.last, turns, tuple(inputs))


@dataclass(frozen=True)
class _Plan:
    """The blocks of a path, and which of them have a summary (``taken``) that can be seen."""

    blocks: Sequence[Block] = ()
    taken: frozenset[str] = frozenset()
    seen: frozenset[str] = frozenset()
    awaited: tuple[str, ...] = ()


def _plan(tx: Transaction, gate: Gate, summariser: str, block: int, fan: int) -> _Plan:
    path = gate.rows(tx, queries.gate.path.then(queries.summary.step))
    if awaited := tuple(step["id"] for step in path if step["awaited"]):
        return _Plan(awaited=awaited)
    found = blocks(path, summariser, block, fan)
    if not found:
        return _Plan()
    ids = [one.id for one in found]
    known = tx.run(queries.summary.known, space=gate.space, ids=ids)
    shown = gate.rows(tx, gate.among(queries.record.some, queries.summary.current), ids=ids)
    return _Plan(found, _ids(known), _ids(shown))


def _ids(rows: Iterable[Row]) -> frozenset[str]:
    return frozenset(row["id"] for row in rows)


# --- making it


def summarise(
    store: Store,
    space: str,
    anchor: str | None,
    summariser: Summariser,
    *,
    progress: Progress | None = None,
    block: int = BLOCK,
    fan: int = FAN,
) -> Summarised:
    """Sum up the full blocks of the anchor's path that have no summary yet.

    Each is stored as soon as it is made, so what is cut off goes on when it is called again; no
    transaction is open while a model is asked. ``progress`` hears how many blocks of how many are
    done. Errors: `UnknownTurnError`; `ModelUnavailableError` at once; `ModelAnswerError` when an
    answer was of no use, after the other blocks were tried (or when `GIVE_UP` answers were).
    """
    if block < 1 or fan < 2:
        raise InvalidInputError(f"a block has 1 turn or more and a fan 2, not {block} and {fan}")
    gate = Gate(space, anchor)
    plan = store.read(lambda tx: _plan(tx, gate, summariser.name, block, fan))
    run = _Run(store, gate, summariser, plan)
    for done, one in enumerate(plan.blocks, start=1):
        run.sum_up(one)
        if progress:
            progress(done, len(plan.blocks))
    if run.failures:
        raise run.failures[0]
    return run.result()


@dataclass
class _Run:
    """One call of `summarise`. ``usable`` are the summaries that others can be made of."""

    store: Store
    gate: Gate
    summariser: Summariser
    plan: _Plan
    made: int = 0
    usable: set[str] = field(default_factory=set)
    failures: list[ModelAnswerError] = field(default_factory=list)

    def sum_up(self, block: Block) -> None:
        """Make the summary of a block, or find out that there is one, or that there can be none."""
        if block.id in self.plan.seen:
            self.usable.add(block.id)
        elif block.id not in self.plan.taken and all(one.id in self.usable for one in block.inputs):
            self._make(block)

    def _make(self, block: Block) -> None:
        texts = self.store.read(lambda tx: self._texts(tx, block))
        text = self._asked(texts) if any(texts) else ""
        if text.strip():
            self._keep(block, text)

    def _texts(self, tx: Transaction, block: Block) -> list[str]:
        """Return what a block says; nothing when some of it is gone by now."""
        if block.inputs:
            rows = _rows(tx, self.gate, [one.id for one in block.inputs])
            return [row["text"] for row in rows] if len(rows) == len(block.inputs) else []
        rows = tx.run(queries.summary.told, space=self.gate.space, ids=list(block.turns))
        return [_said(row) for row in rows] if len(rows) == len(block.turns) else []

    def _asked(self, texts: Sequence[str]) -> str:
        """Return the summary, or nothing where the answer was of no use: it has cost that block."""
        try:
            return self.summariser.summarise([text for text in texts if text])
        except ModelAnswerError as error:
            self.failures.append(error)
            if len(self.failures) >= GIVE_UP:
                raise
            return ""

    def _keep(self, block: Block, text: str) -> None:
        try:
            self.store.write(lambda tx: _add(tx, self.gate.space, block, text))
        except UsageError as error:
            if _is_gone(error):
                return
            if not isinstance(error, ConflictError):
                raise
        else:
            self.made += 1
        self.usable.add(block.id)  # on a conflict someone else has made it meanwhile

    def result(self) -> Summarised:
        """Return the path in short, with what was done."""
        found = self.store.read(lambda tx: rolling(tx, self.gate, self.summariser.name))
        return Summarised(
            summaries=found.summaries,
            turns=found.turns,
            made=self.made,
            reused=len(self.usable) - self.made,
            left_out=len(self.plan.blocks) - len(self.usable),
            awaited=self.plan.awaited,
        )


def _said(row: Row) -> str:
    """Return what user or assistant said in a turn, without what memory put into it."""
    return cut_injected(row["text"]).strip() if row["role"] in SPEAKERS else ""


def _add(tx: Transaction, space: str, block: Block, text: str) -> None:
    """Store a summary; what it was made of is looked at once more."""
    new = NewRecord(id=block.id, kind="summary", text=text, sources=block.sources())
    _records.add(tx, space, [new])
    tx.run(queries.summary.mark, space=space, rows=[block.marks()])


def _is_gone(error: UsageError) -> bool:
    """Say whether what a summary was to be made of has been purged meanwhile."""
    if isinstance(error, BatchError):
        return all(map(_is_gone, error.errors))
    return isinstance(error, PurgedError | UnknownRecordError)
