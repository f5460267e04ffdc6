"""The server's plan of the query at the heart of recall: ``benchmarks.recall --plan FILE``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphmem import Memory, Store
from graphmem._gate import Gate
from graphmem._recall import Question, _Search
from graphmem.store import Query, Row, Transaction, queries


class Recorder:
    """Stands in a search's way and remembers the first query that brings candidates."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self.sent: tuple[Query, dict[str, Any]] | None = None

    def run(self, query: Query, /, **params: Any) -> list[Row]:
        """Pass a query on, and remember the first one."""
        self.sent = self.sent or (query, params)
        return self._tx.run(query, **params)


def profile(memory: Memory, anchor: str, text: str) -> str:
    """Return the query that finds by meaning and by words, with its plan, as Markdown."""
    gate = Gate(memory.space, anchor)
    asked = Question(text=text, k=10, kinds=("fact",), embedder=memory.embedder)

    def work(tx: Transaction) -> tuple[Query, dict[str, Any]]:
        [reach] = tx.run(queries.recall.reach, **gate.bound())
        recorder = Recorder(tx)
        slot = asked.slot(reach["live"])
        search = _Search(recorder, gate, asked, reach["runs"], slot)  # type: ignore[arg-type]
        search.by_meaning_and_words()
        assert recorder.sent is not None
        return recorder.sent

    query, params = memory.store.read(work)
    return "\n".join(_page(query, _run(memory.store, query, params), anchor))


def _run(store: Store, query: Query, params: dict[str, Any]) -> dict[str, Any]:
    with store._session("read") as session:
        summary = session.run(
            query.statement.replace("\n", "\nPROFILE ", 1),
            {name: params[name] for name in query.params},
        ).consume()
    plan: dict[str, Any] = summary.profile or {}
    return plan


def _page(query: Query, plan: dict[str, Any], anchor: str) -> Iterator[str]:
    yield f"# The plan of recall at {anchor}\n"
    yield "Made by `python -m benchmarks.recall --plan docs/recall-plan.md`. One step per line, the"
    yield "last first; behind it its rows and how often it touched the store. No step reads more"
    yield "than what the indexes brought.\n"
    yield "```"
    yield from _steps(plan, "")
    yield "```\n"
    yield "The query, composed of the files in `cypher/recall` and `cypher/gate`:\n"
    yield "```cypher"
    yield query.statement
    yield "```"


def _steps(step: dict[str, Any], indent: str) -> Iterator[str]:
    args = step.get("args", {})
    details = " ".join(str(args.get("Details", "")).split())
    name = step.get("operatorType", "?").partition("@")[0]
    numbers = f"rows {args.get('Rows', 0)}, hits {args.get('DbHits', 0)}"
    yield f"{indent}{name}  {details[:110]}  ({numbers})"
    children = step.get("children", [])
    for child in children[1:]:
        yield from _steps(child, indent + "| ")
    for child in children[:1]:
        yield from _steps(child, indent)
