"""Opening a store: where it is, what is wrong with it, and its schema."""

from __future__ import annotations

import secrets
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from graphmem import (
    CypherError,
    InvalidInputError,
    Memory,
    NotNeo4jError,
    SchemaError,
    Store,
    StoreAuthError,
    StoreError,
    StoreUnavailableError,
    StoreVersionError,
)
from graphmem.store import _migrations, _store, home, queries, settings
from tests.forest import grow, texts


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_nothing_answers() -> None:
    with pytest.raises(StoreUnavailableError, match="graphmem up") as caught:
        Store.open(uri=f"bolt://127.0.0.1:{free_port()}", password="x")
    assert caught.value.retryable
    assert caught.value.__cause__ is not None


def test_a_wrong_password(connection: dict[str, Any]) -> None:
    wrong = connection | {"username": "neo4j", "password": "wrong"}
    try:
        Store.open(**wrong).close()
    except StoreAuthError as error:
        assert "NEO4J_PASSWORD" in str(error)
    else:
        pytest.skip("this server asks for no password")


def test_a_server_that_is_too_old(
    connection: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_store, "MINIMUM_VERSION", (9999, 1))
    with pytest.raises(StoreVersionError, match=r"needs 9999\.1"):
        Store.open(**connection)


@pytest.fixture
def web_server() -> Iterator[str]:
    """What answers in HTTP, where someone may expect a Neo4j."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(1000)
            self.request.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_a_web_server_is_not_taken_for_neo4j(web_server: str, scheme: str) -> None:
    with pytest.raises(NotNeo4jError, match="Bolt"):
        Store.open(uri=f"{scheme}://{web_server}", password="x")


@pytest.mark.parametrize("uri", ["http://127.0.0.1:7474", "nonsense", "bolt://"])
def test_an_address_that_is_none(uri: str) -> None:
    with pytest.raises(StoreError):
        Store.open(uri=uri, password="x")


def test_an_unknown_database(connection: dict[str, Any]) -> None:
    with pytest.raises(StoreError, match="NEO4J_DATABASE"):
        Store.open(**connection | {"database": "nosuchdatabase"})


def test_arguments_win_over_the_environment_and_that_over_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("URI", "USERNAME", "PASSWORD", "DATABASE"):
        monkeypatch.delenv(f"NEO4J_{name}", raising=False)
    monkeypatch.chdir(tmp_path)
    assert settings().uri is None
    (tmp_path / ".env").write_text("NEO4J_URI=bolt://file\nNEO4J_DATABASE=file\nOTHER=1\n")
    monkeypatch.setenv("NEO4J_URI", "bolt://environment")
    assert (settings().uri, settings().database) == ("bolt://environment", "file")
    assert settings(uri="bolt://argument").uri == "bolt://argument"
    assert "secret" not in repr(settings(password="secret"))


def test_the_home_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GRAPHMEM_HOME", str(tmp_path))
    assert home() == tmp_path.resolve()
    assert home(tmp_path / "given") == (tmp_path / "given").resolve()
    monkeypatch.delenv("GRAPHMEM_HOME")
    assert home().name == "graphmem"


def test_a_memory_closes_only_what_it_opened(store: Store, connection: dict[str, Any]) -> None:
    with Memory(store, space="test-handed-in"):
        pass
    assert store.run(queries.store.components)
    with Memory.open("test-opened", **connection) as opened:
        pass
    with pytest.raises(Exception, match="closed"):
        opened.conversations()


def test_a_space_needs_a_name(store: Store) -> None:
    with pytest.raises(InvalidInputError, match="empty"):
        Memory(store, space="")
    with pytest.raises(TypeError):
        Memory(store)  # type: ignore[call-arg]


def test_the_schema_is_there_and_applying_it_again_changes_nothing(
    store: Store, connection: dict[str, Any]
) -> None:
    before = store.run(queries.migration.applied)
    assert [row["version"] for row in before] == [m.version for m in _migrations.shipped()]
    with Store.open(**connection) as again:
        assert again.run(queries.migration.applied) == before
        assert _migrations.pending(again) == []


def test_a_migration_that_was_changed_or_is_unknown_is_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = _migrations.shipped()
    changed = [shipped[0]._replace(checksum="other"), *shipped[1:]]
    monkeypatch.setattr(_migrations, "shipped", lambda: changed)
    with pytest.raises(SchemaError, match="other text"):
        _migrations.migrate(store)
    monkeypatch.setattr(_migrations, "shipped", lambda: shipped[:-1])
    with pytest.raises(SchemaError, match="newer"):
        _migrations.migrate(store)


def test_the_versions_are_in_order_without_gaps() -> None:
    assert [m.version for m in _migrations.shipped()] == [*range(1, len(_migrations.shipped()) + 1)]


@pytest.mark.parametrize(
    "cypher",
    [
        "CREATE (n:Turn) RETURN n",
        "SET fact.text = 'changed' RETURN fact",
        "DETACH DELETE fact",
        "CALL { MATCH (n:Turn) DELETE n } RETURN 1",
        "RETURN 1; MATCH (n) DETACH DELETE n",
        "RETURN 1 AS n NEXT CREATE (m) RETURN m",
        "MERGE (s:Space {id: 'x'}) RETURN s",
        "RETURN nonsense(",
    ],
)
def test_the_users_cypher_only_reads(memory: Memory, cypher: str) -> None:
    grow(memory, "u1")
    memory.remember("kept", sources=["u1"])
    with pytest.raises(CypherError, match="server refused"):
        memory.at("u1").cypher(cypher)
    assert texts(memory.at("u1").facts()) == {"kept"}


def test_the_users_cypher_goes_on_after_the_gate(memory: Memory) -> None:
    grow(memory, "u1 a1 u2", "a1 u3")
    memory.remember("of u1", sources=["u1"])
    memory.remember("of u2", sources=["u2"])
    memory.remember("of u3", sources=["u3"])
    view = memory.at("u2")
    rows = view.cypher("RETURN fact.text AS text, distance, anchor.id AS anchor ORDER BY distance")
    assert rows == [
        {"text": "of u2", "distance": 0, "anchor": "u2"},
        {"text": "of u1", "distance": 2, "anchor": "u2"},
    ]
    assert view.cypher("WHERE fact.text = $text RETURN count(fact) AS n", text="of u3") == [
        {"n": 0}
    ]
    assert view.cypher("RETURN fact.text AS text LIMIT 5") != []
    with pytest.raises(InvalidInputError, match="space"):
        view.cypher("RETURN $space", space="another")


class Relay:
    """A TCP relay in front of a server, whose connections can be cut."""

    def __init__(self, target: tuple[str, int]) -> None:
        self.target = target
        self.open: list[socket.socket] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(self.target)
            self.open += [client, server]
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    @staticmethod
    def _pump(source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)

    def cut(self) -> None:
        for end in self.open:
            shut(end)
        self.open.clear()

    def close(self) -> None:
        shut(self.listener)
        self.cut()


def shut(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@pytest.fixture
def relay(store: Store) -> Iterator[Relay]:
    """A relay in front of the tests' store."""
    host, _, port = store.where.rpartition("/")[2].partition(":")
    made = Relay((host, int(port or 7687)))
    yield made
    made.close()


def test_a_dropped_connection_is_made_again_and_writes_once(
    relay: Relay, connection: dict[str, Any], make_memory: Callable[..., Memory]
) -> None:
    space = f"test-{secrets.token_hex(8)}"
    through = connection | {"uri": f"bolt://127.0.0.1:{relay.port}"}
    with Memory.open(space, **through) as memory:
        memory.add_turn("u1", role="user", text="before")
        relay.cut()
        assert memory.add_turn("u2", role="user", text="after", parent="u1").new == 1
        relay.cut()
        memory.remember("kept", sources=["u2"])
        relay.cut()
        assert texts(memory.at("u2").facts()) == {"kept"}
    assert [turn.id for turn in make_memory(space).at("u2").path()] == ["u1", "u2"]


def test_what_was_written_is_there_for_a_fresh_driver(
    memory: Memory, connection: dict[str, Any]
) -> None:
    grow(memory, "u1 a1", "u1 a2")
    memory.remember("of a1", sources=["a1"])
    memory.remember("of a2", sources=["a2"])
    live = memory.at("a2").facts()
    with Memory.open(memory.space, **connection) as fresh:
        assert fresh.at("a2").facts() == live
