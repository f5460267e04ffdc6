"""Recall: what a question is answered from, found in three ways, each gated before its limit.

By meaning (vectors), by words (full-text), and by one hop of the graph (what else is said of the
entities that were found). Each way gives a ranking; reciprocal ranks fuse them.

The indexes are asked only for what may lie on the path: a record has the place of one of its
sources. What they bring goes through the gate. When too little of it is visible they bring more,
and at last all that is visible is compared, so that one visible record among thousands of nearer
hidden ones is found. On a path nothing grows with what else the graph holds; the scope ``space``
looks at the heads of all conversations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from graphmem._claims import claim_of
from graphmem._credit import values
from graphmem._errors import InvalidInputError
from graphmem._gate import Gate, require_turn
from graphmem._models import Claim, Kind
from graphmem._question import MOST_RUNS, linked, lucene, named
from graphmem._text import number_of
from graphmem.embed import Embedder, Live, query_vector, require_model
from graphmem.store import IndexGoneError, Query, Row, Store, Transaction, queries, vector

DEPTH = 30
"""Visible claims that each way contributes before they are fused."""
FIRST, GROWTH, LAST = 80, 16, 30_000
"""How many records an index brings at first, how that grows while too few of them are visible, and
the most it brings before all that is visible is compared instead."""
MOST_NEAR = 10_000
"""The most that the server's vector index brings, whatever it is asked for."""
FEW_RUNS = 3
"""Segments of a path that the vector index is asked about one by one."""
NO_WORDS = "tokens:none"
"""What the full-text index is asked for when a question has no word: no token is that."""
SEEDS = 12
"""Entities of the best records that the graph is followed from."""
RANK = 10
"""What is added to a rank before it is inverted: how much the first few are preferred."""
VALUED = 0.5
"""By what part of itself a score rises or falls with a value of 1 or -1, if valued is preferred."""
WEIGHTS = {"vector": 1.0, "text": 1.0, "graph": 0.3}
"""What each way counts. Chosen on half of the LoCoMo conversations: docs/measurements.md."""


Prefer = Literal["valued"]
"""``valued``: what turns said that have earned credit ranks higher, what others said lower."""


class Hit(Claim):
    """A claim that recall found, best first by ``score``.

    ``parts`` say what each way of looking gave it: ``vector`` (similarity, 0 to 1), ``text`` (the
    score of the words, above 0) and ``graph`` (what it shares with the others found, above 0),
    where it was among that way's best. ``why`` says why it may be shown.
    """

    score: float
    parts: dict[str, float]
    why: str


@dataclass(frozen=True)
class Since:
    """The turns of the path from this one on."""

    turn: str


Window = Since | tuple[str, ...]
"""What the prompt shows already: what comes wholly from there is left out."""


@dataclass(frozen=True)
class Question:
    """What is asked for, and how."""

    text: str
    k: int
    kinds: Sequence[Kind]
    history: bool = False
    embedder: Embedder | None = None
    prefer: Prefer | None = None
    window: Window = ()

    @cached_property
    def vector(self) -> Any:
        """The vector of the text as the store takes it: made once, though a read may be retried."""
        return vector(query_vector(self.embedder, self.text)) if self.embedder else None

    def slot(self, live: Sequence[Row]) -> int | None:
        """Return the place to search, None where the store has no vectors.

        Errors: EmbedderMismatchError when they are of another model.
        """
        if self.embedder is None or not live:
            return None
        place = Live(**live[0])
        require_model(place, self.embedder)
        return place.slot


@dataclass
class Found:
    """What was found: the light rows by id, and each way's ranking of these."""

    rows: dict[str, Row] = field(default_factory=dict)
    scores: dict[str, float] = field(default_factory=dict)

    def add(self, way: str, rows: Iterable[Row]) -> None:
        """Take over what one way has found, best first."""
        ranks: dict[tuple[str, str], int] = {}
        for row in rows:
            rank = ranks.setdefault(_claim(row), len(ranks))
            known = self.rows.setdefault(row["id"], row | {"parts": {}})
            known["parts"][way] = row["score"]
            self.scores.setdefault(row["id"], 0.0)
            self.scores[row["id"]] += WEIGHTS[way] / (RANK + rank)

    def weigh(self, values: Mapping[str, float]) -> None:
        """Let scores rise or fall with the values, -1 to 1, that are known of records."""
        for id_, value in values.items():
            self.scores[id_] *= 1 + VALUED * value

    def best(self, k: int) -> list[list[Row]]:
        """Return the best ``k`` claims, each as the records that make it."""
        groups: dict[tuple[str, str], list[Row]] = {}
        for id_ in sorted(self.scores, key=lambda id_: (-self.scores[id_], id_)):
            row = self.rows[id_]
            groups.setdefault(_claim(row), []).append(row)
        return list(groups.values())[:k]


