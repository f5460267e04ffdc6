"""The ``.cypher`` files: their headers, and what the real server says of every query.

A query that goes on from others is looked at behind each of them, as it runs.
"""

from __future__ import annotations

import ast
import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

import graphmem
from graphmem import InvalidInputError, Memory, Store
from graphmem._errors import ModelAnswerError
from graphmem._gate import Gate
from graphmem._models import Scope
from graphmem._summaries import summarise
from graphmem.extract import Extraction, Reading
from graphmem.store import Query, queries, vector
from graphmem.store._cypher import directory, parse
from graphmem.summarise import ExtractiveSummariser
from tests.conftest import Connection
from tests.forest import Compass, only_model

PACKAGE = Path(graphmem.__file__).parent

# Values for EXPLAIN, which wants them and does not look at them.
VALUES: dict[str, Any] = {
    "a": "u1",
    "anchor": "u1",
    "b": "u2",
    "checksum": "0",
    "conversation": "chat",
    "depth": 10,
    "dimensions": 4,
    "head": "u1",
    "history": False,
    "id": "u1",
    "ids": ["u1"],
    "insight": "r1",
    "keys": ["ann"],
    "kinds": ["fact"],
    "lazy": True,
    "length": 10,
    "leaves": [{"leafId": "u1", "rank": 0}],
    "limit": 10,
    "model": "model",
    "name": "name",
    "others": ["r2"],
    "prefix": "ann (",
    "reason": "readError_sentences",
    "record": "r1",
    "retry": False,
    "rows": [{"id": "u1", "labels": ["Fact"], "content": {}}],
    "runs": [[1, 2]],
    "scope": "space",
    "segments": [1],
    "since": "u1",
    "slot": 0,
    "space": "space",
    "spaceKey": 1,
    "state": "read_sentences",
    "texts": ["text"],
    "turn": "u1",
    "vector": vector([1.0, 0.0, 0.0, 0.0]),
    "version": 1,
    "window": ["u1"],
    "within": 10,
    "words": "+text:(ann)",
}

HOUSEKEEPING = ("migration/", "store/")  # the schema and the server; not the memory
OF_THE_SERVER = ("store/components", "store/await_indexes")  # procedures that touch no graph
EVERY_SPACE = "doctor/counts"
ONE_SPACE = (
    "conversation/list",
    "doctor/",
    "embed/counts",
    "extraction/failed",
    "extraction/waiting",
    "forget/contents",
    "forget/totals",
    "turn/unfiled",
)

_NESTED = re.compile(r"\{[^{}]*\}|\([^()]*\)|\[[^\[\]]*\]")
_NUMBER = re.compile(r"\s*(?:COUNT|count|size)\b")


def returned(query: Query) -> set[str]:
    """Return the columns of a query, without numbers: nothing goes on from those."""
    flat, text = query.text, ""
    while flat != text:
        text, flat = flat, _NESTED.sub("…", flat)
    columns = re.split(r"\b(?:ORDER BY|LIMIT)\b", flat.rpartition("RETURN")[2])[0].split(",")
    return {column.split()[-1] for column in columns if not _NUMBER.match(column)}


FILES = [query for query in queries if query.mode != "schema"]
IN_A_LOOP = ("gate/merged", "recall/ranked", "recall/best_linked")
"""They go on from what runs for each row of another query, so they are not put behind one file."""


def behind(end: Query) -> list[Query]:
    """Return a continuation behind every file that returns what it needs."""
    return [
        _ended(form.then(end))
        for start in FILES
        if start.name not in (end.name, *IN_A_LOOP) and set(end.continues) <= returned(start)
        for form in forms(start)
    ]


def forms(query: Query) -> list[Query]:
    """Return how a file runs for those that go on from it: the gate in its unlike forms."""
    gate = queries.gate
    if query == gate.visible:
        return [query, Gate("space", "u1", "space").visible()]
    if query == gate.located:
        some = queries.record.some.then(gate.candidates)
        return [Gate("space", "u1", scope).visible(some) for scope in get_args(Scope)]
    if query == gate.current:
        return [behind(query)[0], behind(query)[-1]]
    return behind(query)[:1] if query.continues else [query]


