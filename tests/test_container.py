"""The official container image: by testcontainers, and by the compose file."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmem import Memory, Store
from tests.conftest import IMAGE, STRICT, Connection, container, has_image
from tests.forest import grow, texts

pytestmark = [
    pytest.mark.container,
    pytest.mark.skipif(not has_image(), reason=f"no Docker engine with the image {IMAGE}"),
]
COMPOSE = Path(__file__).parents[1] / "docker" / "compose.yaml"


@pytest.fixture(scope="module")
def server() -> Iterator[Connection]:
    """A container of this file's own."""
    yield from container()


def test_a_memory_in_a_container(server: Connection) -> None:
    space = f"test-{secrets.token_hex(4)}"
    with Memory.open(space, **server) as memory:
        grow(memory, "u1 a1", "u1 a2")
        memory.remember("of a1", sources=["a1"])
    with Memory.open(space, **server) as memory:
        assert texts(memory.at("a1").facts()) == {"of a1"}
        assert memory.at("a2").facts() == []
        assert memory.store.version.startswith("2026.08")


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def has_compose() -> bool:
    return (
        shutil.which("docker") is not None
        and not subprocess.run(
            ["docker", "compose", "version"], capture_output=True, check=False
        ).returncode
    )


@pytest.mark.skipif(not has_compose(), reason="docker compose is not installed")
def test_the_compose_file_gives_a_store() -> None:
    env = os.environ | {
        "NEO4J_PASSWORD": secrets.token_hex(8),
        "NEO4J_BOLT_PORT": free_port(),
        "NEO4J_HTTP_PORT": free_port(),
    }
    compose = [
        "docker",
        "compose",
        "--project-name",
        f"t{secrets.token_hex(4)}",
        "--file",
        str(COMPOSE),
    ]
    try:
        subprocess.run([*compose, "up", "--detach", "--wait"], env=env, check=True, timeout=240)
        uri = f"bolt://127.0.0.1:{env['NEO4J_BOLT_PORT']}"
        with Store.open(uri=uri, password=env["NEO4J_PASSWORD"], options=STRICT) as store:
            assert store.version.startswith("2026.08")
    finally:
        subprocess.run([*compose, "down", "--volumes"], env=env, check=False, timeout=120)


@pytest.mark.skipif(not has_compose(), reason="docker compose is not installed")
def test_the_compose_file_refuses_to_start_without_a_password() -> None:
    env = {name: value for name, value in os.environ.items() if name != "NEO4J_PASSWORD"}
    done = subprocess.run(
        ["docker", "compose", "--file", str(COMPOSE), "config", "--format", "json"],
        env=env,
        capture_output=True,
        check=False,
    )
    assert done.returncode != 0
    assert b"NEO4J_PASSWORD" in done.stderr
    good = subprocess.run(
        ["docker", "compose", "--file", str(COMPOSE), "config", "--format", "json"],
        env=env | {"NEO4J_PASSWORD": "x"},
        capture_output=True,
        check=True,
    )
    service = json.loads(good.stdout)["services"]["neo4j"]
    assert service["image"] == IMAGE
    assert {port["host_ip"] for port in service["ports"]} == {"127.0.0.1"}
