"""The runner of extractors: what a turn keeps, what survives a failure, what is never a source."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from graphmem import InvalidInputError, Memory
from graphmem._errors import ModelUnavailableError, UnknownTurnError
from graphmem._models import Source
from graphmem.extract import (
    ExtractedFact,
    Extraction,
    OpenAIExtractor,
    Reading,
    Retraction,
    SentenceExtractor,
)
from graphmem.store import RefusedError
from tests.conftest import Connection
from tests.endpoint import Answer, Asked, Endpoint, completion, failure
from tests.forest import dump, grow, look, texts

Make = Callable[..., Memory]


def chat(memory: Memory, *lines: str) -> None:
    """Store turns of one path: ``u1: text``; ``u2 < u1: text`` names the parent."""
    parent: str | None = None
    turns = []
    for line in lines:
        name, _, text = line.partition(": ")
        id, _, above = name.partition(" < ")
        role = "assistant" if id.startswith("a") else "user"
        turns.append({"id": id, "role": role, "text": text, "parent": above or parent})
        parent = id
    memory.add_turns(turns)


def states(memory: Memory, extractor: str = "sentences") -> dict[str, str | None]:
    rows = look(
        memory,
        "MATCH (turn:Turn) WHERE turn.space = $space RETURN turn.id AS id, turn[$key] AS state",
        key=f"read_{extractor}",
    )
    return {row["id"]: row["state"] for row in rows}


class Told:
    """An extractor that does as it is told for each turn, and counts its calls."""

    def __init__(self, answer: Callable[[Reading], Extraction], name: str = "told") -> None:
        self.name = name
        self.read: list[str] = []
        self._answer = answer

    def extract(self, reading: Reading) -> Extraction:
        self.read.append(reading.turn.id)
        return self._answer(reading)


def said(reading: Reading) -> Extraction:
    """Make the turn's text its only fact."""
    return Extraction(
        facts=(ExtractedFact(text=reading.turn.text, sources=(Source(turn=reading.turn.id),)),)
    )


# --- what is read, and how often


def test_sentences_become_facts_once(memory: Memory) -> None:
    chat(memory, "u1: I live in Oslo. I like tea.", "a1: Noted.", "u2: My cat is Miso.")
    first = memory.extract("sentences")
    assert (first.read, first.records, first.failed) == (3, 4, ())
    assert states(memory) == {"u1": "done", "a1": "done", "u2": "done"}
    before = dump(memory)
    again = memory.extract("sentences")
    assert (again.read, again.records) == (0, 0)
    assert dump(memory) == before
    assert texts(memory.at("u1").facts()) == {"I live in Oslo.", "I like tea."}
    [source] = memory.at("u2").facts()[-1].sources
    assert (source.turn, source.quote) == ("u2", "My cat is Miso.")


def test_a_memory_with_an_extractor_reads_as_turns_arrive(memory: Memory) -> None:
    reading = Memory(memory.store, space=memory.space, extractor=SentenceExtractor())
    chat(reading, "u1: I live in Oslo.")
    assert texts(reading.at("u1").facts()) == {"I live in Oslo."}


def test_each_extractor_keeps_its_own_state(memory: Memory) -> None:
    chat(memory, "u1: I live in Oslo.", "a1: Noted.")
    one, two = Told(said, "one"), Told(said, "two")
    memory.extract(one, turns=["a1"])
    assert states(memory, "one") == {"u1": None, "a1": "done"}
    memory.extract(one)
    memory.extract(two)
    assert one.read == ["a1", "u1"]
    assert two.read == ["u1", "a1"]
    with pytest.raises(InvalidInputError, match="no name for an extractor"):
        memory.extract(Told(said, "`x`"))


def test_a_fork_inherits_what_was_read_before_it(memory: Memory) -> None:
    reader = Told(said)
    chat(memory, "t1: one", "t2: two", "t3: three", "t4: four", "t5: five", "t6: six")
    memory.extract(reader)
    chat(memory, "f5 < t4: fork five")
    reader.read.clear()
    assert texts(memory.at("f5").facts()) == {"one", "two", "three", "four"}
    memory.extract(reader)
    assert reader.read == ["f5"]
    assert texts(memory.at("f5").facts()) == {"one", "two", "three", "four", "fork five"}
    assert "five" in texts(memory.at("t6").facts())