def looped() -> Iterator[Query]:
    """Yield what runs for each row of another query."""
    gate, recall = queries.gate, queries.recall
    shown = Gate("space", "u1").current(gate.candidates).then(recall.shown)
    for near in (recall.near_none, recall.near_runs, recall.near_segments, recall.near_space):
        yield shown.for_each(near.then(recall.worded), recall.ranked)
    for scope in get_args(Scope):
        shown = Gate("space", "u1", scope).current(gate.candidates).then(recall.shown)
        yield shown.for_each(recall.linked, recall.best_linked)
    yield gate.visible.for_each(gate.leaves, gate.merged, anchor="leafId")


def whole_queries() -> list[Query]:
    """Return every read and write as it is sent: continuations behind what they go on from."""
    ends = [query for query in FILES if query.continues and query.name not in IN_A_LOOP]
    starts = [query for query in FILES if not query.continues]
    return [*starts, *(whole for end in ends for whole in behind(end)), *looped()]


def _ended(query: Query) -> Query:
    if query.name.endswith("gate/user"):
        return replace(query, text=query.text + "\nRETURN fact, anchor, distance, current")
    return query


WHOLE = whole_queries()
OF_THE_MEMORY = [query for query in WHOLE if not query.name.startswith(HOUSEKEEPING)]
OF_ONE_SPACE = [
    query
    for query in OF_THE_MEMORY
    if query.name.startswith(ONE_SPACE) and query.name != EVERY_SPACE
]


def name(query: Query) -> str:
    return query.name


@dataclass(frozen=True)
class Operator:
    """One step of the server's plan."""

    kind: str
    details: str
    children: list[Operator] = field(default_factory=list)

    @classmethod
    def of(cls, plan: dict[str, Any]) -> Operator:
        return cls(
            plan["operatorType"].partition("@")[0],
            plan["args"].get("Details", ""),
            [cls.of(child) for child in plan.get("children", ())],
        )

    def __iter__(self) -> Iterator[Operator]:
        yield self
        for child in self.children:
            yield from child

    def scans(self) -> list[Operator]:
        """Return the steps that read all there is: of the graph, of a label or of an index."""
        return [step for step in self if "Scan" in step.kind]

    def seeks(self) -> list[Operator]:
        """Return the steps that find nodes by an index."""
        return [step for step in self if "IndexSeek" in step.kind]


@dataclass(frozen=True)
class Explained:
    """What the server says of a query without running it."""

    plan: Operator
    query_type: str
    news: list[str]


@pytest.fixture(scope="module")
def frank_store(connection: Connection) -> Iterator[Store]:
    """A store that hears everything the server has to say, on a graph with all we ever write."""
    options = {
        "notifications_min_severity": "INFORMATION",
        "notifications_disabled_classifications": [],
        "warn_notification_severity": "OFF",  # read from the answer instead
    }
    with Store.open(**{**connection, "options": options}) as opened, only_model(opened):
        fill(Memory(opened, space=f"test-{secrets.token_hex(8)}", embedder=Compass()))
        yield opened