def _claim(row: Row) -> tuple[str, str]:
    return row["kind"], row["text"]


def answer(store: Store, gate: Gate, asked: Question) -> list[Hit]:
    """Return the ``k`` best claims for a question, in a transaction of its own.

    `reembed` may end between two of its queries and drop the vectors' old index: then the question
    is asked once more, of the new one.
    """
    try:
        return store.read(lambda tx: recall(tx, gate, asked))
    except IndexGoneError:
        return store.read(lambda tx: recall(tx, gate, asked))


def recall(tx: Transaction, gate: Gate, asked: Question) -> list[Hit]:
    """Return the ``k`` best claims for a question, current ones unless its history is wanted."""
    found_reach = gate.rows(tx, queries.recall.reach)
    if not found_reach:
        return []
    reach = found_reach[0]
    window = window_of(tx, gate, asked.window, reach["runs"])
    search = _Search(tx, gate.settled(tx), asked, reach["runs"], asked.slot(reach["live"]), window)
    found = Found()
    for way, rows in search.by_meaning_and_words().items():
        found.add(way, rows)
    found.add("graph", search.by_graph([row for same in found.best(asked.k) for row in same]))
    if asked.prefer:
        found.weigh(_values(tx, gate, list(found.rows)))
    return search.hits(found)


def window_of(
    tx: Transaction, gate: Gate, window: Window, runs: Sequence[Sequence[int]] | None = None
) -> list[str]:
    """Return the turns of a window that lie on the anchor's path, which runs through ``runs``.

    Errors: UnknownTurnError, InvalidInputError when the path does not have its first turn.
    """
    if not window or gate.anchor is None:
        return []
    if isinstance(window, Since):
        return _turns_since(tx, gate, window.turn)
    if runs is None:
        runs = gate.runs(tx)
    spots = tx.run(queries.turn.spots, space=gate.space, ids=list(window))
    return [
        spot["id"]
        for spot in spots
        if spot["place"] is not None
        and any(run[0] == spot["segment"] and run[1] >= spot["place"] for run in runs)
    ]


def _turns_since(tx: Transaction, gate: Gate, since: str) -> list[str]:
    gate.require(tx)
    rows = tx.run(queries.recall.window, space=gate.space, anchor=gate.anchor, since=since)
    turns = [row["id"] for row in rows]
    if since not in turns:
        require_turn(tx, gate.space, since)
        raise InvalidInputError(
            f"turn {since!r} is not on the path of {gate.anchor!r}, so no window starts there; "
            "name the first turn of this path that the prompt shows"
        )
    return turns


def _values(tx: Transaction, gate: Gate, ids: Sequence[str]) -> dict[str, float]:
    """Return what the turns that records come from have earned on average, -1 to 1."""
    earned = values(tx, gate)
    if not earned:
        return {}
    rows = tx.run(queries.record.stored, space=gate.space, ids=ids)
    means = {
        row["id"]: sum(earned.get(turn, 0.0) for turn in row["sourceIds"]) / len(row["sourceIds"])
        for row in rows
        if row["sourceIds"]  # not purged meanwhile
    }
    return {id_: max(-1.0, min(1.0, mean)) for id_, mean in means.items()}