def test_a_turn_is_read_with_its_path_and_what_is_current_there(memory: Memory) -> None:
    readings: list[Reading] = []

    def answer(reading: Reading) -> Extraction:
        readings.append(reading)
        return said(reading)

    chat(memory, "u1: tea one", "a1: tea two", "u2: tea three", "u2b < a1: tea four")
    memory.extract(Told(answer))
    last = readings[-1]
    assert last.turn.id == "u2b"
    assert [turn.id for turn in last.path] == ["u1", "a1"]
    assert texts(last.claims) == {"tea one", "tea two"}


def test_each_turn_is_read_after_all_above_it_whatever_lies_between(memory: Memory) -> None:
    reader = Told(said)
    # What a tool says is not read, and u1 and a2 arrive after what follows them.
    memory.add_turns(
        [
            {"id": "z9", "role": "user", "text": "nine", "parent": "a2"},
            {"id": "c3", "role": "user", "text": "three", "parent": "tool"},
            {"id": "b3", "role": "user", "text": "three b", "parent": "tool"},
            {"id": "tool", "role": "tool", "text": "{}", "parent": "k1"},
            {"id": "a2", "role": "assistant", "text": "two", "parent": "b3"},
            {"id": "k1", "role": "user", "text": "one", "parent": "m0"},
            {"id": "m0", "role": "user", "text": "zero"},
        ]
    )
    memory.extract(reader, turns=["k1"])
    memory.extract(reader)
    read = reader.read[1:]
    above = {"b3": {"m0"}, "c3": {"m0"}, "a2": {"m0", "b3"}, "z9": {"m0", "b3", "a2"}}
    assert sorted(read) == ["a2", "b3", "c3", "m0", "z9"]
    for turn, before in above.items():
        assert before <= set(read[: read.index(turn)]), (turn, read)


def test_the_latest_claims_are_offered_though_they_share_no_word(memory: Memory) -> None:
    offered: list[set[str]] = []

    def answer(reading: Reading) -> Extraction:
        offered.append(texts(reading.claims))
        return said(reading)

    chat(memory, "u1: lives in Chengdu", "a1: 好的", "u2: 我搬走了")
    memory.extract(Told(answer))
    assert offered[-1] == {"lives in Chengdu", "好的"}
    crowd = [{"text": f"我 crowd {n}", "sources": ["u1"]} for n in range(100)]
    memory.remember_all(crowd)
    chat(memory, "u3 < u2: moves to Hangzhou", "u4: 我搬走了 crowd")
    memory.extract(Told(answer))
    assert len(offered[-1]) == 40
    assert "moves to Hangzhou" in offered[-1]
    assert sum("crowd" in text for text in offered[-1]) > 30


def test_awaited_revoked_and_foreign_turns_are_not_read(memory: Memory, make_memory: Make) -> None:
    chat(memory, "u1 < gone: kept", "u2: revoked", "u3: after")
    memory.add_turn("s1", role="system", text="You are helpful.", parent="u3")
    chat(make_memory(), "x1: other")
    memory.revoke(turns=["u2"])
    reader = Told(said)
    memory.extract(reader)
    assert sorted(reader.read) == ["u1", "u3"]
    memory.restore(turns=["u2"])
    memory.extract(reader)
    assert sorted(reader.read) == ["u1", "u2", "u3"]


def test_lazy_leaves_out_answers_that_nobody_went_on_from(memory: Memory) -> None:
    chat(memory, "u1: question", "a1: first answer")
    memory.add_turn("a1b", role="assistant", text="second answer", replaces="a1")
    chat(memory, "u2 < a1b: thanks")
    reader = Told(said)
    memory.extract(reader, lazy=True)
    assert sorted(reader.read) == ["a1b", "u1", "u2"]
    chat(memory, "u3 < a1: back to the first")
    memory.extract(reader, lazy=True)
    assert sorted(reader.read) == ["a1", "a1b", "u1", "u2", "u3"]


# --- memory that comes back is no news


