"""Starts, finds and stops the one server of a home."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

from graphmem._errors import LocalServerError
from graphmem.store.local._extras import OWN_NEO4J, require_extras
from graphmem.store.local._jars import Progress, fetch_jars
from graphmem.store.local._password import ensure_password, read_password
from graphmem.store.local._ports import Ports, choose_ports
from graphmem.store.local._state import (
    CHILD_MODULE,
    PORT_TAKEN,
    STATE_FILE,
    ServerState,
    is_alive,
    read_state,
)

with suppress(ImportError):  # `require_extras` tells the user
    import psutil
    from filelock import FileLock

START_SECONDS = 120
STOP_SECONDS = 60
PAUSE_SECONDS = 0.05
PORT_RETRIES = 2
SHOWN_LOG_LINES = 5
SOURCES = Path(__file__).parents[3]
"""The directory that holds the package ``graphmem``."""


class _PortTakenError(LocalServerError):
    """Another program was faster at a port that had been free."""


class LocalServer:
    """The local Neo4j of one home directory, shared by every process that names the same home.

    The home holds the jars, Neo4j's data and logs, the password (mode 0600), the state of the
    running server and the log of its last start.
    """

    username = "neo4j"

    def __init__(self, home: Path) -> None:
        self.home = home.expanduser().resolve()

    @property
    def password(self) -> str:
        """The password, from its file. `LocalServerError` when the server was never started."""
        return read_password(self.home)

    def state(self) -> ServerState | None:
        """The running server, or None. Does not wait for one that another process starts."""
        state = self._recorded()
        return state if state is not None and state.ready else None

    def start(self, progress: Progress | None = None) -> ServerState:
        """Return the running server, or start one and return when it answers a query.

        The first start fetches 190 MB of jars and tells ``progress`` how many of them are there.
        ``GRAPHMEM_MAVEN_URL`` names a mirror for them, ``GRAPHMEM_HEAP`` the heap's size (``1g``).
        Raises `LocalServerError` with the reason when there is no server to be had.
        """
        require_extras()
        with self._lock():
            state = self._recorded()
            if state is None:
                fetch_jars(self.home / "jars", progress)
                return self._launch()
            return state if state.ready else self._take_over(state)

    def stop(self) -> bool:
        """Stop the server, with a checkpoint, and return whether one was running."""
        if not self.home.is_dir():
            return False
        require_extras()
        with self._lock():
            state = self._recorded()
            if state is not None:
                self._end(state)
            (self.home / STATE_FILE).unlink(missing_ok=True)
        return state is not None

    def _recorded(self) -> ServerState | None:
        """The server of the state file if its process lives, ready or not."""
        state = read_state(self.home)
        if state is None:
            return None
        require_extras()
        return state if is_alive(state, self.home) else None

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Make the home if need be, and wait until no other process starts or stops its server."""
        try:
            self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = FileLock(self.home / "server.lock")
            lock.acquire()
        except OSError as error:
            raise self._not_writable(error) from error
        try:
            yield
        finally:
            lock.release()

    def _not_writable(self, error: OSError) -> LocalServerError:
        return LocalServerError(
            f"The local Neo4j cannot keep its files in {self.home} ({error}). "
            f"Set GRAPHMEM_HOME to a directory that you can write to, or {OWN_NEO4J}."
        )

    def _launch(self) -> ServerState:
        last = read_state(self.home)
        ports = choose_ports(Ports(last.bolt_port, last.http_port) if last else None)
        for _ in range(PORT_RETRIES):
            with suppress(_PortTakenError):
                return self._run_child(ports)
            ports = choose_ports(None)
        return self._run_child(ports)

    def _run_child(self, ports: Ports) -> ServerState:
        child = self._spawn(ports)
        try:
            state = self._wait_until_ready(lambda: child.poll() is not None)
            self._query(state)
        except BaseException as error:  # Ctrl-C as well: nothing is left half started
            _kill(child)
            if child.returncode == PORT_TAKEN and isinstance(error, LocalServerError):
                raise _PortTakenError(str(error)) from error
            raise
        _reap(child)
        return state

    def _take_over(self, starting: ServerState) -> ServerState:
        """Wait for a server whose starter is gone: it held the lock that we hold now."""
        try:
            state = self._wait_until_ready(lambda: not is_alive(starting, self.home))
            self._query(state)
        except LocalServerError:
            self._end(starting)
            raise
        return state

    def _spawn(self, ports: Ports) -> subprocess.Popen[bytes]:
        try:
            ensure_password(self.home)
            (self.home / STATE_FILE).unlink(missing_ok=True)
            (self.home / "neo4j").mkdir(mode=0o700, exist_ok=True)
            with self._open_log() as log:
                return subprocess.Popen(
                    [sys.executable, "-P", "-m", CHILD_MODULE, str(self.home), *map(str, ports)],
                    cwd=self.home,
                    env=_environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    **_detached(),
                )
        except OSError as error:
            raise self._not_writable(error) from error

    def _open_log(self) -> IO[bytes]:
        def private(path: str, flags: int) -> int:
            return os.open(path, flags, 0o600)

        return open(self.home / "server.log", "wb", opener=private)

    def _wait_until_ready(self, ended: Callable[[], bool]) -> ServerState:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            state = read_state(self.home)
            if state is not None and state.ready:
                return state
            if ended():
                raise self._failed("ended while it was starting")
            time.sleep(PAUSE_SECONDS)
        raise self._failed(f"was not ready after {START_SECONDS} seconds")

    def _query(self, state: ServerState) -> None:
        """Ask the server something as any client would: port, password and database in one."""
        auth = (self.username, self.password)
        try:
            with (
                neo4j.GraphDatabase.driver(state.uri, auth=auth) as driver,
                driver.session(database="neo4j") as session,
            ):
                session.run("RETURN 1").consume()
        except (DriverError, Neo4jError) as error:
            raise self._failed(f"does not answer a query ({error})") from error

    def _failed(self, what: str) -> LocalServerError:
        lines = "\n".join(f"  {line}" for line in self._last_log_lines())
        return LocalServerError(
            f"The local Neo4j {what}:\n{lines}\n"
            f"The whole log is {self.home / 'server.log'}, more is in {self.home / 'neo4j/logs'}. "
            f"Put that right and run `graphmem up` again, or {OWN_NEO4J}."
        )

    def _last_log_lines(self) -> list[str]:
        """What tells a reader something: no stack frames, no warnings of the JVM."""
        try:
            log = (self.home / "server.log").read_text(encoding="utf-8", errors="replace")
        except OSError:
            log = ""
        noise = ("\t", " ", "Traceback ", "WARNING:", "Picked up ")
        told = [line for line in log.splitlines() if line.strip() and not line.startswith(noise)]
        return told[-SHOWN_LOG_LINES:] or ["(the log is empty)"]

    def _end(self, state: ServerState) -> None:
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(state.pid)
            process.terminate()
            if not self._ends_within(state, STOP_SECONDS):
                process.kill()
        if not self._ends_within(state, STOP_SECONDS):
            raise LocalServerError(
                f"The local Neo4j (process {state.pid}) does not end, not even when killed: "
                "see what it waits for, most likely a disk that does not answer."
            )

    def _ends_within(self, state: ServerState, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while is_alive(state, self.home):
            if time.monotonic() > deadline:
                return False
            time.sleep(PAUSE_SECONDS)
        return True


def _environment() -> dict[str, str]:
    """Ours, plus the way to the package when it is not installed but run from its sources."""
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    paths = [SOURCES, *(Path(path).absolute() for path in inherited if path)]
    return os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))}


def _detached() -> dict[str, Any]:
    """The child outlives us, and what a terminal sends to us does not reach it."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def _kill(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.wait()


def _reap(child: subprocess.Popen[bytes]) -> None:
    """Let a thread wait for the child, so that it never stays a zombie while we live on."""
    threading.Thread(target=child.wait, name="graphmem-local-server", daemon=True).start()
