"""The command line as a user runs it: real processes, what is on stdout and stderr, exit codes."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory
from graphmem.cli._drawing import drawing
from graphmem.cli._output import shown
from tests.forest import grow


@dataclass
class Answer:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Answer]


def store_settings(connection: dict[str, Any]) -> dict[str, str]:
    """Return the environment that leads to the tests' store."""
    names = {"uri": "NEO4J_URI", "username": "NEO4J_USERNAME", "password": "NEO4J_PASSWORD"}
    return {names[key]: value for key, value in connection.items() if key in names}


def command_line(connection: dict[str, Any], *program: str) -> Run:
    """Return what runs `graphmem` (or another program) with the tests' store."""

    def run(*arguments: str, **env: str) -> Answer:
        done = subprocess.run(
            [sys.executable, *(program or ("-m", "graphmem")), *arguments],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=os.environ
            | store_settings(connection)
            | {"COLUMNS": "200", "GRAPHMEM_EMBEDDER": "none"}
            | env,
            timeout=120,
            check=False,
        )
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def graphmem(connection: dict[str, Any]) -> Run:
    """Run `graphmem` with the tests' store."""
    return command_line(connection)


def test_each_read_command_prints_one_json_document(graphmem: Run, memory: Memory) -> None:
    grow(memory, "u1 a1 u2", "a1 u3", conversation="c")
    memory.set_head("c", "u2")
    record = memory.remember("kept 茶", sources=["u2"])
    at = ("--space", memory.space, "--json")
    tree = graphmem("tree", *at).json
    [conversation] = tree["conversations"]
    assert (conversation["id"], conversation["head"]) == ("c", "u2")
    assert {turn["id"]: turn["parent"] for turn in conversation["turns"]} == {
        "u1": None,
        "a1": "u1",
        "u2": "a1",
        "u3": "a1",
    }
    assert {"id", "parent", "replaces", "role", "text"} <= conversation["turns"][0].keys()
    facts = graphmem("facts", "--anchor", "u2", *at)
    assert "kept 茶" in facts.out
    assert facts.json["anchor"] == "u2"
    assert facts.json["facts"] == [
        {
            "id": record.id,
            "text": "kept 茶",
            "kind": "fact",
            "supports": 1,
            "sources": [{"turn": "u2", "quote": None, "start": None, "end": None}],
            "records": [record.id],
            "current": True,
            "invalidated": [],
        }
    ]
    assert graphmem("facts", "--anchor", "u3", *at).json["facts"] == []
    hidden = graphmem("explain", record.id, "--anchor", "u3", *at).json
    assert hidden["visible"] is False
    assert hidden["reasons"] == [{"code": "off_path", "source": "u2", "record": None, "fork": "a1"}]
    assert graphmem("explain", record.id, "--anchor", "u2", *at).json["visible"] is True
    difference = graphmem("diff", "u2", "u3", *at).json
    assert (difference["fork"], len(difference["only_a"]), difference["only_b"]) == ("a1", 1, [])
    path = graphmem("path", "--anchor", "u2", *at).json
    assert [turn["id"] for turn in path["turns"]] == ["u1", "a1", "u2"]
    rows = graphmem("cypher", "--anchor", "u2", "RETURN fact.text AS text", *at).json["rows"]
    assert rows == [{"text": "kept 茶"}]
    doctor = graphmem("doctor", *at).json
    assert doctor["checkup"]["awaited"] == doctor["checkup"]["broken"] == []
    assert graphmem("status", "--json").json["running"] is True


def test_the_same_for_people(graphmem: Run, memory: Memory) -> None:
    grow(memory, "u1 a1 u2", "a1 u3", conversation="c")
    record = memory.remember("kept", sources=["u2"])
    at = ("--space", memory.space)
    assert "text of u3" in graphmem("tree", *at).out
    assert "kept" in graphmem("facts", "--anchor", "u2", *at).out
    explained = graphmem("explain", record.id, "--anchor", "u3", *at).out
    assert "u2 is on another branch, which left this path after a1" in explained
    assert "only at u2" in graphmem("diff", "u2", "u3", *at).out
    assert "text of a1" in graphmem("path", "--anchor", "u3", *at).out
    assert "kept" in graphmem("cypher", "--anchor", "u2", "RETURN fact.text", *at).out
    assert "broken rules: none" in graphmem("doctor", *at).out


def test_exit_codes_tell_whose_mistake_it_was(graphmem: Run, memory: Memory) -> None:
    grow(memory, "u1")
    at = ("--space", memory.space)
    mistakes = {
        ("facts", "--anchor", "u9", *at): "no turn 'u9'",
        ("facts", *at): "--anchor",
        ("nonsense",): "nonsense",
        ("facts", "--anchor", "u1", "--space", ""): "empty",
        ("cypher", "--anchor", "u1", "CREATE (n)", *at): "server refused",
        ("cypher", "--anchor", "u1", "RETURN $x", "--param", "x", *at): "name=value",
        ("tree", "no such conversation", *at): "no such conversation",
        ("import", "/no/such/file"): "/no/such/file",
    }
    for arguments, says in mistakes.items():
        answer = graphmem(*arguments)
        assert (answer.code, answer.out) == (1, ""), arguments
        assert says in answer.err
        assert "Traceback" not in answer.err
    gone = graphmem("facts", "--anchor", "u1", *at, NEO4J_URI="bolt://127.0.0.1:1")
    assert (gone.code, gone.out) == (2, "")
    assert "no Neo4j answers" in gone.err
    won = graphmem("--uri", "bolt://127.0.0.1:1", "facts", "--anchor", "u1", *at)
    assert won.code == 2
    assert graphmem("--help").code == 0