def test_what_memory_put_into_a_prompt_is_never_a_source(memory: Memory) -> None:
    chat(memory, "u1: Ira likes tea.")
    memory.extract()
    block = memory.at("u1").context("What does Ira like?").text
    assert "Ira likes tea" in block
    chat(memory, f"u2 < u1: {block}\nWhat shall I buy?", "a2: Ira likes tea!", "u3: Right.")
    memory.extract()
    assert texts(memory.at("u3").facts()) == {"Ira likes tea.", "What shall I buy?", "Right."}
    [claim] = [fact for fact in memory.at("u3").facts() if "tea" in fact.text]
    assert (claim.supports, [source.turn for source in claim.sources]) == (1, ["u1"])
    chat(memory, "u4 < u3: Ira likes tea.")  # a user's repetition is evidence
    memory.extract()
    [claim] = [fact for fact in memory.at("u4").facts() if "tea" in fact.text]
    assert claim.supports == 2


# --- while it reads, life goes on


def test_a_late_result_belongs_to_its_turn(memory: Memory) -> None:
    def answer(reading: Reading) -> Extraction:
        chat(memory, "u2b < u1: fork", "a2b: answer")
        return said(reading)

    chat(memory, "u1: one", "u2: two")
    memory.extract(Told(answer), turns=["u2"])
    assert texts(memory.at("u2").facts()) == {"two"}
    assert texts(memory.at("a2b").facts()) == set()


def test_a_turn_purged_while_it_is_read_leaves_nothing(memory: Memory) -> None:
    def answer(reading: Reading) -> Extraction:
        memory.purge(turns=["u2"])
        return said(reading)

    chat(memory, "u1: one", "u2: two")
    done = memory.extract(Told(answer), turns=["u2"])
    assert (done.read, done.records, done.failed) == (0, 0, ())
    assert look(memory, "MATCH (r:Record) WHERE r.space = $space RETURN r.id AS id") == []
    assert states(memory, "told")["u2"] is None


def test_a_source_purged_meanwhile_costs_its_records_only(memory: Memory) -> None:
    def answer(reading: Reading) -> Extraction:
        memory.purge(turns=["u1"])
        both = (Source(turn="u1"), Source(turn="u2"))
        return Extraction(
            facts=(
                ExtractedFact(text="of both", sources=both),
                ExtractedFact(text="of u2", sources=both[1:]),
            )
        )

    chat(memory, "u1: one", "u2: two")
    done = memory.extract(Told(answer), turns=["u2"])
    assert (done.read, done.records) == (1, 1)
    assert texts(memory.at("u2").facts()) == {"of u2"}
    assert states(memory, "told")["u2"] == "done"


def test_a_claim_purged_meanwhile_costs_no_news(memory: Memory) -> None:
    def answer(reading: Reading) -> Extraction:
        if reading.turn.id == "u1":
            return said(reading)
        [old] = reading.claims
        memory.purge(records=[old.id])
        here = (Source(turn="u2"),)
        return Extraction(
            facts=(ExtractedFact(text="budget 4000", sources=here, supersedes=(old.id,)),),
            retractions=(Retraction(claim=old.id, sources=here),),
        )

    chat(memory, "u1: budget 3000", "u2: budget 4000 now")
    done = memory.extract(Told(answer))
    assert done.failed == ()
    assert texts(memory.at("u2").facts()) == {"budget 4000"}


@pytest.mark.parametrize("forget", ["revoke", "purge"])
def test_a_turn_forgotten_before_its_time_comes_is_left_out(memory: Memory, forget: str) -> None:
    chat(memory, "u1: one", "u2: two", "u3: three")
    reader = Told(said)
    done = memory.extract(reader, progress=lambda *_: getattr(memory, forget)(turns=["u2"]))
    assert reader.read == ["u1", "u3"]
    assert (done.read, done.failed) == (2, ())
    assert texts(memory.at("u3").facts()) == {"one", "three"}


def test_a_failure_that_comes_late_leaves_a_turn_read(memory: Memory) -> None:
    def answer(reading: Reading) -> Extraction:
        Memory(memory.store, space=memory.space).extract(Told(said))
        raise ModelUnavailableError("gone", retryable=True)

    chat(memory, "u1: one")
    done = memory.extract(Told(answer))
    assert (done.read, done.failed) == (0, ())
    assert states(memory, "told") == {"u1": "done"}
    assert memory.extraction_failures("told") == []


