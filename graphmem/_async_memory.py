"""`AsyncMemory`: the verbs of `Memory`, each run in a thread so that the event loop goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from anyio import to_thread

from graphmem._context import Context
from graphmem._credit import GAMMA, Credit, TurnCredit
from graphmem._extraction import Extracted, Failure
from graphmem._forgetting import Forgotten, Purged
from graphmem._graph_models import Edge, Entity, GraphPath, Moment
from graphmem._insights import CONFIDENCE, KIND
from graphmem._memory import UNSET, Memory, Progress, Unset
from graphmem._models import (
    Branch,
    Claim,
    Conversation,
    Correction,
    Difference,
    Evidence,
    Explanation,
    How,
    Insight,
    Kind,
    Mention,
    Record,
    Scalar,
    Scope,
    Source,
    Stored,
    Tree,
    Turn,
)
from graphmem._recall import Hit, Prefer
from graphmem._records import NewRecord
from graphmem._summaries import Rolling, Summarised
from graphmem._view import View
from graphmem.embed import Embedder, Filled, Status
from graphmem.extract import Extractor
from graphmem.store import Row
from graphmem.summarise import Summariser

P = ParamSpec("P")
T = TypeVar("T")


async def _in_thread(call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    return await to_thread.run_sync(partial(call, *args, **kwargs))


class AsyncView:
    """A `View` whose verbs are awaited. Made by `AsyncMemory.at`."""

    def __init__(self, view: View) -> None:
        self._view = view
        self.anchor = view.anchor
        self.scope = view.scope

    async def path(self) -> list[Turn]:
        """See `View.path`."""
        return await _in_thread(self._view.path)

    async def visible(self, kinds: Iterable[Kind] | None = None) -> list[Claim]:
        """See `View.visible`."""
        return await _in_thread(self._view.visible, kinds)

    async def facts(self) -> list[Claim]:
        """See `View.facts`."""
        return await _in_thread(self._view.facts)

    async def summaries(self) -> list[Claim]:
        """See `View.summaries`."""
        return await _in_thread(self._view.summaries)

    async def relations(self) -> list[Claim]:
        """See `View.relations`."""
        return await _in_thread(self._view.relations)

    async def recall(
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
        """See `View.recall`."""
        return await _in_thread(
            self._view.recall,
            query,
            k,
            kinds=kinds,
            history=history,
            prefer=prefer,
            exclude_window=exclude_window,
            since=since,
        )

    async def context(
        self,
        query: str,
        max_tokens: int = 1000,
        *,
        kinds: Iterable[Kind] | None = None,
        prefer: Prefer | None = None,
        exclude_window: Iterable[str] | None = None,
        since: str | None = None,
    ) -> Context:
        """See `View.context`."""
        return await _in_thread(
            self._view.context,
            query,
            max_tokens,
            kinds=kinds,
            prefer=prefer,
            exclude_window=exclude_window,
            since=since,
        )

    async def credit(self) -> list[TurnCredit]:
        """See `View.credit`."""
        return await _in_thread(self._view.credit)

    async def insights(self) -> list[Insight]:
        """See `View.insights`."""
        return await _in_thread(self._view.insights)

    async def evidence(self, insight: str | Insight) -> list[Evidence]:
        """See `View.evidence`."""
        return await _in_thread(self._view.evidence, insight)

    async def entities(self, query: str | None = None) -> list[Entity]:
        """See `View.entities`."""
        return await _in_thread(self._view.entities, query)

    async def neighbours(self, entity: str | Mention, *, limit: int | None = None) -> list[Edge]:
        """See `View.neighbours`."""
        return await _in_thread(self._view.neighbours, entity, limit=limit)

    async def paths(
        self, a: str | Mention, b: str | Mention, *, longest: int = 4, limit: int = 100
    ) -> list[GraphPath]:
        """See `View.paths`."""
        return await _in_thread(self._view.paths, a, b, longest=longest, limit=limit)

    async def timeline(self, subject: str | Mention | Record | Claim) -> list[Moment]:
        """See `View.timeline`."""
        return await _in_thread(self._view.timeline, subject)

    async def rolling(self) -> Rolling:
        """See `View.rolling`."""
        return await _in_thread(self._view.rolling)

    async def get(self, record: str) -> Record | None:
        """See `View.get`."""
        return await _in_thread(self._view.get, record)

    async def explain(self, record: str) -> Explanation:
        """See `View.explain`."""
        return await _in_thread(self._view.explain, record)

    async def fork_point(self, other: str) -> str | None:
        """See `View.fork_point`."""
        return await _in_thread(self._view.fork_point, other)

    async def diff(self, other: str) -> Difference:
        """See `View.diff`."""
        return await _in_thread(self._view.diff, other)

    async def cypher(self, text: str, /, **params: Any) -> list[Row]:
        """See `View.cypher`."""
        return await _in_thread(self._view.cypher, text, **params)


class AsyncMemory:
    """A `Memory` whose verbs are awaited.

    >>> async with await AsyncMemory.open(space="ann") as memory:  # doctest: +SKIP
    ...     print(await memory.at("u2").facts())
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.space = memory.space

    @classmethod
    async def open(
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
        """See `Memory.open`."""
        opened = await _in_thread(
            Memory.open,
            space,
            uri=uri,
            username=username,
            password=password,
            database=database,
            home=home,
            options=options,
            embedder=embedder,
            extractor=extractor,
        )
        return cls(opened)

    async def close(self) -> None:
        """See `Memory.close`."""
        await _in_thread(self._memory.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def add_turn(
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
        """See `Memory.add_turn`."""
        return await _in_thread(
            self._memory.add_turn,
            id,
            role=role,
            text=text,
            parent=parent,
            replaces=replaces,
            how=how,
            conversation=conversation,
            created_at=created_at,
            properties=properties,
            credit_share=credit_share,
        )

    async def add_turns(self, turns: Iterable[Turn | Mapping[str, Any]]) -> Stored:
        """See `Memory.add_turns`."""
        return await _in_thread(self._memory.add_turns, turns)

    async def reward(
        self, value: float, *, head: str, turn: str | None = None, gamma: float = GAMMA
    ) -> Credit:
        """See `Memory.reward`."""
        return await _in_thread(self._memory.reward, value, head=head, turn=turn, gamma=gamma)

    async def add_insight(
        self,
        label: str,
        body: str,
        evidence: Iterable[str | Source | Record | Claim | Insight],
        *,
        kind: str = KIND,
        confidence: float = CONFIDENCE,
        id: str | None = None,
    ) -> Insight:
        """See `Memory.add_insight`."""
        return await _in_thread(
            self._memory.add_insight, label, body, evidence, kind=kind, confidence=confidence, id=id
        )

    async def merge_insight(
        self,
        label: str | None = None,
        body: str | None = None,
        *,
        evidence: Iterable[str | Source | Record | Claim | Insight],
        target: str | Insight | None = None,
        kind: str | None = None,
        confidence: float | None = None,
    ) -> Insight:
        """See `Memory.merge_insight`."""
        return await _in_thread(
            self._memory.merge_insight,
            label,
            body,
            evidence=evidence,
            target=target,
            kind=kind,
            confidence=confidence,
        )

    async def remember_all(
        self, records: Iterable[NewRecord | Mapping[str, Any]], *, skip_purged: bool = False
    ) -> list[Record]:
        """See `Memory.remember_all`."""
        return await _in_thread(self._memory.remember_all, records, skip_purged=skip_purged)

    async def remember(
        self,
        text: str,
        sources: Sequence[str | Source | Record | Claim],
        *,
        kind: Kind = "fact",
        id: str | None = None,
        mentions: Sequence[str | Mention] = (),
    ) -> Record:
        """See `Memory.remember`."""
        return await _in_thread(
            self._memory.remember, text, sources, kind=kind, id=id, mentions=mentions
        )

    async def relate(
        self,
        subject: str | Mention,
        predicate: str,
        object: str | Mention,
        sources: Sequence[str | Source | Record | Claim],
        *,
        text: str | None = None,
        id: str | None = None,
    ) -> Record:
        """See `Memory.relate`."""
        return await _in_thread(
            self._memory.relate, subject, predicate, object, sources, text=text, id=id
        )

    async def same_as(
        self, a: str | Mention, b: str | Mention, sources: Sequence[str | Source | Record | Claim]
    ) -> Record:
        """See `Memory.same_as`."""
        return await _in_thread(self._memory.same_as, a, b, sources)

    async def correct(
        self,
        old: str | Record | Claim,
        new_text: str,
        sources: Sequence[str | Source | Record | Claim],
        *,
        mentions: Sequence[str | Mention] = (),
    ) -> Correction:
        """See `Memory.correct`."""
        return await _in_thread(self._memory.correct, old, new_text, sources, mentions=mentions)

    async def retract(
        self, old: str | Record | Claim | Insight, sources: Sequence[str | Source | Record | Claim]
    ) -> Correction:
        """See `Memory.retract`."""
        return await _in_thread(self._memory.retract, old, sources)

    async def extract(
        self,
        extractor: Extractor | str | None = None,
        *,
        turns: Iterable[str] | None = None,
        retry_failed: bool = False,
        lazy: bool = False,
        progress: Progress | None = None,
    ) -> Extracted:
        """See `Memory.extract`."""
        return await _in_thread(
            self._memory.extract,
            extractor,
            turns=turns,
            retry_failed=retry_failed,
            lazy=lazy,
            progress=progress,
        )

    async def extraction_failures(self, extractor: str = "sentences") -> list[Failure]:
        """See `Memory.extraction_failures`."""
        return await _in_thread(self._memory.extraction_failures, extractor)

    async def embed(self, *, progress: Progress | None = None) -> Filled:
        """See `Memory.embed`."""
        return await _in_thread(self._memory.embed, progress=progress)

    async def embedding_status(self) -> Status:
        """See `Memory.embedding_status`."""
        return await _in_thread(self._memory.embedding_status)

    async def reembed(
        self, embedder: Embedder | str | None = None, *, progress: Progress | None = None
    ) -> Filled:
        """See `Memory.reembed`."""
        return await _in_thread(self._memory.reembed, embedder, progress=progress)

    async def summarise(
        self,
        anchor: str,
        summariser: Summariser | str = "extractive",
        *,
        progress: Progress | None = None,
    ) -> Summarised:
        """See `Memory.summarise`."""
        return await _in_thread(self._memory.summarise, anchor, summariser, progress=progress)

    async def revoke(self, *, turns: Iterable[str] = (), records: Iterable[str] = ()) -> Forgotten:
        """See `Memory.revoke`."""
        return await _in_thread(self._memory.revoke, turns=turns, records=records)

    async def restore(self, *, turns: Iterable[str] = (), records: Iterable[str] = ()) -> Forgotten:
        """See `Memory.restore`."""
        return await _in_thread(self._memory.restore, turns=turns, records=records)

    async def purge(
        self, *, turns: Iterable[str] = (), records: Iterable[str] = (), dry_run: bool = False
    ) -> Purged:
        """See `Memory.purge`."""
        return await _in_thread(self._memory.purge, turns=turns, records=records, dry_run=dry_run)

    async def forget_space(
        self, *, dry_run: bool = False, progress: Progress | None = None
    ) -> Purged:
        """See `Memory.forget_space`."""
        return await _in_thread(self._memory.forget_space, dry_run=dry_run, progress=progress)

    async def add_conversation(
        self,
        id: str,
        *,
        title: str | None = None,
        created_at: datetime | None = None,
    ) -> Conversation:
        """See `Memory.add_conversation`."""
        return await _in_thread(
            self._memory.add_conversation, id, title=title, created_at=created_at
        )

    async def set_head(self, conversation: str, turn: str) -> None:
        """See `Memory.set_head`."""
        await _in_thread(self._memory.set_head, conversation, turn)

    def at(self, anchor: str | None, scope: Scope = "path") -> AsyncView:
        """See `Memory.at`."""
        return AsyncView(self._memory.at(anchor, scope))

    async def turn(self, id: str) -> Turn:
        """See `Memory.turn`."""
        return await _in_thread(self._memory.turn, id)

    async def conversations(self) -> list[Conversation]:
        """See `Memory.conversations`."""
        return await _in_thread(self._memory.conversations)

    async def tree(self, conversation: str | None) -> Tree:
        """See `Memory.tree`."""
        return await _in_thread(self._memory.tree, conversation)

    async def branches(self, conversation: str | None) -> list[Branch]:
        """See `Memory.branches`."""
        return await _in_thread(self._memory.branches, conversation)
