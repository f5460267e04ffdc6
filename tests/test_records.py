"""Storing records: sources, passages, records of records, and what is refused."""

from __future__ import annotations

import pytest

from graphmem import (
    BatchError,
    ConflictError,
    InvalidInputError,
    Memory,
    NoSourceError,
    Source,
    UnknownRecordError,
)
from tests.forest import grow, texts


def test_a_record_keeps_its_passages(memory: Memory) -> None:
    grow(memory, "u1 a1")
    source = Source(turn="u1", quote="text", start=0, end=4)
    record = memory.remember("quotes", sources=[source, "a1"], id="mine")
    assert record.sources == (source, Source(turn="a1"))
    assert memory.at("a1").get("mine") == record


def test_a_record_of_records_has_all_their_turns(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2", "a1 u3")
    first = memory.remember("first", sources=["u1"])
    second = memory.remember("second", sources=["u2", "a2"])
    both = memory.remember("both", sources=[first, second, "a1"], kind="summary")
    assert {source.turn for source in both.sources} == {"u1", "u2", "a2", "a1"}
    assert both.built_from == (first.id, second.id)
    again = memory.remember("of both", sources=[both], kind="summary")
    assert {source.turn for source in again.sources} == {"u1", "u2", "a2", "a1"}
    assert texts(memory.at("a2").summaries()) == {"both", "of both"}
    assert memory.at("u3").summaries() == []
    assert texts(memory.at("u3").facts()) == {"first"}


def test_a_batch_may_build_on_itself(memory: Memory) -> None:
    grow(memory, "u1 a1")
    memory.remember_all(
        [
            {"id": "f", "text": "fact", "sources": ["u1"]},
            {"id": "s", "text": "sum", "sources": [Source(record="f"), "a1"], "kind": "summary"},
        ]
    )
    summary = memory.at("a1").get("s")
    assert summary is not None
    assert {source.turn for source in summary.sources} == {"u1", "a1"}


def test_a_claim_can_be_a_source(memory: Memory) -> None:
    grow(memory, "u1")
    memory.remember("fact", sources=["u1"])
    [claim] = memory.at("u1").facts()
    built = memory.remember("sum", sources=[claim], kind="summary")
    assert built.built_from == (claim.id,)


def test_the_same_record_again_changes_nothing(memory: Memory) -> None:
    grow(memory, "u1")
    first = memory.remember("likes tea", sources=["u1"])
    assert memory.remember("likes tea", sources=["u1"]) == first
    assert memory.at("u1").facts()[0].supports == 1
    memory.remember("fixed", sources=["u1"], id="r")
    memory.remember("fixed", sources=["u1"], id="r")
    with pytest.raises(ConflictError, match="'r'"):
        memory.remember("changed", sources=["u1"], id="r")
    assert texts(memory.at("u1").facts()) == {"likes tea", "fixed"}


@pytest.mark.parametrize("sources", [[], (), None])
def test_a_record_without_a_source_is_refused(memory: Memory, sources: object) -> None:
    with pytest.raises(NoSourceError, match="no source"):
        memory.remember("from nowhere", sources=sources)  # type: ignore[arg-type]


def test_one_bad_record_and_nothing_of_the_batch_is_stored(memory: Memory) -> None:
    grow(memory, "u1")
    good = {"text": "good", "sources": ["u1"]}
    with pytest.raises(UnknownRecordError, match="no such"):
        memory.remember_all([good, {"text": "bad", "sources": [Source(record="no such")]}])
    with pytest.raises(BatchError) as caught:
        memory.remember_all(
            [good, {"text": "bad", "sources": []}, {"text": "x", "kind": "y", "sources": ["u1"]}]
        )
    assert {type(error) for error in caught.value.errors} == {NoSourceError, InvalidInputError}
    assert memory.at("u1").facts() == []
    memory.remember_all([good])
    assert texts(memory.at("u1").facts()) == {"good"}


def test_a_string_is_not_taken_for_a_list_of_sources(memory: Memory) -> None:
    with pytest.raises(InvalidInputError, match=r"write \['u1'\]"):
        memory.remember("x", sources="u1")


def test_a_source_is_a_turn_or_a_record() -> None:
    with pytest.raises(InvalidInputError, match="either"):
        Source()
    with pytest.raises(InvalidInputError, match="either"):
        Source(turn="u1", record="r1")
    with pytest.raises(InvalidInputError, match="ends before"):
        Source(turn="u1", start=4, end=2)


def test_records_of_five_hundred_turns(memory: Memory) -> None:
    turns = [f"u{number}" for number in range(500)]
    grow(memory, " ".join(turns))
    record = memory.remember("all of it", sources=turns, kind="summary")
    assert not record.unreachable
    assert texts(memory.at("u499").summaries()) == {"all of it"}
    assert memory.at("u498").summaries() == []


def test_the_same_statement_from_the_same_turns_is_one_support(memory: Memory) -> None:
    grow(memory, "u1 a1")
    first = memory.remember("g", sources=["u1", "a1"])
    assert memory.remember("g", sources=["a1", "u1"]).id == first.id
    memory.remember("g", sources=["u1", Source(turn="a1", quote="text")])
    [claim] = memory.at("a1").facts()
    assert (claim.supports, len(claim.records)) == (1, 2)
    memory.remember("g", sources=["a1"])
    assert memory.at("a1").facts()[0].supports == 2


def test_one_turn_quoted_twice_is_refused_not_halved(memory: Memory) -> None:
    grow(memory, "u1")
    two = [Source(turn="u1", quote="one"), Source(turn="u1", quote="two")]
    with pytest.raises(InvalidInputError, match="quoted twice"):
        memory.remember("f", sources=two)
    assert memory.remember("f", sources=["u1", "u1"]).sources == (Source(turn="u1"),)


@pytest.mark.parametrize("blank", ["", "  \n"])
def test_a_blank_record_is_refused(memory: Memory, blank: str) -> None:
    with pytest.raises(InvalidInputError, match="blank"):
        memory.remember(blank, sources=["u1"])


@pytest.mark.parametrize("sources", [["u1", "u2", "u3"], ["u3", "u2", "u1"], ["u2", "u3", "u1"]])
def test_the_order_of_the_sources_says_nothing(memory: Memory, sources: list[str]) -> None:
    grow(memory, "u1 u2 u3")
    assert not memory.remember("f", sources=sources).unreachable
    assert texts(memory.at("u3").facts()) == {"f"}