@dataclass(frozen=True)
class _Search:
    """One question at one anchor, in one transaction."""

    tx: Transaction
    gate: Gate
    asked: Question
    runs: Sequence[Sequence[int]]
    slot: int | None
    """The place of the vectors that are searched, None without vectors."""
    window: Sequence[str] = ()

    def by_meaning_and_words(self) -> dict[str, list[Row]]:
        """Return the visible records nearest to the question, and those that share its words."""
        words = lucene(self.asked.text, self.gate.space, self._known_runs()) or NO_WORDS
        for limit in self._limits():
            row = self._run(self._bring(), words=words, limit=limit, **self._near()[1])[0]
            near: list[Row] = row["near"]
            worded: list[Row] = row["worded"]
            near_done = self._enough(near, row["nearBrought"], min(limit, MOST_NEAR))
            worded_done = self._enough(worded, row["wordedBrought"], limit)
            if near_done and worded_done:
                break
        if not near_done:
            near = self._run(self.gate.current().then(self._slot(queries.recall.nearest)))
        if not worded_done:
            everything = self.gate.current().then(queries.recall.all_worded)
            worded = self._run(everything, words=words)
        return {"vector": near, "text": worded}

    def by_graph(self, rows: Sequence[Row]) -> list[Row]:
        """Return the visible records that mention what the best ones mention, or the question."""
        mentioned = dict.fromkeys(key for row in rows for key in row["keys"])
        keys = list(dict.fromkeys([*list(mentioned)[:SEEDS], *named(self.asked.text)]))
        if not keys:
            return []
        words = linked(keys, self.gate.space, self._known_runs())
        query = self._shown().for_each(queries.recall.linked, queries.recall.best_linked)
        for limit in self._limits():
            row = self._run(query, words=words, keys=keys, limit=limit)[0]
            found: list[Row] = row["linked"]
            if self._enough(found, row["brought"], limit):
                break
        return found

    def _limits(self) -> Iterator[int]:
        """Yield how many records an index is asked for, first and as long as it was too few."""
        limit = max(FIRST, 2 * self.asked.k)
        while limit < LAST:
            yield limit
            limit *= GROWTH
        yield LAST

    def _enough(self, rows: Iterable[Row], brought: int, limit: int) -> bool:
        """Say whether there are claims enough, or no more than were brought."""
        return brought < limit or len(set(map(_claim, rows))) >= self.asked.k

    def hits(self, found: Found) -> list[Hit]:
        """Return the best in full; the gate looks at each once more."""
        best = found.best(self.asked.k)
        ids = [row["id"] for same in best for row in same]
        query = self.gate.among(queries.record.some, queries.recall.hits).then(queries.record.row)
        rows = {row["id"]: row for row in self._run(query, ids=ids)}
        groups = [[row for row in same if row["id"] in rows] for same in best]
        return [self._hit(same, rows, found) for same in groups if same]

    def _hit(self, same: Sequence[Row], rows: dict[str, Row], found: Found) -> Hit:
        claim = claim_of([rows[row["id"]] for row in same])
        first = same[0]
        return Hit.model_construct(
            **claim.__dict__,
            score=found.scores[first["id"]],
            parts=first["parts"],
            why=_why(claim, self.gate),
        )

    def _bring(self) -> Query:
        recall = queries.recall
        return self._shown().for_each(self._near()[0].then(recall.worded), recall.ranked)

    def _shown(self) -> Query:
        return self.gate.current(queries.gate.candidates).then(queries.recall.shown)

    def _near(self) -> tuple[Query, dict[str, Any]]:
        """Return how to ask for the nearest records that may lie on the path."""
        runs = self._known_runs()
        if self.slot is None:
            return queries.recall.near_none, {}
        if not runs:
            key = number_of(self.gate.space)
            return self._slot(queries.recall.near_space), {"spaceKey": key}
        if len(runs) <= FEW_RUNS:
            return self._slot(queries.recall.near_runs), {"runs": runs}
        segments = [segment for segment, _ in runs]
        return self._slot(queries.recall.near_segments), {"segments": segments}

    def _slot(self, query: Query) -> Query:
        return query.for_slot(self.slot or 0)

    def _known_runs(self) -> Sequence[Sequence[int]]:
        """Return what the indexes may be told of the path; other trees have paths of their own."""
        return self.runs if self.gate.scope == "path" and len(self.runs) <= MOST_RUNS else []

    def _run(self, query: Query, **params: Any) -> list[Row]:
        return self.tx.run(
            query,
            **self.gate.bound(),
            **params,
            vector=self.asked.vector if self.slot is not None else None,
            kinds=list(self.asked.kinds),
            history=self.asked.history,
            window=self.window,
            depth=max(DEPTH, self.asked.k),
        )


def _why(claim: Claim, gate: Gate) -> str:
    turns = ", ".join(str(source.turn) for source in claim.sources[:5])
    more = f" and {len(claim.sources) - 5} more" if len(claim.sources) > 5 else ""
    where = "" if gate.scope == "path" else ", or of another tree's head"
    return f"said in {turns}{more}, on the path of {gate.anchor}{where}"