def test_a_turn_whose_facts_the_server_refuses_costs_no_other(memory: Memory) -> None:
    def answer(reading: Reading) -> Extraction:
        if reading.turn.id == "u1":
            raise RefusedError("a property is too large")
        return said(reading)

    chat(memory, "u1: one", "u2: two")
    done = memory.extract(Told(answer))
    assert (done.read, [one.turn for one in done.failed]) == (1, ["u1"])
    assert states(memory, "told") == {"u1": "failed", "u2": "done"}


def test_two_at_once_store_once(memory: Memory) -> None:
    chat(memory, *(f"u{number}: Sentence {number}. Another." for number in range(30)))
    with ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(memory.extract, SentenceExtractor()) for _ in range(4)]
        done = [run.result() for run in runs]
    assert sum(one.read for one in done) == 30
    assert all(one.failed == () for one in done)
    rows = look(memory, "MATCH (r:Record) WHERE r.space = $space RETURN count(r) AS n")
    assert rows == [{"n": 60}]


WORKER = """
import json, sys
from graphmem import Memory
from graphmem.extract import SentenceExtractor

class Slow(SentenceExtractor):
    def extract(self, reading):
        print(reading.turn.id, flush=True)
        sys.stdin.readline()
        return super().extract(reading)

with Memory.open(**json.loads(sys.argv[1]), embedder=None) as memory:
    memory.extract(Slow())
"""


def content(memory: Memory) -> list[str]:
    """Return what a space holds without what its name decides: the numbers in its indexes."""
    lines = []
    for line in dump(memory):
        row = json.loads(line)
        if "Segment" not in row["labels"]:
            for name in ("segment", "spaceKey", "tokens"):
                row["node"].pop(name, None)
            lines.append(json.dumps(row, sort_keys=True))
    return sorted(lines)


@pytest.mark.parametrize("granted", [0, 3, 6])
def test_killed_in_the_middle_it_goes_on_as_if_nothing_had_been(
    memory: Memory, make_memory: Make, connection: Connection, granted: int
) -> None:
    undisturbed = make_memory()
    for one in (memory, undisturbed):
        chat(one, *(f"u{n}: Sentence {n}. It is Oslo {n}." for n in range(8)), "f < u3: Fork.")
    server = {name: value for name, value in connection.items() if name != "options"}
    arguments = json.dumps({"space": memory.space, **server})
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
    ) as worker:
        assert worker.stdin
        assert worker.stdout
        for _ in range(granted + 1):  # the last one is killed before or while it is stored
            assert worker.stdout.readline()
            worker.stdin.write("\n")
            worker.stdin.flush()
        worker.kill()
    done = [id for id, state in states(memory).items() if state == "done"]
    assert granted <= len(done) <= granted + 1
    memory.extract()
    undisturbed.extract()
    assert content(memory) == content(undisturbed)


# --- a model, over HTTP


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GRAPHMEM_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


Respond = Callable[[Asked], Answer]
Serve = Callable[[Respond], tuple[OpenAIExtractor, Endpoint]]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start an endpoint that answers by a function, and an extractor that asks it."""
    opened: list[Any] = []

    def start(respond: Respond) -> tuple[OpenAIExtractor, Endpoint]:
        endpoint = Endpoint(respond=respond)
        endpoint.__enter__()
        extractor = OpenAIExtractor("stub", base_url=endpoint.url, api_key="k", max_retries=0)
        opened[:0] = [extractor, endpoint]
        return extractor, endpoint

    yield start
    for one in opened:
        one.__exit__()


def offer(asked: Asked) -> dict[str, Any]:
    """Return what a request offers: turns, known claims by their text, and the turn's own text."""
    told = asked.body["messages"][1]["content"]
    data = json.loads(told[told.index("{") : told.rindex("}") + 1])
    known = {claim["text"]: claim["id"] for claim in data["known"]}
    return {**data, "known": known, "text": data["turns"][-1]["text"]}


def facts(*facts: Any, **more: Any) -> Answer:
    return completion({"facts": list(facts), **more})


