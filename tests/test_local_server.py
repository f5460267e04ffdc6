"""The local Neo4j: its jars, its process, its files."""

from __future__ import annotations

import gc
import http.server
import os
import socket
import stat
import subprocess
import sys
import threading
import urllib.request
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
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
from graphmem.store.local._lock import read_lock
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


def start_elsewhere(home: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", START, str(home)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def start_at_once(home: Path) -> list[str]:
    programs = [start_elsewhere(home) for _ in range(PROGRAMS)]
    return [program.communicate()[0].strip() for program in programs]


def kill(pid: int) -> None:
    process = psutil.Process(pid)
    process.kill()
    process.wait()


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def query(server: LocalServer, cypher: str, **parameters: Any) -> list[Any]:
    state = server.state()
    assert state is not None
    auth = (server.username, server.password)
    with neo4j.GraphDatabase.driver(state.uri, auth=auth) as driver:
        records, _, _ = driver.execute_query(cypher, parameters, database_="neo4j")
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

    def test_browser_may_talk_to_this_server_only(self, started: Started) -> None:
        with urllib.request.urlopen(started.state.browser_url) as page:
            policy = page.headers["Content-Security-Policy"]
        directives = [directive.split() for directive in policy.split(";")]
        assert ["default-src", "'self'"] in directives
        sources = {source for _, *sources in directives for source in sources}
        assert {source for source in sources if not source.startswith("'")} == {
            "data:",
            f"ws://127.0.0.1:{started.state.bolt_port}",
            f"ws://localhost:{started.state.bolt_port}",
        }

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


def test_data_survives_kill_and_a_lost_password(server: LocalServer) -> None:
    with taken(*USUAL):
        killed = server.start()
    query(server, "CREATE (:Kept {name: $name})", name="before")
    lost = server.password

    kill(killed.pid)
    (server.home / "password").unlink()
    assert read_state(server.home) == killed
    assert server.state() is None

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


def test_a_program_that_is_faster_at_a_port(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as faster:
        snatched = faster.getsockname()[1]
        choices = iter([Ports(snatched, choose_ports(None).http)])
        monkeypatch.setattr(
            server_module, "choose_ports", lambda last: next(choices, None) or choose_ports(last)
        )
        state = server.start()
    assert state.bolt_port != snatched
    assert processes_of(server.home) == [state.pid]


def test_a_server_whose_starter_was_killed_is_taken_over(server: LocalServer) -> None:
    with start_elsewhere(server.home) as starter:
        while (starting := read_state(server.home)) is None:
            assert starter.poll() is None
        starter.kill()
    assert not starting.ready
    assert server.state() is None
    assert server.start() == replace(starting, ready=True)


class TestFailedStart:
    """No server, a reason, a way out, and no process left."""

    def test_data_folder_is_a_file(self, server: LocalServer) -> None:
        (server.home / "neo4j").mkdir()
        (server.home / "neo4j" / "data").write_text("not a folder")
        with pytest.raises(LocalServerError, match="neo4j/data") as caught:
            server.start()
        assert "server.log" in str(caught.value)
        assert "NEO4J_URI" in str(caught.value)
        assert "\tat " not in str(caught.value)
        assert processes_of(server.home) == []
        assert server.state() is None

    def test_jvm_refuses_its_options(
        self, server: LocalServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GRAPHMEM_HEAP", "plenty")
        with pytest.raises(LocalServerError, match="Xmxplenty"):
            server.start()
        assert processes_of(server.home) == []

    def test_home_cannot_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(LocalServerError, match="GRAPHMEM_HOME"):
            LocalServer(tmp_path / "file" / "home").start()

    def test_extra_is_missing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "jpype" else name)
        with pytest.raises(LocalServerError, match=r"needs jpype.*graphmem\[local\].*NEO4J_URI"):
            LocalServer(tmp_path / "home").start()
        assert not (tmp_path / "home").exists()


class TestStopped:
    """What a home without a server says."""

    def test_a_home_that_does_not_exist_is_not_made(self, tmp_path: Path) -> None:
        server = LocalServer(tmp_path / "home")
        assert server.state() is None
        assert server.stop() is False
        with pytest.raises(LocalServerError, match="graphmem up"):
            _ = server.password
        assert not server.home.exists()

    def test_a_process_that_took_the_number_is_left_alone(self, tmp_path: Path) -> None:
        server = LocalServer(tmp_path)
        write_state(tmp_path, ServerState(os.getpid(), 7687, 7474, "2026.08.1", 0.0))
        assert server.state() is None
        assert server.stop() is False
        assert read_state(tmp_path) is None


@dataclass
class Repository:
    """A Maven repository on this machine that can be told to misbehave."""

    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    damage: Callable[[bytes], bytes] = lambda body: body
    url: str = ""

    def add(self, path: str, body: bytes) -> str:
        """Publish a file and return its SHA-256."""
        self.files[f"/{path}"] = body
        return sha256(body).hexdigest()


@pytest.fixture
def repository(monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    repository = Repository()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = repository.files.get(self.path)
            if not self.path.endswith(".sha1"):
                repository.asked.append(self.path.rpartition("/")[2])
            if body is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(repository.damage(body))

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        repository.url = f"http://127.0.0.1:{server.server_address[1]}/maven/"
        monkeypatch.setenv("GRAPHMEM_MAVEN_URL", repository.url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield repository
        server.shutdown()
        thread.join()
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        gc.collect()  # jgo leaves the answers it does not want to the garbage collector


@pytest.fixture
def lock_file(repository: Repository, tmp_path: Path) -> Path:
    """Locks two jars that the repository has."""
    plain = repository.add("maven/org/example/one/1.0/one-1.0.jar", b"one" * 50_000)
    special = repository.add("maven/org/example/two/2.0/two-2.0-linux.jar", b"two" * 50_000)
    path = tmp_path / "tiny.lock"
    path.write_text(f"org.example:one:1.0 {plain}\norg.example:two:2.0:linux {special}\n")
    return path


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
class TestFetch:
    """The jars come from the repository once, and are the locked ones or are not there."""

    def test_fetches_each_jar_once(
        self, repository: Repository, lock_file: Path, tmp_path: Path
    ) -> None:
        told: list[tuple[int, int]] = []
        paths = fetch_jars(tmp_path / "jars", lambda *now: told.append(now), lock_file=lock_file)
        assert [path.relative_to(tmp_path / "jars").as_posix() for path in paths] == [
            "org/example/one/1.0/one-1.0.jar",
            "org/example/two/2.0/two-2.0-linux.jar",
        ]
        assert [path.read_bytes()[:3] for path in paths] == [b"one", b"two"]
        assert told == [(1, 2), (2, 2)]
        assert fetch_jars(tmp_path / "jars", lock_file=lock_file) == paths
        assert sorted(repository.asked) == ["one-1.0.jar", "two-2.0-linux.jar"]

    def test_several_at_once_share_the_work(
        self, repository: Repository, lock_file: Path, tmp_path: Path
    ) -> None:
        with ThreadPoolExecutor(PROGRAMS) as pool:
            calls = [
                pool.submit(fetch_jars, tmp_path / "jars", lock_file=lock_file)
                for _ in range(PROGRAMS)
            ]
        assert len({tuple(call.result()) for call in calls}) == 1
        assert len(repository.asked) == 2

    @pytest.mark.parametrize("body", [b"bad" * 50_000, b"half"])
    def test_a_damaged_jar_is_fetched_again(
        self, repository: Repository, lock_file: Path, tmp_path: Path, body: bytes
    ) -> None:
        one, _ = fetch_jars(tmp_path / "jars", lock_file=lock_file)
        right = one.read_bytes()
        one.write_bytes(body)
        repository.asked.clear()
        fetch_jars(tmp_path / "jars", lock_file=lock_file)
        assert one.read_bytes() == right
        assert repository.asked == ["one-1.0.jar"]

    def test_a_new_lock_is_not_taken_for_the_old(
        self, repository: Repository, lock_file: Path, tmp_path: Path
    ) -> None:
        fetch_jars(tmp_path / "jars", lock_file=lock_file)
        old = lock_file.read_text()
        new = repository.add("maven/org/example/one/1.0/one-1.0.jar", b"new" * 50_000)
        lock_file.write_text(f"org.example:one:1.0 {new}\n{old.splitlines()[1]}\n")
        one, _ = fetch_jars(tmp_path / "jars", lock_file=lock_file)
        assert one.read_bytes()[:3] == b"new"

    def test_a_bad_transfer_is_tried_once_more(
        self, repository: Repository, lock_file: Path, tmp_path: Path
    ) -> None:
        bad = iter([b"bad"] * 2)
        repository.damage = lambda body: next(bad, body[:3]) + body[3:]
        paths = fetch_jars(tmp_path / "jars", lock_file=lock_file)
        assert [path.read_bytes()[:3] for path in paths] == [b"one", b"two"]

    def test_another_file_is_refused(
        self, repository: Repository, lock_file: Path, tmp_path: Path
    ) -> None:
        repository.damage = lambda body: body.replace(b"two", b"bad")
        with pytest.raises(
            LocalServerError, match=r"org\.example:two:2\.0:linux .*SHA-256"
        ) as caught:
            fetch_jars(tmp_path / "jars", lock_file=lock_file)
        assert "NEO4J_URI" in str(caught.value)
        assert repository.asked.count("two-2.0-linux.jar") == 2
        assert list((tmp_path / "jars").rglob("two*.jar")) == []

    @pytest.mark.parametrize("trouble", ["missing", "truncated", "refused"])
    def test_a_failed_download_says_so_and_the_next_call_goes_on(
        self,
        repository: Repository,
        lock_file: Path,
        tmp_path: Path,
        trouble: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        with monkeypatch.context() as broken:
            if trouble == "missing":
                broken.setattr(repository, "files", {})
            elif trouble == "truncated":
                broken.setattr(repository, "damage", lambda body: body[: len(body) // 2])
            else:
                broken.setenv("GRAPHMEM_MAVEN_URL", f"http://127.0.0.1:{unused_port()}")
            with pytest.raises(LocalServerError, match=r"org\.example:(one|two)") as caught:
                fetch_jars(tmp_path / "jars", lock_file=lock_file)
        assert "graphmem up" in str(caught.value)
        assert "NEO4J_URI" in str(caught.value)
        assert list((tmp_path / "jars").rglob("*.jar")) == []
        paths = fetch_jars(tmp_path / "jars", lock_file=lock_file)
        assert [path.read_bytes()[:3] for path in paths] == [b"one", b"two"]

    def test_what_arrived_before_a_failure_stays(
        self, repository: Repository, lock_file: Path, tmp_path: Path
    ) -> None:
        two = repository.files.pop("/maven/org/example/two/2.0/two-2.0-linux.jar")
        with pytest.raises(LocalServerError, match=r"org\.example:two"):
            fetch_jars(tmp_path / "jars", lock_file=lock_file)
        repository.add("maven/org/example/two/2.0/two-2.0-linux.jar", two)
        repository.asked.clear()
        fetch_jars(tmp_path / "jars", lock_file=lock_file)
        assert repository.asked == ["two-2.0-linux.jar"]

    def test_a_directory_that_cannot_be_written(self, lock_file: Path, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(LocalServerError, match="GRAPHMEM_HOME"):
            fetch_jars(tmp_path / "file" / "jars", lock_file=lock_file)


def test_the_shipped_lock_names_each_jar_once() -> None:
    jars = read_lock()
    assert len({jar.path(Path()) for jar in jars}) == len(jars) == 238
    assert {"neo4j", "neo4j-server", "neo4j-browser"} <= {jar.artifact for jar in jars}
