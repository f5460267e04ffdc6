"""The local Neo4j: its jars, its process, its files."""

from __future__ import annotations

import http.server
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import neo4j
import psutil
import pytest

from graphmem._errors import LocalServerError
from graphmem.store.local import LocalServer, ServerState, fetch_jars
from graphmem.store.local import _extras as extras
from graphmem.store.local import _server as server_module
from graphmem.store.local._ports import USUAL, Ports, choose_ports
from graphmem.store.local._state import read_state, write_state

ROOT = Path(__file__).parents[1]
PROGRAMS = 8
START = """
import sys
from pathlib import Path
from graphmem.store.local import LocalServer
print(LocalServer(Path(sys.argv[1])).start().pid)
"""


@pytest.fixture(scope="module")
def jars() -> Path:
    """The jars of Neo4j, fetched once for all test runs of this machine."""
    default = Path.home() / ".cache" / "graphmem-test-jars"
    directory = Path(os.environ.get("GRAPHMEM_TEST_JARS") or default)
    fetch_jars(directory)
    return directory


def make_home(directory: Path, jars: Path) -> Path:
    home = directory / "home"
    home.mkdir(mode=0o700)
    (home / "jars").symlink_to(jars, target_is_directory=True)
    return home


@pytest.fixture
def server(tmp_path: Path, jars: Path) -> Iterator[LocalServer]:
    """A server that is not started yet, and is stopped in the end."""
    local = LocalServer(make_home(tmp_path, jars))
    yield local
    local.stop()


@dataclass(frozen=True)
class Started:
    """A server that several programs started at once, on a machine whose usual ports are taken."""

    server: LocalServer
    state: ServerState
    outputs: list[str]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory, jars: Path) -> Iterator[Started]:
    server = LocalServer(make_home(tmp_path_factory.mktemp("started"), jars))
    try:
        with taken(*USUAL):
            outputs = start_at_once(server.home)
        state = server.state()
        assert state is not None, outputs
        yield Started(server, state, outputs)
    finally:
        server.stop()


@contextmanager
def taken(*ports: int) -> Iterator[None]:
    """Listen on the ports, those that some other program does not hold already."""
    with ExitStack() as stack:
        for port in ports:
            listener = stack.enter_context(socket.socket())
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind(("127.0.0.1", port))
                listener.listen()
            except OSError:
                continue
        yield


def start_at_once(home: Path) -> list[str]:
    command = [sys.executable, "-c", START, str(home)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    programs = [
        subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for _ in range(PROGRAMS)
    ]
    return [program.communicate()[0].strip() for program in programs]


def query(server: LocalServer, cypher: str, **parameters: Any) -> list[Any]:
    state = server.state()
    assert state is not None
    auth = (server.username, server.password)
    with neo4j.GraphDatabase.driver(state.uri, auth=auth) as driver:
        records, _, _ = driver.execute_query(cypher, parameters, database_="neo4j")  # type: ignore[arg-type]
        return [record[0] for record in records]


def processes_of(home: Path) -> list[int]:
    return [
        process.pid
        for process in psutil.process_iter(["cmdline"])
        if str(home) in (process.info["cmdline"] or [])
    ]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


class TestRunning:
    """One server, started by `PROGRAMS` programs at once that have all ended."""

    def test_all_programs_get_the_same_process(self, started: Started) -> None:
        assert started.outputs == [str(started.state.pid)] * PROGRAMS

    def test_it_answers_after_those_programs_ended(self, started: Started) -> None:
        assert query(started.server, "RETURN 1") == [1]

    def test_another_start_returns_it(self, started: Started) -> None:
        assert started.server.start() == started.state

    def test_ports_that_are_taken_are_avoided(self, started: Started) -> None:
        ports = {started.state.bolt_port, started.state.http_port}
        assert len(ports) == 2
        assert not ports & set(USUAL)

    def test_browser_answers(self, started: Started) -> None:
        with urllib.request.urlopen(started.state.browser_url) as page:
            assert b"Neo4j Browser" in page.read()

    def test_browser_is_told_the_right_bolt_address(self, started: Started) -> None:
        with urllib.request.urlopen(f"http://127.0.0.1:{started.state.http_port}/") as page:
            assert started.state.uri.encode() in page.read()

    def test_it_uses_no_network_but_loopback(self, started: Started) -> None:
        sockets = psutil.Process(started.state.pid).net_connections("inet")
        assert {connection.laddr.port for connection in sockets} >= {
            started.state.bolt_port,
            started.state.http_port,
        }
        addresses = {connection.laddr.ip.removeprefix("::ffff:") for connection in sockets}
        assert addresses == {"127.0.0.1"}

    def test_other_passwords_are_refused(self, started: Started) -> None:
        for password in ("neo4j", "wrong-password"):
            auth = ("neo4j", password)
            with (
                neo4j.GraphDatabase.driver(started.state.uri, auth=auth) as driver,
                pytest.raises(neo4j.exceptions.AuthError),
            ):
                driver.verify_connectivity()

    def test_secrets_are_private(self, started: Started) -> None:
        home = started.server.home
        assert mode(home / "password") == 0o600
        assert mode(home / "server.log") == 0o600
        assert mode(home / "neo4j") == 0o700
        command = psutil.Process(started.state.pid).cmdline()
        assert started.server.password not in " ".join(command)
        assert started.server.password not in (home / "server.json").read_text()

    def test_the_log_is_quiet(self, started: Started) -> None:
        assert (started.server.home / "server.log").read_text() == ""


def test_data_survives_kill_and_a_new_password(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with taken_once(monkeypatch):
        killed = server.start()
    query(server, "CREATE (:Kept {name: $name})", name="before")

    os.kill(killed.pid, signal.SIGKILL)
    psutil.wait_procs([psutil.Process(killed.pid)]) if psutil.pid_exists(killed.pid) else None
    assert read_state(server.home) is not None
    assert server.state() is None

    lost = server.password
    (server.home / "password").unlink()
    fresh = server.start()
    assert fresh.pid != killed.pid
    assert (fresh.bolt_port, fresh.http_port) == (killed.bolt_port, killed.http_port)
    assert server.password != lost
    assert query(server, "MATCH (kept:Kept) RETURN kept.name") == ["before"]

    assert server.stop() is True
    assert server.state() is None
    assert processes_of(server.home) == []
    assert "Database shutdown" in (server.home / "neo4j/logs/debug.log").read_text()
    assert server.stop() is False
