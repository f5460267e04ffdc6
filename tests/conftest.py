"""The Neo4j that the tests run against, and factories for what they store.

Order: ``NEO4J_URI``; else a Docker engine, through testcontainers; else the local server.
``GRAPHMEM_TEST_STORE`` (``uri``, ``container``, ``local``) picks one.
"""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory, Store

IMAGE = "neo4j:2026.08.1"
Connection = dict[str, Any]

# Any news from the server about one of our queries is a mistake of ours: pytest makes it a failure.
STRICT = {"warn_notification_severity": "WARNING"}


def pytest_configure(config: pytest.Config) -> None:
    """Keep the tests' servers, and the jars they share, in a folder of the checkout."""
    folder = Path(config.rootpath) / ".graphmem"
    os.environ.setdefault("GRAPHMEM_TEST_JARS", str(folder / "jars"))
    os.environ.setdefault("GRAPHMEM_HOME", str(folder / "test"))


def store_kind() -> str:
    """Return which Neo4j the tests use: ``uri``, ``container`` or ``local``."""
    if chosen := os.environ.get("GRAPHMEM_TEST_STORE"):
        return chosen
    if os.environ.get("NEO4J_URI"):
        return "uri"
    return "container" if has_image() else "local"


def has_image() -> bool:
    """Say whether a Docker engine runs and has the image."""
    try:
        found = subprocess.run(
            ["docker", "image", "inspect", IMAGE], capture_output=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return found.returncode == 0


@pytest.fixture(scope="session")
def connection() -> Iterator[Connection]:
    """Arguments for `Store.open` that lead to a Neo4j all tests share."""
    match store_kind():
        case "uri":
            yield {"options": STRICT}
        case "container":
            yield from container()
        case _:
            yield from local_server()


def container() -> Iterator[Connection]:
    """Run the official image for as long as the tests take."""
    from testcontainers.community.neo4j import Neo4jContainer
    from testcontainers.core.config import testcontainers_config

    # The container ends with the session, and Ryuk's image would be one more to pull.
    testcontainers_config.ryuk_disabled = True
    with Neo4jContainer(IMAGE, password=secrets.token_hex(8)) as server:
        yield {
            "uri": server.get_connection_url(),
            "username": server.username,
            "password": server.password,
            "options": STRICT,
        }


def local_server() -> Iterator[Connection]:
    """Run the local server in a folder of the tests' own; its jars are kept between runs."""
    from graphmem.store.local import LocalServer

    server = LocalServer(share_jars(Path(os.environ["GRAPHMEM_HOME"])))
    running_before = server.state() is not None
    state = server.start()
    yield {
        "uri": state.uri,
        "username": server.username,
        "password": server.password,
        "options": STRICT,
    }
    if not running_before:
        server.stop()


def share_jars(home: Path) -> Path:
    """Let a home of the tests use the jars that all of them share."""
    jars = Path(os.environ["GRAPHMEM_TEST_JARS"])
    jars.mkdir(parents=True, exist_ok=True)
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not (home / "jars").exists():
        (home / "jars").symlink_to(jars, target_is_directory=True)
    return home


@pytest.fixture(scope="session")
def store(connection: Connection) -> Iterator[Store]:
    """An open store."""
    with Store.open(**connection) as opened:
        yield opened


@pytest.fixture
def make_memory(store: Store) -> Callable[..., Memory]:
    """A factory of memories, each of a space of its own."""

    def make(space: str | None = None) -> Memory:
        return Memory(store, space=space or f"test-{secrets.token_hex(8)}")

    return make


@pytest.fixture
def memory(make_memory: Callable[..., Memory]) -> Memory:
    """A memory of a fresh space."""
    return make_memory()
