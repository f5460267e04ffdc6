"""The commands that learn, recall and forget, as a user runs them."""

from __future__ import annotations

import hashlib
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from graphmem import Memory
from graphmem._models import ReasonCode
from graphmem.cli._drawing import drawing
from graphmem.cli._read import REASONS
from tests.endpoint import Answer as Sent
from tests.endpoint import Asked, Endpoint, completion, embeddings, failure
from tests.forest import grow, only_model
from tests.test_cli import Run, command_line, store_settings


@pytest.fixture
def graphmem(connection: dict[str, Any]) -> Run:
    """Run `graphmem` with the tests' store, without an embedder unless one is named."""
    return command_line(connection)


@pytest.fixture
def forked(memory: Memory) -> Memory:
    """A trip to Chengdu (u2), or rather to Hangzhou (u3); Ira is known to both."""
    grow(memory, "u1 a1 u2 u4", "a1 u3", conversation="trip")
    memory.relate("Ira", "leads", "Helix", ["u1"], id="leads")
    memory.relate("Ann", "works with", "Ira", ["u1"], id="works")
    memory.remember("the trip goes to Chengdu", ["u2"], id="chengdu", mentions=["Chengdu"])
    memory.remember("the trip goes to Hangzhou", ["u3"], id="hangzhou", mentions=["Hangzhou"])
    return memory


def space_of(memory: Memory) -> tuple[str, str]:
    return "--space", memory.space


# --- what a question is answered from


def test_recall_finds_on_its_branch_only(graphmem: Run, forked: Memory) -> None:
    question = ("Where does the trip go?", *space_of(forked))
    for anchor, here, there in (("u2", "Chengdu", "Hangzhou"), ("u3", "Hangzhou", "Chengdu")):
        for command in ("recall", "context"):
            for form in ((), ("--json",)):
                answer = graphmem(command, *question, "--anchor", anchor, *form)
                assert answer.code == 0, answer.err
                assert here in answer.out, (command, anchor)
                assert there not in answer.out + answer.err, (command, anchor)


def test_recall_as_json_has_all_of_a_hit(graphmem: Run, forked: Memory) -> None:
    at = (*space_of(forked), "--anchor", "u2", "--json")
    [hit] = graphmem("recall", "Where does the trip go?", "-k", "1", *at).json["hits"]
    assert (hit["id"], hit["current"], hit["invalidated"]) == ("chengdu", True, [])
    assert hit["parts"]["text"] > 0
    assert "u2" in hit["why"]
    assert hit["sources"][0]["turn"] == "u2"
    assert graphmem("recall", "trip", "--kind", "relation", *at).json["hits"] == []
    forked.retract("chengdu", ["u4"])
    at = (*space_of(forked), "--anchor", "u4", "--json")
    assert graphmem("recall", "trip", *at).json["hits"] == []
    [old] = graphmem("recall", "trip", "--history", *at).json["hits"]
    assert old["invalidated"][0]["sources"] == ["u4"]


def test_a_context_is_the_block_and_nothing_else(graphmem: Run, forked: Memory) -> None:
    at = (*space_of(forked), "--anchor", "u2")
    block = graphmem("context", "trip", *at)
    data = graphmem("context", "trip", *at, "--json").json
    assert block.out.rstrip("\n") == data["text"]
    assert (data["records"], data["sources"]) == (["chengdu"], ["u2"])
    assert 0 < data["tokens"] <= 1000
    short = graphmem("context", "trip", *at, "--max-tokens", "5")
    assert (short.code, short.out) == (0, "")
    assert "nothing" in short.err


# --- corrections, and what was held when


