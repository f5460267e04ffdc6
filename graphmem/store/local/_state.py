"""What is known about the running server, and how its process is recognised again."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

with suppress(ImportError):  # `require_extras` tells the user
    import psutil

CHILD_MODULE = "graphmem.store.local._child"
STATE_FILE = "server.json"
HOST = "127.0.0.1"

PORT_TAKEN = 75
"""How the process exits when another program was faster at one of its ports."""


@dataclass(frozen=True)
class ServerState:
    """A local server: its process, its ports and Neo4j's version.

    ``started_at`` is in seconds since 1970. ``ready`` is false while Neo4j still starts, which
    `LocalServer` never shows.
    """

    pid: int
    bolt_port: int
    http_port: int
    version: str
    started_at: float
    ready: bool = True

    @property
    def uri(self) -> str:
        """The address for Neo4j drivers."""
        return f"bolt://{HOST}:{self.bolt_port}"

    @property
    def browser_url(self) -> str:
        """The address of Neo4j Browser."""
        return f"http://{HOST}:{self.http_port}/browser/"


def write_state(home: Path, state: ServerState) -> None:
    """Write the state file so that a reader sees the old or the new one, never half of it."""
    draft = home / f"{STATE_FILE}.new"
    draft.write_text(json.dumps(asdict(state)), encoding="utf-8")
    draft.replace(home / STATE_FILE)


def read_state(home: Path) -> ServerState | None:
    """The recorded state, whether or not its process still runs."""
    try:
        return ServerState(**json.loads((home / STATE_FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def is_alive(state: ServerState, home: Path) -> bool:
    """Whether the recorded process still runs and is a server of this home.

    The command line tells, not the start time: that shifts when the system's clock is set. A
    process that ended but was not reaped yet has an empty command line.
    """
    try:
        command = psutil.Process(state.pid).cmdline()
    except psutil.Error:
        return False
    return CHILD_MODULE in command and str(home) in command
