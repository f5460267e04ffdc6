"""Reading from an anchor. Every verb goes through the gate in ``cypher/gate/visible.cypher``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

from graphmem._claims import collapsed
from graphmem._context import Context, block
from graphmem._credit import TurnCredit, credit
from graphmem._entities import entities, neighbours, paths
from graphmem._errors import InvalidInputError
from graphmem._explain import difference, explain, fork, one_visible
from graphmem._gate import Gate, checked_kinds
from graphmem._graph_models import Edge, Entity, GraphPath, Moment
from graphmem._insights import evidence, insights
from graphmem._models import (
    CLAIMS,
    Claim,
    Difference,
    Evidence,
    Explanation,
    Insight,
    Kind,
    Mention,
    Record,
    Scope,
    Turn,
)
from graphmem._question import MOST_CLAIMS, checked_count, checked_question
from graphmem._recall import Hit, Prefer, Question, Since, Window, answer, window_of
from graphmem._summaries import Rolling, rolling
from graphmem._timeline import timeline
from graphmem._turns import turn_of
from graphmem.embed import Embedder
from graphmem.store import Row, Store, Transaction, queries

T = TypeVar("T")

CONTEXT_CLAIMS = 50
"""Claims that a context block chooses from."""


def _checked_preference(prefer: Any) -> Prefer | None:
    if prefer not in (None, "valued"):
        raise InvalidInputError(f"prefer is 'valued' or None, not {prefer!r}")
    return cast(Prefer | None, prefer)


def _window(turns: Iterable[str] | None, since: str | None) -> Window:
    """Read what the prompt shows already; InvalidInputError when it is said in two ways."""
    if turns is not None and since is not None:
        raise InvalidInputError("give exclude_window or since, not both")
    if since is not None:
        return Since(since)
    if isinstance(turns, str) or not isinstance(turns, Iterable | None):
        raise InvalidInputError(f"exclude_window is a list of turns; write [{turns!r}]")
    window = tuple(turns or ())
    if wrong := [turn for turn in window if not isinstance(turn, str)]:
        raise InvalidInputError(f"exclude_window is a list of turn ids, {wrong[0]!r:.60} is none")
    return window


class View:
    """What can be seen from one turn, the anchor. Made by `Memory.at`; holds no state of the graph.

    With anchor None every verb returns nothing; with one that is not stored, or still awaited, it
    raises `UnknownTurnError`.
    """

    def __init__(
        self,
        store: Store,
        space: str,
        anchor: str | None,
        scope: Scope = "path",
        *,
        embedder: Embedder | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._gate = Gate(space, anchor, scope)
        self.anchor = anchor
        self.scope = scope

    def path(self) -> list[Turn]:
        """Return the anchor and its ancestors, the root first.

        >>> [turn.id for turn in memory.at("u2").path()]
        ['u2']
        """
        query = queries.gate.path.then(queries.turn.row)
        rows = self._store.read(lambda tx: self._gate.rows(tx, query))
        return [turn_of(row) for row in rows if not (row["awaited"] or row["forgotten"])]

    def visible(self, kinds: Iterable[Kind] | None = None) -> list[Claim]:
        """Return what is visible, current or not, equal claims collapsed.

        ``kinds`` are facts, relations, summaries and insights unless others are asked for. The
        claims come in the order of the path; under scope ``space`` other trees follow, each in its
        own order.

        >>> [claim.text for claim in memory.at("u1").visible(kinds=["fact"])]
        ['moves to Chengdu']
        """
        return self._claims(checked_kinds(kinds, CLAIMS), history=True)

    def facts(self) -> list[Claim]:
        """Return the current facts: those of `visible` that nothing visible invalidates.

        >>> [fact.text for fact in memory.at("u2").facts()]
        ['moves to Hangzhou']
        """
        return self._claims(["fact"])

    def relations(self) -> list[Claim]:
        """Return the current relations: the edges between entities.

        >>> memory.at("u2").relations()
        []
        """
        return self._claims(["relation"])

    def summaries(self) -> list[Claim]:
        """Return the current summaries.

        >>> memory.at("u2").summaries()
        []
        """
        return self._claims(["summary"])

    def recall(
        self,
        query: str,
        k: int = 10,
        *,
        kinds: Iterable[Kind] | None = None,
        history: bool = False,
        prefer: Prefer | None = None,
        exclude_window: Iterable[str] | None = None,
        since: str | None = None,
    ) -> list[Hit]:
        """Return the ``k`` claims that answer a question best.

        They are found by meaning (where there are vectors), by words, and by one hop of the graph,
        and all have passed the gate before the first was left out. Only current claims are
        returned, with ``history`` also those that no longer hold. What looks like a search syntax
        in the question is text.

        ``exclude_window`` (ids of turns) or ``since`` (the first of them on this path) says what
        the prompt shows already: claims that come wholly from there are left out. With
        ``prefer="valued"`` claims rank higher or lower, by up to half their score, with what the
        turns that they come from have earned here (see `credit`); none is left out for it.

        Errors: `InvalidInputError` for a blank question, more than 200 claims or a ``since`` that
        is not on the path, `EmbedderMismatchError` when the vectors are of another model,
        `ModelError`.

        >>> [hit.text for hit in memory.at("u2").recall("Who moves to Chengdu or Hangzhou?")]
        ['moves to Hangzhou']
        """
        asked = Question(
            text=checked_question(query),
            k=checked_count(k, "k", MOST_CLAIMS),
            kinds=checked_kinds(kinds, CLAIMS),
            history=history,
            embedder=self._embedder,
            prefer=_checked_preference(prefer),
            window=_window(exclude_window, since),
        )
        if self.anchor is None:
            return []
        return answer(self._store, self._gate, asked)

    def context(
        self,
        query: str,
        max_tokens: int = 1000,
        *,
        kinds: Iterable[Kind] | None = None,
        prefer: Prefer | None = None,
        exclude_window: Iterable[str] | None = None,
        since: str | None = None,
    ) -> Context:
        """Return a block for a model's prompt: what is remembered here that the question is about.

        It is at most ``max_tokens`` long, estimated without a tokenizer as a third of its bytes. It
        names the turns that each line comes from, is fenced as data that is not to be obeyed, and
        is empty when there is nothing to say. Summaries of the path come first: the latest, in at
        most half of the room. The other arguments are those of `recall`, and so are the errors.

        >>> print(str(memory.at("u2").context("Who moves?")).splitlines()[2])
        - moves to Hangzhou [u2]
        """
        checked_count(max_tokens, "max_tokens")
        wanted = checked_kinds(kinds, CLAIMS)
        rolls = "summary" in wanted and self.scope == "path"
        recalled = [kind for kind in wanted if not (rolls and kind == "summary")]
        shown = _window(exclude_window, since)
        if isinstance(shown, Since):
            start = shown
            shown = tuple(self._store.read(lambda tx: window_of(tx, self._gate, start)))
        hits = (
            self.recall(
                query, k=CONTEXT_CLAIMS, kinds=recalled, prefer=prefer, exclude_window=shown
            )
            if recalled
            else []
        )
        summaries = self.rolling().summaries if rolls else ()
        untold = [one for one in summaries if {source.turn for source in one.sources} - {*shown}]
        return block(untold, hits, max_tokens)

    def rolling(self) -> Rolling:
        """Return the path in short: stored summaries in order, and the turns that are left.

        `Memory.summarise` makes them. Errors: `UnknownTurnError`.

        >>> memory.at("u2").rolling().turns
        ('u2',)
        """
        return self._store.read(lambda tx: rolling(tx, self._gate))

    def credit(self) -> list[TurnCredit]:
        """Return what the turns of the path have earned by what came of them, the root first.

        A value is the sum of what the credits of the path gave: one for each head on it where a
        `reward` was given. Turns that earned nothing are left out. Looks at the path only.

        >>> praise = memory.reward(1.0, turn="u2", head="u2")
        >>> [(one.turn, one.value, one.parts[0].head) for one in memory.at("u2").credit()]
        [('u2', 1.0, 'u2')]
        >>> memory.at("u1").credit()
        []
        """
        return self._store.read(lambda tx: credit(tx, self._gate))

    def insights(self) -> list[Insight]:
        """Return the insights that hold here, the newest version of each that can be seen.

        >>> found = memory.add_insight("moving", "Ask about the budget early.", evidence=["u2"])
        >>> [(one.label, one.version, one.support) for one in memory.at("u2").insights()]
        [('moving', 1, 1)]
        >>> memory.at("u1").insights()
        []
        """
        return self._read(insights)

    def evidence(self, insight: str | Insight) -> list[Evidence]:
        """Return every turn that any version of an insight cited: ``live`` here, or ``revoked``.

        Of an insight that is hidden here too, all of whose evidence may be revoked. Looks at the
        path only. Errors: `UnknownRecordError`, `UnknownTurnError`.

        >>> insight = memory.add_insight("moving", "Ask about the budget.", evidence=["u2"])
        >>> [(one.turn, one.status) for one in memory.at("u1").evidence(insight)]
        [('u2', 'revoked')]
        """
        return self._store.read(lambda tx: evidence(tx, self._gate, insight))

    def entities(self, query: str | None = None) -> list[Entity]:
        """Return the entities that visible records mention, the most mentioned first.

        ``query`` keeps those with a name that holds it. Names and types are those that visible
        records give them; entities that visible records say are the same are one.

        >>> memory.at("u2").entities()
        []
        """
        return self._read(lambda tx, gate: entities(tx, gate, query))

    def neighbours(self, entity: str | Mention, *, limit: int | None = None) -> list[Edge]:
        """Return the current relations of an entity, the latest on the path first.

        The entity is found by a name that visible records give it. One that is not visible has no
        neighbours.

        >>> edge = memory.relate("Ira", "moves to", "Hangzhou", sources=["u2"])
        >>> [(edge.predicate, edge.object.name) for edge in memory.at("u2").neighbours("Ira")]
        [('moves to', 'Hangzhou')]
        >>> memory.at("u1").neighbours("Ira")
        []
        """
        return self._read(lambda tx, gate: neighbours(tx, gate, entity, limit=limit))

    def paths(
        self, a: str | Mention, b: str | Mention, *, longest: int = 4, limit: int = 100
    ) -> list[GraphPath]:
        """Return the shortest chains of current relations from one entity to another.

        At most ``longest`` relations each, and at most ``limit`` of them.

        >>> _ = memory.relate("Ira", "moves to", "Hangzhou", sources=["u2"])
        >>> [str(path) for path in memory.at("u2").paths("Ira", "Hangzhou")]
        ['(Ira)-[moves to]->(Hangzhou)']
        """
        return self._read(lambda tx, gate: paths(tx, gate, a, b, longest=longest, limit=limit))

    def timeline(self, subject: str | Mention | Record | Claim) -> list[Moment]:
        """Return what was held when, and what took its place, along the path.

        Of a record (or its id): what it replaced and what replaced it. Of an entity: all that
        visible records say of it. Of what is not visible here, or not there at all: nothing.

        >>> fact = memory.at("u2").facts()[0]
        >>> [(moment.text, moment.since, moment.until) for moment in memory.at("u2").timeline(fact)]
        [('moves to Hangzhou', 'u2', None)]
        """
        return self._read(lambda tx, gate: timeline(tx, gate, subject))

    def get(self, record: str) -> Record | None:
        """Return one record if it is visible here, else None.

        >>> chengdu = memory.at("u1").facts()[0].id
        >>> memory.at("u1").get(chengdu).text, memory.at("u2").get(chengdu)
        ('moves to Chengdu', None)
        """
        return self._read(lambda tx, gate: one_visible(tx, gate, record))

    def explain(self, record: str) -> Explanation:
        """Say whether a record is visible and current here; if it is hidden, why, by its sources.

        Errors: `UnknownRecordError` when the space has no such record.

        >>> chengdu = memory.at("u1").facts()[0].id
        >>> memory.at("u2").explain(chengdu).reasons[0].code
        'off_path'
        """
        return self._read(lambda tx, gate: explain(tx, gate, record))

    def fork_point(self, other: str) -> str | None:
        """Return the last turn that this path and another's share; None without one.

        They share none when they are of different trees. Errors: `UnknownTurnError`.

        >>> memory.at("u1").fork_point("u2") is None      # two first messages
        True
        """
        return self._store.read(lambda tx: fork(tx, self._gate, other))[0]

    def diff(self, other: str) -> Difference:
        """Return the claims that are current here and not at ``other``, and the other way round.

        Compares the two paths; the scope plays no part. Errors: `UnknownTurnError`.

        >>> difference = memory.at("u1").diff("u2")
        >>> difference.only_a[0].text, difference.only_b[0].text
        ('moves to Chengdu', 'moves to Hangzhou')
        """
        space = self._gate.space
        here, there = Gate(space, self.anchor), Gate(space, other)
        return self._store.read(lambda tx: difference(tx, here, there))

    def cypher(self, text: str, /, **params: Any) -> list[Row]:
        """Run your own read-only Cypher on what is visible here; return its rows.

        It goes on where the gate ended, once for each visible record. Bound are ``fact`` (the
        record, of any kind), ``anchor`` (the turn), ``distance`` (turns from the anchor back to the
        record's last source) and ``current``. What you MATCH beyond them is not gated. Give
        parameters other names than ``space`` and ``anchor``. Errors:
        `CypherError`, also for anything that writes.

        >>> memory.at("u2").cypher("RETURN fact.text AS text")
        [{'text': 'moves to Hangzhou'}]
        """
        query = self._gate.current().then(queries.gate.user).then_by_user(text)
        if taken := query.params & params.keys():
            raise InvalidInputError(
                f"the parameters {sorted(taken)} are the gate's own; rename yours"
            )

        def work(tx: Transaction) -> list[Row]:
            if self.anchor is None:
                return []
            self._gate.require(tx)  # an aggregate has a row even of nothing
            return tx.run(query, **self._gate.bound(), **params)

        return self._store.read(work)

    def _read(self, work: Callable[[Transaction, Gate], T]) -> T:
        """Read by several queries, which look for the heads of other trees once."""
        return self._store.read(lambda tx: work(tx, self._gate.settled(tx)))

    def _claims(self, kinds: Sequence[Kind], *, history: bool = False) -> list[Claim]:
        return collapsed(self._store.read(lambda tx: self._gate.claims(tx, kinds, history=history)))