def test_a_correction_holds_on_its_branch(graphmem: Run, forked: Memory) -> None:
    forked.remember("has a budget of 3,000", ["a1"], id="budget")
    at = space_of(forked)
    said = graphmem("correct", "budget", "has a budget of 4,000", "--source", "u2", *at)
    assert "has a budget of 4,000" in said.out, said.err
    again = graphmem("correct", "budget", "has a budget of 4,000", "--source", "u2", *at, "--json")
    assert again.json["invalidates"] == ["budget"]
    assert again.json["replacement"]["text"] == "has a budget of 4,000"

    def facts(anchor: str, *more: str) -> str:
        return graphmem("facts", "--anchor", anchor, *at, *more).out

    assert "4,000" in facts("u2")
    assert "3,000" not in facts("u2")
    assert "since u2: has a budget of 4,000" in facts("u2", "--history")
    assert "3,000" in facts("u3")
    assert "4,000" not in facts("u3")
    explained = graphmem("explain", "budget", "--anchor", "u2", *at).out
    assert "no longer holds" in explained
    assert "since u2: has a budget of 4,000" in explained
    assert "current" in graphmem("explain", "budget", "--anchor", "u3", *at).out
    moments = graphmem("timeline", "budget", "--anchor", "u2", *at, "--json").json["moments"]
    assert [(one["since"], one["until"]) for one in moments] == [("a1", "u2"), ("u2", None)]
    assert "(holds)" in graphmem("timeline", "budget", "--anchor", "u2", *at).out


def test_a_retraction_too(graphmem: Run, forked: Memory) -> None:
    at = space_of(forked)
    assert "chengdu" in graphmem("retract", "chengdu", "--source", "u4", *at).out
    assert graphmem("retract", "chengdu", "--source", "u4", *at, "--json").json["invalidates"] == [
        "chengdu"
    ]
    assert "(retracted)" in graphmem("timeline", "Chengdu", "--anchor", "u4", *at).out
    assert "Chengdu" in graphmem("facts", "--anchor", "u2", *at).out
    assert "Chengdu" not in graphmem("facts", "--anchor", "u4", *at).out
    late = graphmem("retract", "hangzhou", "--source", "u9", *at)
    assert "u9 has not arrived" in late.err


# --- the graph of entities


def test_the_graph_of_entities(graphmem: Run, forked: Memory) -> None:
    at = (*space_of(forked), "--anchor", "u2")
    found = graphmem("entities", *at, "--json").json["entities"]
    assert {one["names"][0] for one in found} == {"Ira", "Helix", "Ann", "Chengdu"}
    assert "Chengdu" in graphmem("entities", "cheng", *at).out
    assert "Ira" not in graphmem("entities", "cheng", *at).out
    edges = graphmem("neighbours", "Ira", *at, "--json").json["edges"]
    assert {(edge["predicate"], edge["direction"]) for edge in edges} == {
        ("leads", "out"),
        ("works with", "in"),
    }
    assert "(Ira)<-[works with]-(Ann)" in graphmem("neighbours", "Ira", *at).out
    assert "no relation" in graphmem("neighbours", "Hangzhou", *at).out
    [path] = graphmem("paths", "Ann", "Helix", *at, "--json").json["paths"]
    assert [edge["id"] for edge in path["edges"]] == ["works", "leads"]
    drawn = graphmem("paths", "Ann", "Helix", *at).out
    assert "(Ann)-[works with]->(Ira) (Ira)-[leads]->(Helix)" in drawn
    assert "nothing" in graphmem("paths", "Ann", "Chengdu", *at).out


# --- what worked