def echo(asked: Asked) -> Answer:
    return facts({"text": f"fact of {offer(asked)['text']}"})


BAD: dict[str, Answer] = {
    "429": failure(429),
    "500": failure(500),
    "hangs up": Answer(drop=True),
    "cut off": completion('{"facts": ["ha', finish_reason="length"),
    "refusal": completion(None, refusal="I will not."),
    "filtered": completion("", finish_reason="content_filter"),
    "no choices": Answer({"id": "c", "object": "chat.completion", "choices": [], "model": "m"}),
    "prose": completion("I cannot find any."),
    "half": completion('{"facts": ["ha'),
    "empty": completion(""),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_answer_costs_one_turn_until_it_is_tried_again(
    memory: Memory, serve: Serve, bad: str
) -> None:
    broken = True

    def respond(asked: Asked) -> Answer:
        return BAD[bad] if broken and offer(asked)["text"] == "two" else echo(asked)

    chat(memory, "u1: one", "u2: two", "u3: three")
    extractor, endpoint = serve(respond)
    done = memory.extract(extractor)
    assert (done.read, [one.turn for one in done.failed]) == (2, ["u2"])
    assert states(memory, "openai") == {"u1": "done", "u2": "failed", "u3": "done"}
    assert texts(memory.at("u3").facts()) == {"fact of one", "fact of three"}
    [kept] = memory.extraction_failures("openai")
    assert kept == done.failed[0]
    assert kept.reason.startswith("Model")
    asked = len(endpoint.requests)
    assert memory.extract(extractor).read == 0
    assert len(endpoint.requests) == asked
    broken = False
    again = memory.extract(extractor, retry_failed=True)
    assert (again.read, again.failed) == (1, ())
    assert memory.extraction_failures("openai") == []
    assert texts(memory.at("u3").facts()) == {"fact of one", "fact of two", "fact of three"}


def test_an_endpoint_that_is_down_stops_it_and_the_rest_waits(memory: Memory, serve: Serve) -> None:
    down = True
    chat(memory, *(f"u{number}: text {number}" for number in range(6)))
    extractor, endpoint = serve(lambda asked: failure(503) if down else echo(asked))
    with pytest.raises(ModelUnavailableError) as raised:
        memory.extract(extractor)
    assert raised.value.retryable
    assert len(endpoint.requests) == 3
    assert list(states(memory, "openai").values()).count("failed") == 3
    down = False
    assert memory.extract(extractor).read == 3
    assert memory.extract(extractor, retry_failed=True).read == 3
    assert len(memory.at("u5").facts()) == 6


def test_a_wrong_key_stops_it_at_once(memory: Memory, serve: Serve) -> None:
    chat(memory, "u1: one", "u2: two")
    extractor, endpoint = serve(lambda _: failure(401))
    with pytest.raises(ModelUnavailableError, match="401"):
        memory.extract(extractor)
    assert len(endpoint.requests) == 1


def test_turns_are_stored_even_if_the_model_is_down(memory: Memory, serve: Serve) -> None:
    extractor, _ = serve(lambda _: failure(503))
    reading = Memory(memory.store, space=memory.space, extractor=extractor)
    stored = reading.add_turn("u1", role="user", text="one")
    assert stored.new == 1
    more = [{"id": f"v{n}", "role": "user", "text": "more", "parent": "u1"} for n in range(5)]
    assert reading.add_turns(more).new == 5
    waiting = [id for id, state in states(memory, "openai").items() if state is None]
    assert len(waiting) == 2  # it gave up after three, and leaves these to `extract`
    extractor, _ = serve(lambda _: failure(401))
    reading = Memory(memory.store, space=memory.space, extractor=extractor)
    assert reading.add_turn("u2", role="user", text="two").new == 1
    failed = {one.turn for one in memory.extraction_failures("openai")}
    assert failed == {"u1", "u2"} | {one["id"] for one in more} - {*waiting}


def test_what_supersedes_corrects_all_supports_on_its_branch_only(
    memory: Memory, serve: Serve
) -> None:
    def respond(asked: Asked) -> Answer:
        known = offer(asked)["known"]
        match offer(asked)["text"]:
            case "budget is 4000 now":
                fact = {"text": "budget is 4000", "supersedes": [known["budget is 3000"]]}
                return facts(fact)
            case "no budget at all":
                return facts(retractions=[{"claim": known["budget is 3000"]}])
            case _:
                return facts({"text": "budget is 3000"})

    chat(memory, "u1: budget is 3000", "u2: really, budget is 3000", "u3: budget is 4000 now")
    chat(memory, "u3b < u2: no budget at all", "u3c < u2: so, budget is 3000")
    extractor, _ = serve(respond)
    done = memory.extract(extractor)
    assert (done.read, done.corrections, done.rejected, done.failed) == (5, 2, 0, ())
    assert texts(memory.at("u3").facts()) == {"budget is 4000"}
    assert texts(memory.at("u3b").facts()) == set()
    [claim] = memory.at("u3c").facts()
    assert (claim.text, claim.supports) == ("budget is 3000", 3)
    assert memory.at("u2").facts()[0].supports == 2


def test_what_was_not_offered_is_rejected_and_counted(memory: Memory, serve: Serve) -> None:
    chat(memory, "u1: one", "u2: two")
    extractor, _ = serve(
        lambda asked: facts(
            {"text": "good", "sources": [{"turn": "t1"}]},
            {"text": "bad turn", "sources": [{"turn": "t99"}]},
            {"text": "bad claim", "supersedes": ["r7"]},
            retractions=[{"claim": "r9"}],
        )
    )
    done = memory.extract(extractor, turns=["u2"])
    assert (done.read, done.records, done.corrections, done.rejected) == (1, 1, 0, 3)
    [fact] = memory.at("u2").facts()
    assert (fact.text, [source.turn for source in fact.sources]) == ("good", ["u1", "u2"])


def test_what_supersedes_itself_is_one_more_support(memory: Memory, serve: Serve) -> None:
    def respond(asked: Asked) -> Answer:
        known = offer(asked)["known"]
        again = {"text": "lives in Oslo", "supersedes": list(known.values())}
        return facts(again, {"text": f"fact of {offer(asked)['text']}"})

    chat(memory, "u1: lives in Oslo")
    extractor, _ = serve(lambda _: facts({"text": "lives in Oslo"}))
    memory.extract(extractor)
    chat(memory, "u2 < u1: as I said, lives in Oslo")
    extractor, _ = serve(respond)
    done = memory.extract(extractor)
    assert done.failed == ()
    current = {fact.text: fact.supports for fact in memory.at("u2").facts()}
    assert current == {"lives in Oslo": 2, "fact of as I said, lives in Oslo": 1}


def test_relations_and_joins_are_stored(memory: Memory, serve: Serve) -> None:
    chat(memory, "u1: Ira leads Helix, also called HX")
    relation = {"subject": "Ira", "predicate": "leads", "object": "Helix"}
    extractor, _ = serve(lambda _: facts(relations=[relation], same_as=[{"a": "Helix", "b": "HX"}]))
    assert memory.extract(extractor).records == 2
    [edge] = memory.at("u1").neighbours("HX")
    assert (edge.subject.name, edge.predicate) == ("Ira", "leads")


def test_ids_of_a_space_do_not_reach_another(make_memory: Make, serve: Serve) -> None:
    ann, ben = make_memory(), make_memory(f"test-{secrets.token_hex(8)}")
    seen: list[dict[str, Any]] = []

    def respond(asked: Asked) -> Answer:
        seen.append(offer(asked))
        return echo(asked)

    extractor, _ = serve(respond)
    for memory, text in ((ann, "plums of Ann"), (ben, "plums of Ben")):
        chat(memory, f"u1: {text}", "u2: plums again")
        memory.extract(extractor)
    assert all("Ben" not in json.dumps(one) for one in seen[:2])
    assert all("Ann" not in json.dumps(one) for one in seen[2:])
    assert set(seen[3]["known"]) == {"fact of plums of Ben"}


def test_a_turn_that_is_not_there_is_not_read(memory: Memory) -> None:
    grow(memory, "u1")
    with pytest.raises(UnknownTurnError, match="'u9'"):
        memory.extract("sentences", turns=["u1", "u9"])
    assert memory.extract("sentences", turns=["u1"]).read == 1