def test_the_demo_runs_twice(graphmem: Run) -> None:
    for _ in range(2):
        answer = graphmem("demo")
        assert answer.code == 0, answer.err
        kept = answer.out.partition("branch that was kept")[2].partition("switched back")[0]
        assert "✓ moves to Hangzhou next month" in kept
        assert "✓ moves to Chengdu next month" not in kept
        assert "✗ moves to Chengdu next month" in kept
        back = answer.out.partition("switched back")[2].partition("周末")[0]
        assert "✓ moves to Chengdu next month" in back
        assert "小林对虾过敏" in answer.out
        assert "MATCH path" in answer.out


def export(path: Path, *conversations: dict[str, Any]) -> Path:
    path.write_text(json.dumps(list(conversations)), "utf-8")
    return path


def chat(name: str, *edges: tuple[str, str | None, str]) -> dict[str, Any]:
    """A ChatGPT conversation: (node, parent, text), the role by the node's first letter."""
    return {
        "id": name,
        "title": f"About {name}",
        "current_node": edges[-1][0],
        "mapping": {
            node: {
                "id": node,
                "parent": parent,
                "children": [other for other, above, _ in edges if above == node],
                "message": {
                    "author": {"role": "assistant" if node.startswith("a") else "user"},
                    "content": {"content_type": "text", "parts": [text]},
                    "create_time": 1_700_000_000.0 + number,
                },
            }
            for number, (node, parent, text) in enumerate(edges)
        },
    }


FORKED = chat(
    "tea",
    ("u1", None, "I drink tea. 我喝茶。"),
    ("a1", "u1", "Which one?"),
    ("u2", "a1", "Green tea, every day."),
    ("u3", "a1", "Black tea. Never green."),
)


def test_an_import_keeps_every_branch_and_asks_at_once(graphmem: Run, tmp_path: Path) -> None:
    space = f"test-{secrets.token_hex(8)}"
    at = ("--space", space, "--json")
    file = export(tmp_path / "conversations.json", FORKED)
    first = graphmem("import", str(file), *at)
    assert first.code == 0, first.err
    assert first.json["imported"] == 1
    [conversation] = graphmem("tree", *at).json["conversations"]
    leaves = {turn["id"] for turn in conversation["turns"]} - {
        turn["parent"] for turn in conversation["turns"]
    }
    assert leaves == {"chatgpt/tea/u2", "chatgpt/tea/u3"}
    assert conversation["head"] == "chatgpt/tea/u3"
    said = {
        leaf: {fact["text"] for fact in graphmem("facts", "--anchor", leaf, *at).json["facts"]}
        for leaf in leaves
    }
    shared = {"I drink tea.", "我喝茶。", "Which one?"}
    assert said["chatgpt/tea/u2"] == shared | {"Green tea, every day."}
    assert said["chatgpt/tea/u3"] == shared | {"Black tea.", "Never green."}
    again = graphmem("import", str(file), *at).json["conversations"][0]
    assert (again["new"], again["known"]) == (0, 4)


def test_an_import_that_skips_something_ends_with_three(graphmem: Run, tmp_path: Path) -> None:
    space = f"test-{secrets.token_hex(8)}"
    file = export(tmp_path / "some.json", {"id": "bad", "title": "Bad"}, FORKED)
    answer = graphmem("import", str(file), "--space", space, "--json")
    assert answer.code == 3
    assert (answer.json["imported"], answer.json["skipped"]) == (1, 1)
    people = graphmem("import", str(file), "--space", space)
    assert people.code == 3
    assert "Bad: skipped" in people.out
    other = graphmem("import", str(export(tmp_path / "user.json")), "--space", space)
    assert other.code == 1
    assert "no conversations" in other.err


def test_a_turn_that_changed_since_the_last_export_is_reported(
    graphmem: Run, tmp_path: Path
) -> None:
    space = f"test-{secrets.token_hex(8)}"
    graphmem("import", str(export(tmp_path / "one.json", FORKED)), "--space", space)
    grown = chat(
        "tea",
        ("u1", None, "I drink tea. 我喝茶。"),
        ("a1", "u1", "Which one, if I may ask?"),
        ("u2", "a1", "Green tea, every day."),
        ("u3", "a1", "Black tea. Never green."),
        ("a3", "u3", "Noted."),
    )
    answer = graphmem(
        "import", str(export(tmp_path / "two.json", grown)), "--space", space, "--json"
    )
    assert answer.code == 0
    [report] = answer.json["conversations"]
    assert (report["new"], report["known"]) == (1, 3)
    assert "chatgpt/tea/a1" in report["warnings"][0]


def test_a_turn_cannot_steer_the_terminal(graphmem: Run, memory: Memory) -> None:
    memory.add_turn(
        "u1", role="user", text="\x1b[2Jgone\x07 [bold]x[/] \u202eevil", conversation="c"
    )
    memory.remember("\x1b]0;title\x07 fact", sources=["u1"])
    out = graphmem("tree", "--space", memory.space).out
    out += graphmem("facts", "--anchor", "u1", "--space", memory.space).out
    assert not set(out) & {"\x1b", "\x07", "\u202e"}
    assert "[bold]x[/]" in out


def test_shown_cuts_and_flattens() -> None:
    assert shown("a\nb\tc") == "a b c"
    assert shown("abcdef", 4) == "abc…"


def test_a_long_chain_is_drawn_as_a_straight_line(memory: Memory) -> None:
    grow(memory, " ".join(f"u{n}" for n in range(3000)), "u5 x1 x2", conversation="c")
    memory.set_head("c", "u2999")
    lines = [line.plain for line in drawing(memory.tree("c"))]
    assert len(lines) == 3002
    assert [line for line in lines if line.startswith("├─")] == ["├─user text of x1  x1"]
    assert lines[-1] == "user text of u2999  u2999  ← head"