def test_outcomes_follow_the_branch(graphmem: Run, memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2", "a1 u3 a3")
    at = space_of(memory)
    given = graphmem("reward", "-0.8", "--head", "a3", *at)
    assert (given.code, given.out) == (0, "-0.8 at a3, about a3\n"), given.err
    praise = graphmem(
        "reward", "1", "--head", "a2", "--turn", "u2", "--gamma", "0.5", *at, "--json"
    )
    assert {**praise.json, "id": ""} == {
        "head": "a2",
        "refers_to": "u2",
        "reward": 1.0,
        "gamma": 0.5,
        "id": "",
    }
    told = graphmem("credit", "--anchor", "a2", *at)
    assert "+0.12500" in told.out
    assert "4 turns with credit at a2" in told.out
    [blamed] = graphmem("credit", "--anchor", "a3", *at, "--json").json["turns"]
    assert (blamed["turn"], blamed["value"], len(blamed["parts"])) == ("a3", -0.8, 1)
    assert graphmem("credit", "--anchor", "a1", *at).out == "0 turns with credit at a1\n"
    wrong = graphmem("reward", "-8", "--head", "a3", *at)
    assert (wrong.code, wrong.out) == (1, "")
    assert "reward" in wrong.err
    assert graphmem("reward", "1", "--head", "a3", "--turn", "a2", *at).code == 1
    assert graphmem("reward", "1", "--haed", "a3", *at).code == 1


def test_insights_and_their_evidence_are_listed(graphmem: Run, memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2", "a1 u3 a3")
    at = space_of(memory)
    entry = memory.add_insight("tea", "Likes tea.", evidence=["u1"], kind="taste", confidence=0.5)
    memory.merge_insight(body="Likes hot tea.", evidence=["a2"], target=entry)
    assert "tea: Likes hot tea." in graphmem("insights", "--anchor", "a2", *at).out
    kept = graphmem("insights", "--anchor", "a3", *at)
    assert "tea: Likes tea. (taste, 0.5)" in " ".join(kept.out.split())
    assert "1 insight at a3" in kept.out
    [listed] = graphmem("insights", "--anchor", "a3", *at, "--json").json["insights"]
    assert (listed["id"], listed["version"], listed["kind"]) == (entry.id, 1, "taste")
    told = graphmem("evidence", entry.id, "--anchor", "a3", *at).out
    assert "revoked" in told
    assert "a2 is on another branch, which left this path after a1" in told
    rows = graphmem("evidence", entry.id, "--anchor", "a3", *at, "--json").json["evidence"]
    assert {row["turn"]: row["status"] for row in rows} == {"u1": "live", "a2": "revoked"}
    assert graphmem("evidence", "nope", "--anchor", "a3", *at).code == 1


def test_recall_leaves_out_what_the_prompt_shows(graphmem: Run, forked: Memory) -> None:
    question = ("Where does the trip of Ira go?", "--anchor", "u2", *space_of(forked))
    for command in ("recall", "context"):
        for window in (("--since", "u2"), ("--exclude", "u2", "--exclude", "a1")):
            answer = graphmem(command, *question, *window, "--prefer", "valued")
            assert answer.code == 0, answer.err
            assert "Helix" in answer.out
            assert "Chengdu" not in answer.out
    assert graphmem("recall", *question, "--since", "u3").code == 1
    assert graphmem("recall", *question, "--prefer", "best").code == 1


# --- reading turns


def test_sentences_are_extracted_once(graphmem: Run, memory: Memory) -> None:
    grow(memory, "u1 a1 u2", "a1 u3")
    at = space_of(memory)
    assert "4 turns" in graphmem("extract", "--status", *at).out
    one = graphmem("extract", "--turn", "u1", *at)
    assert "read 1 turn" in one.out, one.err
    assert graphmem("extract", *at, "--json").json["read"] == 3
    assert graphmem("extract", *at, "--json").json["read"] == 0
    assert graphmem("extract", "--status", *at, "--json").json["waiting"] == 0
    facts = graphmem("facts", "--anchor", "u2", *at).out
    assert "text of u2" in facts
    assert "text of u3" not in facts


def test_turns_that_fail_are_reported_and_read_again(graphmem: Run, memory: Memory) -> None:
    grow(memory, "u1 a1 u2")
    fine, refused = completion({"facts": [{"text": "likes tea"}]}), completion(None, refusal="no")
    with Endpoint(fine, refused, fine, fine) as endpoint:
        env = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "k"}
        command = ("extract", "--extractor", "openai:stub", *space_of(memory))
        first = graphmem(*command, "--json", **env)
        assert first.code == 3, first.err
        assert first.json["read"] == 2
        assert [one["turn"] for one in first.json["failed"]] == ["a1"]
        status = graphmem("extract", "--extractor", "openai", "--status", *space_of(memory))
        assert (status.code, status.out.splitlines()[0][:7]) == (0, "0 turns")
        assert "a1: ModelAnswerError" in status.out
        assert "read 0 turns" in graphmem(*command, **env).out
        again = graphmem(*command, "--retry-failed", **env)
        assert again.code == 0, again.err
        assert "read 1 turn" in again.out


def test_an_endpoint_that_is_gone_ends_with_two(graphmem: Run, memory: Memory) -> None:
    grow(memory, "u1 a1")
    command = ("extract", "--extractor", "openai:stub", *space_of(memory))
    with Endpoint(failure(401)) as endpoint:
        answer = graphmem(*command, OPENAI_BASE_URL=endpoint.url, OPENAI_API_KEY="k")
    assert (answer.code, answer.out) == (2, "")
    assert "--retry-failed" in answer.err
    assert graphmem(*command, "--status", "--json").json["waiting"] == 1
    keyless = graphmem(*command, OPENAI_API_KEY="", OPENAI_BASE_URL="")
    assert (keyless.code, keyless.out) == (1, "")
    assert "OPENAI_API_KEY" in keyless.err


def test_a_path_is_summed_up_once(graphmem: Run, memory: Memory) -> None:
    grow(memory, " ".join(f"u{n}" for n in range(25)))
    command = ("summarise", "--anchor", "u24", *space_of(memory))
    assert "1 summary made" in graphmem(*command).out
    again = graphmem(*command, "--json").json
    assert (again["made"], again["reused"], len(again["turns"])) == (0, 1, 5)
    assert len(again["summaries"]) == 1
    assert "1 visible" in graphmem("facts", "--kind", "summary", *command[1:]).out


# --- vectors


def directed(asked: Asked) -> Sent:
    """Answer with vectors made of the texts."""
    digests = (hashlib.shake_128(text.encode()).digest(8) for text in asked.body["input"])
    return embeddings([[(byte - 127.5) / 127.5 for byte in digest] for digest in digests])


@pytest.fixture
def embedding(memory: Memory) -> Iterator[dict[str, str]]:
    """The environment of an endpoint that embeds, in a database without vectors."""
    with only_model(memory.store), Endpoint(respond=directed) as endpoint:
        yield {
            "OPENAI_BASE_URL": endpoint.url,
            "OPENAI_API_KEY": "k",
            "GRAPHMEM_EMBEDDER": "openai:stub",
        }


def test_vectors_are_made_and_searched(
    graphmem: Run, forked: Memory, embedding: dict[str, str]
) -> None:
    at = space_of(forked)
    assert "none yet" in graphmem("embed", "--status", *at).out
    assert "4 vectors of openai:stub" in graphmem("embed", *at, **embedding).out
    status = graphmem("embed", "--status", *at, "--json").json
    assert (status["model"], status["dimensions"]) == ("openai:stub", 8)
    assert (status["records"], status["embedded"], status["waiting"]) == (4, 4, 0)
    assert graphmem("embed", *at, "--json", **embedding).json["filled"] == 0
    question = ("recall", "the trip goes to Chengdu", *at, "--json")
    first = graphmem(*question, "--anchor", "u2", **embedding).json["hits"][0]
    assert first["id"] == "chengdu"
    assert first["parts"]["vector"] == pytest.approx(1)
    other = graphmem(*question, "--anchor", "u3", **embedding)
    assert "hangzhou" in other.out
    assert "chengdu" not in other.out
    alone = graphmem("--embedder", "none", *question, "--anchor", "u2", **embedding)
    assert "vector" not in alone.json["hits"][0]["parts"]
    wrong = graphmem(*question, "--anchor", "u2", "--embedder", "openai:other", **embedding)
    assert (wrong.code, wrong.out) == (1, "")
    assert "reembed" in wrong.err


def test_writes_say_what_waits_for_a_vector(
    graphmem: Run, forked: Memory, embedding: dict[str, str]
) -> None:
    at = space_of(forked)
    before = graphmem("correct", "chengdu", "the trip is off", "--source", "u4", *at)
    assert "wait" not in before.err  # there are no vectors: nothing is missed
    assert graphmem("embed", *at, **embedding).code == 0
    done = graphmem("correct", "hangzhou", "the trip is on", "--source", "u3", *at, "--json")
    assert done.json["invalidates"] == ["hangzhou"]
    assert f"1 record waits for a vector: `graphmem embed --space {forked.space}`" in done.err
    assert graphmem("extract", *at).err.startswith("6 records wait")


def test_all_vectors_change_over(
    connection: dict[str, Any], graphmem: Run, forked: Memory, embedding: dict[str, str]
) -> None:
    assert graphmem("embed", *space_of(forked), **embedding).code == 0
    # The database is that of all tests, and this would take all of it.
    program = (
        "import graphmem.embed._reembedding as room; from graphmem.cli import main; "
        f"room.spaces = lambda store: iter(['{forked.space}']); main()"
    )
    change = command_line(connection, "-c", program)
    done = change("reembed", "--embedder", "openai:new", "--json", **embedding)
    assert done.code == 0, done.err
    assert "whole database" in done.err
    assert done.json == {"model": "openai:new", "filled": 4, "refused": 0}
    status = graphmem("embed", "--status", *space_of(forked), "--json").json
    assert (status["model"], status["embedded"]) == ("openai:new", 4)


# --- forgetting


def test_what_is_revoked_comes_back(graphmem: Run, forked: Memory) -> None:
    at = space_of(forked)
    assert "1 turn hidden" in graphmem("revoke", "--turn", "u2", *at).out
    assert "text of u2  (revoked)" in graphmem("tree", *at).out
    [tree] = graphmem("tree", *at, "--json").json["conversations"]
    assert (tree["revoked"], tree["purged"]) == (["u2"], [])
    assert "Chengdu" not in graphmem("facts", "--anchor", "u4", *at).out
    assert "u2 was revoked" in graphmem("explain", "chengdu", "--anchor", "u4", *at).out
    assert graphmem("restore", "--turn", "u2", *at, "--json").json == {"turns": 1, "records": 0}
    assert "(revoked)" not in graphmem("tree", *at).out
    assert "Chengdu" in graphmem("facts", "--anchor", "u4", *at).out
    hidden = graphmem("revoke", "--record", "chengdu", *at, "--json")
    assert hidden.json == {"turns": 0, "records": 1}
    explained = graphmem("explain", "chengdu", "--anchor", "u4", *at).out
    assert "the record itself was revoked" in explained


def test_what_is_purged_leaves_its_place(graphmem: Run, forked: Memory) -> None:
    at = space_of(forked)
    foreseen = graphmem("purge", "--turn", "u2", "--dry-run", *at)
    assert "1 turn, 1 record, 1 entity would be removed" in foreseen.out
    assert "Chengdu" in graphmem("facts", "--anchor", "u2", *at).out
    done = graphmem("purge", "--turn", "u2", "--record", "leads", "--yes", *at, "--json").json
    assert (done["turns"], done["records"], done["entities"]) == (1, 2, 2)
    drawn = graphmem("tree", *at).out
    assert "(purged)  u2" in drawn
    assert "text of u2" not in drawn
    assert "text of u4" in drawn
    [tree] = graphmem("tree", *at, "--json").json["conversations"]
    assert tree["purged"] == ["u2"]
    path = graphmem("path", "--anchor", "u4", *at, "--json").json["turns"]
    assert [turn["id"] for turn in path] == ["u1", "a1", "u4"]
    assert "text of u4" in graphmem("path", "--anchor", "u4", *at).out
    assert "was purged" in graphmem("explain", "leads", "--anchor", "u4", *at).out
    assert "was purged" in graphmem("restore", "--turn", "u2", *at).err
    assert any("(purged)" in line.plain for line in drawing(forked.tree("trip")))


def test_a_whole_space_is_forgotten_by_name(graphmem: Run, forked: Memory) -> None:
    unnamed = graphmem("forget", "--yes", GRAPHMEM_SPACE=forked.space)
    assert (unnamed.code, unnamed.out) == (1, "")
    assert "--space" in unnamed.err
    at = space_of(forked)
    assert "5 turns" in graphmem("forget", "--dry-run", *at).out
    assert len(forked.tree("trip").turns) == 5
    assert graphmem("forget", "--yes", *at, "--json").json["turns"] == 5
    assert forked.conversations() == []
    assert "holds nothing" in graphmem("forget", "--yes", *at).out


def test_nothing_is_removed_for_good_without_a_yes(graphmem: Run, forked: Memory) -> None:
    for command in (("purge", "--turn", "u2"), ("forget",)):
        answer = graphmem(*command, *space_of(forked))
        assert (answer.code, answer.out) == (1, "")
        assert "--yes" in answer.err
    assert len(forked.at("u2").facts()) == 1


@pytest.mark.parametrize(("typed", "code", "left"), [(b"n\n", 1, 1), (b"y\n", 0, 0)])
def test_on_a_terminal_it_shows_the_counts_and_asks(
    connection: dict[str, Any], forked: Memory, typed: bytes, code: int, left: int
) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "graphmem", "purge", "--record", "chengdu", *space_of(forked)],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=os.environ | store_settings(connection),
    ) as process:
        os.close(theirs)
        os.write(ours, typed)
        out, _ = process.communicate(timeout=60)
    shown = os.read(ours, 10_000)
    os.close(ours)
    assert process.returncode == code
    assert b"purge: 1 record, 1 entity" in shown
    assert (b"removed for good" in out) == (left == 0)
    assert len(forked.at("u2").facts()) == left


