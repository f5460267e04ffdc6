"""`AsyncMemory`: the verbs of `Memory`, each run in a thread so that the event loop goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from anyio import to_thread

from graphmem._memory import UNSET, Memory, Unset
from graphmem._models import (
    Branch,
    Claim,
    Conversation,
    Difference,
    Explanation,
    How,
    Kind,
    Record,
    Scalar,
    Scope,
    Source,
    Stored,
    Tree,
    Turn,
)
from graphmem._records import NewRecord
from graphmem._view import View
from graphmem.store import Row

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
        )

    async def add_turns(self, turns: Iterable[Turn | Mapping[str, Any]]) -> Stored:
        """See `Memory.add_turns`."""
        return await _in_thread(self._memory.add_turns, turns)

    async def remember(
        self,
        text: str,
        sources: Sequence[str | Source | Record | Claim],
        *,
        kind: Kind = "fact",
        id: str | None = None,
    ) -> Record:
        """See `Memory.remember`."""
        return await _in_thread(self._memory.remember, text, sources, kind=kind, id=id)

    async def remember_all(self, records: Iterable[NewRecord | Mapping[str, Any]]) -> list[Record]:
        """See `Memory.remember_all`."""
        return await _in_thread(self._memory.remember_all, records)

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
