"""Storing imports: the same graph however often it is cut off, and in whatever order."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory, Store
from graphmem.importers import import_export
from graphmem.store import Query, Row, Transaction
from graphmem.store.local import LocalServer
from tests.conftest import STRICT, share_jars
from tests.forest import dump

CONVERSATIONS, TURNS = 30, 60


def conversation(number: int) -> dict[str, Any]:
    """A ChatGPT conversation with a fork at every tenth turn."""
    mapping: dict[str, Any] = {
        "root": {"id": "root", "message": None, "parent": None, "children": []}
    }
    above = "root"
    for step in range(TURNS):
        role = "assistant" if step % 2 else "user"
        for version in ("", "b") if step % 10 == 4 else ("",):
            name = f"n{step}{version}"
            text = f"Step {step}{version} of chat {number}. It has two sentences."
            mapping[name] = {
                "id": name,
                "parent": above,
                "children": [],
                "message": {
                    "author": {"role": role},
                    "content": {"content_type": "text", "parts": [text]},
                    "create_time": 1_700_000_000.5 + step,
                },
            }
            mapping[above]["children"].append(name)
        above = f"n{step}"
    return {
        "id": f"chat-{number}",
        "title": f"Chat {number}",
        "current_node": above,
        "mapping": mapping,
    }


def write_export(path: Path, numbers: range) -> Path:
    path.write_text(json.dumps([conversation(number) for number in numbers]), "utf-8")
    return path


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LocalServer]:
    """A local server of this test's own, to be killed."""
    server = LocalServer(share_jars(tmp_path / "home"))
    server.start()
    yield server
    server.stop()


def open_store(server: LocalServer) -> Store:
    state = server.start()
    return Store.open(
        uri=state.uri, username=server.username, password=server.password, options=STRICT
    )


def run_import(server: LocalServer, file: Path, space: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "graphmem", "--home", str(server.home)]
    env = {name: value for name, value in os.environ.items() if not name.startswith("NEO4J_")}
    return subprocess.Popen(
        [*command, "import", str(file), "--space", space, "--json"],
        env=env | {"GRAPHMEM_EMBEDDER": "none"},
        cwd=server.home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def wait_for_turns(server: LocalServer, space: str, count: int) -> None:
    with open_store(server) as store:
        deadline = time.monotonic() + 60
        while stored_turns(Memory(store, space=space)) < count:
            assert time.monotonic() < deadline, "the import does not get on"


def stored_turns(memory: Memory) -> int:
    with memory.store._session("read") as session:
        row = session.run(
            "MATCH (t:Turn {space: $space}) RETURN count(t) AS n", {"space": memory.space}
        ).single(strict=True)
    return int(row["n"])


def test_an_import_survives_the_death_of_the_server(server: LocalServer, tmp_path: Path) -> None:
    file = write_export(tmp_path / "conversations.json", range(CONVERSATIONS))
    broken = run_import(server, file, "cut")
    wait_for_turns(server, "cut", TURNS * 3)
    state = server.state()
    assert state is not None
    os.kill(state.pid, signal.SIGKILL)
    out, err = broken.communicate(timeout=120)
    assert (broken.returncode, out) == (2, b""), err.decode()
    assert b"no Neo4j answers" in err
    again = run_import(server, file, "cut")
    out, err = again.communicate(timeout=180)
    assert again.returncode == 0, err.decode()
    report = json.loads(out)
    assert report["imported"] == CONVERSATIONS
    assert sum(one["known"] for one in report["conversations"]) >= TURNS
    with open_store(server) as store:
        whole = Memory(store, space="whole")
        import_export(whole, file)
        cut = Memory(store, space="cut")
        assert dump(cut) == dump(whole)
        assert len(dump(whole)) > CONVERSATIONS * TURNS


def test_any_order_and_any_number_of_times_gives_the_same_graph(
    make_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    files = [write_export(tmp_path / f"part-{n}.json", range(n, n + 2)) for n in range(3)]
    once, often = make_memory(), make_memory()
    for file in files:
        import_export(once, file)
    for file in (files[2], files[0], files[1], files[2]):
        import_export(often, file)
    whole = make_memory()
    report = import_export(whole, tmp_path)
    assert dump(once) == dump(often) == dump(whole)
    assert report.imported == 6


def test_the_second_import_writes_nothing(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing: list[str] = []

    def run(self: Transaction, query: Query, /, **params: Any) -> list[Row]:
        result = self._inner.run(query.text, params)
        rows: list[Row] = result.data()
        if result.consume().counters.contains_updates:
            writing.append(query.name)
        return rows

    monkeypatch.setattr(Transaction, "run", run)
    file = write_export(tmp_path / "conversations.json", range(2))
    import_export(memory, file)
    assert "turn/add" in writing
    writing.clear()
    report = import_export(memory, file)
    assert {one.new for one in report.conversations} == {0}
    assert writing == []


def test_facts_know_their_passage(memory: Memory, tmp_path: Path) -> None:
    import_export(memory, write_export(tmp_path / "conversations.json", range(1)))
    view = memory.at("chatgpt/chat-0/n0")
    first, second = view.facts()
    assert (first.text, second.text) == ("Step 0 of chat 0.", "It has two sentences.")
    [passage] = second.sources
    text = memory.turn("chatgpt/chat-0/n0").text
    assert text[passage.start : passage.end] == passage.quote == second.text


def test_a_sentence_said_twice_on_the_path_is_one_claim(memory: Memory, tmp_path: Path) -> None:
    import_export(memory, write_export(tmp_path / "conversations.json", range(1)))
    claims = {claim.text: claim for claim in memory.at("chatgpt/chat-0/n9").facts()}
    assert claims["It has two sentences."].supports == 10
    assert "Step 4b of chat 0." not in claims
    assert "Step 4 of chat 0." in claims
    other = {claim.text for claim in memory.at("chatgpt/chat-0/n4b").facts()}
    assert "Step 4b of chat 0." in other
    assert "Step 4 of chat 0." not in other


def test_spaces_keep_the_same_export_apart(
    make_memory: Callable[..., Memory], tmp_path: Path
) -> None:
    file = write_export(tmp_path / "conversations.json", range(1))
    one, two = make_memory(), make_memory(f"test-{secrets.token_hex(4)}")
    import_export(one, file)
    assert two.conversations() == []
    import_export(two, file)
    assert dump(one) == dump(two)