# --- what is refused


def test_mistakes_are_named(graphmem: Run, forked: Memory) -> None:
    at = space_of(forked)
    mistakes: dict[tuple[str, ...], str] = {
        ("recall", " ", "--anchor", "u2"): "blank",
        ("recall", "trip", "--anchor", "u9"): "no turn 'u9'",
        ("recall", "trip", "--anchor", "u2", "--embedder", "nonsense"): "nonsense",
        ("recall", "trip", "--anchor", "u2", "--kind", "nonsense"): "nonsense",
        ("recall", "trip", "--anchor", "u2", "--scope", "nonsense"): "nonsense",
        ("context", "trip", "--anchor", "u2", "--max-tokens", "0"): "max_tokens",
        ("correct", "nonsense", "x", "--source", "u2"): "nonsense",
        ("correct", "chengdu", "x"): "--source",
        ("retract", "nonsense", "--source", "u2"): "nonsense",
        ("extract", "--extractor", "nonsense"): "nonsense",
        ("extract", "--extractor", "nonsense", "--status"): "nonsense",
        ("extract", "--turn", "u9"): "no turn 'u9'",
        ("summarise", "--anchor", "u2", "--summariser", "nonsense"): "nonsense",
        ("embed", "--embedder", "nonsense"): "nonsense",
        ("embed",): "no embedder",
        ("revoke",): "name the turns or the records",
        ("revoke", "--turn", "u9"): "no turn 'u9'",
        ("restore", "--record", "nonsense"): "nonsense",
        ("purge", "--record", "nonsense", "--yes"): "nonsense",
    }
    for arguments, says in mistakes.items():
        answer = graphmem(*arguments, *at)
        assert (answer.code, answer.out) == (1, ""), arguments
        assert says in answer.err, arguments
        assert "Traceback" not in answer.err
    changed = graphmem("reembed", "--embedder", "nonsense")
    assert (changed.code, changed.out) == (1, "")
    assert len(forked.at("u2").facts()) == 1


def test_what_is_remembered_cannot_steer_the_terminal(graphmem: Run, memory: Memory) -> None:
    evil = "\x1b]0;title\x07 trip \u202e[bold]x[/]"
    grow(memory, "u1 u2")
    memory.remember(evil, ["u1"], id="evil", mentions=["\x1b[2JCity"])
    memory.relate("\x1b[2JCity", "\x1b[1mnear", "Lake", ["u1"])
    at = (*space_of(memory), "--anchor", "u2")
    out = "".join(
        graphmem(*command, *at).out
        for command in (
            ("recall", "trip"),
            ("context", "trip"),
            ("timeline", "evil"),
            ("entities",),
            ("neighbours", "Lake"),
            ("paths", "Lake", "[2JCity"),
        )
    )
    out += graphmem("correct", "evil", evil + "!", "--source", "u2", *space_of(memory)).out
    out += graphmem("facts", "--history", *at).out + graphmem("explain", "evil", *at).out
    assert not set(out) & {"\x1b", "\x07", "\u202e"}
    assert "[bold]x[/]" in out


def test_every_reason_has_its_words() -> None:
    assert REASONS.keys() | {"off_path"} == set(get_args(ReasonCode))