def fill(memory: Memory) -> None:
    """Store something of every kind, so that the server knows all labels, links and properties."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    memory.add_conversation("chat", title="A chat", created_at=now)
    filed = {"role": "user", "text": "half \ud83d", "conversation": "chat", "created_at": now}
    memory.add_turns(
        [
            {"id": "u1", "credit_share": 0.5, **filed},
            {"id": "u2", "parent": "u1", **filed},
            {"id": "u2b", "replaces": "u2", **filed},
            {"id": "late", "parent": "never", **filed},
            {"id": "child", "parent": "gap", **filed},
            {"id": "off", "parent": "u2", **filed},
        ]
    )
    memory.add_turns([{"id": "gap", "parent": "u2", **filed}])
    memory.set_head("chat", "u2b")
    passage = {"turn": "u1", "start": 0, "end": 4, "quote": "half"}
    entity = {"name": "Ann", "type": "person"}
    [fact, *_] = memory.remember_all(
        [
            {"id": "r1", "text": "a fact", "sources": [passage], "mentions": [entity]},
            {"id": "r2", "text": "zero", "sources": ["u2"]},
            {"id": "r3", "text": "hidden", "sources": ["off"]},
        ]
    )
    memory.remember("a summary", sources=[fact, "u2"], kind="summary", id="s1")
    memory.relate("Ann", "knows", "Ben", sources=["u1"])
    memory.same_as("Ann", "Anne", sources=["u1"])
    memory.correct(fact, "another fact", sources=["u2"])
    memory.reward(0.5, turn="u1", head="u2")
    memory.add_insight("label", "body", evidence=["u1"])
    memory.extract(Deaf())
    summarise(memory.store, memory.space, "u2", ExtractiveSummariser(), block=2)
    memory.revoke(turns=["off"], records=["r2"])
    memory.embed()
    memory.purge(turns=["u2b"], records=["r3"])


class Deaf:
    """An extractor that fails."""

    name = "sentences"

    def extract(self, reading: Reading) -> Extraction:
        raise ModelAnswerError("deaf")


@pytest.fixture(scope="module")
def explain(frank_store: Store) -> Callable[[Query], Explained]:
    """A function that has the server explain a query, once."""

    @cache
    def ask(query: Query) -> Explained:
        answer = frank_store._driver.execute_query(
            query.statement.replace("\n", "\nEXPLAIN ", 1),
            {param: VALUES[param] for param in query.params},
            database_=frank_store._database,
        )
        summary = answer.summary
        assert summary.plan is not None
        assert summary.query_type is not None
        news = [
            f"{status.gql_status} {status.status_description}"
            for status in summary.gql_status_objects
            if status.is_notification
        ]
        return Explained(Operator.of(summary.plan), summary.query_type, news)

    return ask


# --- what the server says


@pytest.mark.parametrize("query", WHOLE, ids=name)
def test_the_server_has_nothing_to_remark(
    explain: Callable[[Query], Explained], query: Query
) -> None:
    assert explain(query).news == []


@pytest.mark.parametrize("query", WHOLE, ids=name)
def test_the_mode_is_what_the_query_does(
    explain: Callable[[Query], Explained], query: Query
) -> None:
    expected = {"read": {"r"}, "write": {"w", "rw"}}[query.mode]
    if query.name in OF_THE_SERVER:
        expected = {"s", "r"}
    assert explain(query).query_type in expected


@pytest.mark.parametrize("query", OF_THE_MEMORY, ids=name)
def test_no_query_grows_with_the_whole_graph(
    explain: Callable[[Query], Explained], query: Query
) -> None:
    scans = explain(query).plan.scans()
    if query.name == EVERY_SPACE:
        assert [step.details.partition("(")[0] for step in scans] in ([], ["space:Space"])
    else:
        assert scans == []


@pytest.mark.parametrize("query", OF_ONE_SPACE, ids=name)
def test_what_looks_at_a_space_finds_it_by_an_index(
    explain: Callable[[Query], Explained], query: Query
) -> None:
    seeks = explain(query).plan.seeks()
    assert seeks
    assert all("space = $space" in step.details for step in seeks)


def test_a_scan_a_remark_and_a_write_would_be_noticed(
    explain: Callable[[Query], Explained],
) -> None:
    product = explain(Query("bad", "", "MATCH (a:Turn), (b:Tern) RETURN a, b", "read", frozenset()))
    write = explain(Query("bad", "", "MATCH (a:Turn) SET a.id = 'u1'", "read", frozenset()))
    assert {step.kind for step in product.plan.scans()} == {"NodeByLabelScan"}
    assert [status[:5] for status in sorted(product.news)] == ["01N50", "03N90"]  # label, product
    assert write.query_type == "w"


# --- what the files say


def test_every_file_is_loaded() -> None:
    files = {f"{path.parent.name}/{path.stem}" for path in directory().rglob("*.cypher")}
    assert {query.name for query in queries} == files


def test_every_continuation_has_something_to_go_on_from() -> None:
    continued = {query.name.rpartition(" + ")[2] for query in WHOLE if " + " in query.name}
    assert continued == {query.name for query in queries if query.continues}


HEADER = "// A title\n// @params id  @mode read\n"


def test_a_file_becomes_a_query() -> None:
    head = "// A title\n// Why.\n// @continues turn, place  @params id, limit  @mode read\n"
    assert parse("turn/get", head + "RETURN $id\nLIMIT $limit\n") == Query(
        name="turn/get",
        title="A title",
        text="RETURN $id\nLIMIT $limit",
        mode="read",
        params=frozenset({"id", "limit"}),
        continues=("turn", "place"),
    )


@pytest.mark.parametrize(
    ("body", "wrong"),
    [("RETURN $id, $other", "other"), ("RETURN 1", "id")],
    ids=["undeclared", "unused"],
)
def test_parameters_are_those_declared(body: str, wrong: str) -> None:
    with pytest.raises(InvalidInputError, match=rf"turn/get: .* differ in: {wrong}$"):
        parse("turn/get", HEADER + body)


@pytest.mark.parametrize(
    "body",
    [
        "RETURN $id, 'costs $x'",
        r"RETURN $id, 'it\'s $x'",
        "RETURN $id // not $x",
        "// nor it's $x\nRETURN $id",
        "RETURN 'no // comment', $id",
    ],
)
def test_a_parameter_in_a_string_or_a_comment_is_none(body: str) -> None:
    # A comment line right below the header would belong to it, so the statement starts before.
    assert parse("turn/get", HEADER + "WITH 1 AS one\n" + body).params == {"id"}


@pytest.mark.parametrize(
    "declaration",
    [
        "@params id  @mode delete",
        "@params id  @mode",
        "@params id",
        "@params id  @mode read, write",
    ],
)
def test_an_unknown_mode_is_refused(declaration: str) -> None:
    with pytest.raises(InvalidInputError, match="@mode is one of read, write, schema"):
        parse("turn/get", f"// A title\n// {declaration}\nRETURN $id")


@pytest.mark.parametrize(
    "source",
    [
        "",
        "RETURN 1",
        "// @mode read\nRETURN 1",
        "// A title\nRETURN 1",
        "//\n// @mode read\nRETURN 1",
        "\n// A title\n// @mode read\nRETURN 1",
    ],
)
def test_a_missing_header_is_refused(source: str) -> None:
    with pytest.raises(InvalidInputError, match="the first lines are a title"):
        parse("turn/get", source)


# --- where Cypher and the driver are


MODULES = {path.relative_to(PACKAGE): ast.parse(path.read_text()) for path in PACKAGE.rglob("*.py")}
CLAUSE = re.compile(r"\b(MATCH|MERGE|CREATE)\b")


def strings(module: ast.Module) -> Iterator[ast.Constant]:
    """Yield the strings of a module that are not docstrings (or stand alone like them)."""
    alone = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node


def imported(module: ast.Module) -> set[str]:
    """Return the top-level packages that a module imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def test_no_cypher_stands_in_python() -> None:
    cypher = [
        f"{path}:{constant.lineno}"
        for path, module in MODULES.items()
        for constant in strings(module)
        if CLAUSE.search(str(constant.value))
    ]
    assert cypher == []


def test_cypher_in_python_would_be_noticed() -> None:
    module = ast.parse('"""MATCH in a docstring."""\nquery = f"MATCH (n:{label}) RETURN n"')
    assert [node.lineno for node in strings(module) if CLAUSE.search(str(node.value))] == [2]


def test_only_the_store_imports_the_driver() -> None:
    users = {path.parts[0] for path, module in MODULES.items() if "neo4j" in imported(module)}
    assert users == {"store"}
