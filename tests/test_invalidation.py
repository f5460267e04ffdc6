"""Correcting and retracting: on one branch only, undone by going back, and never against itself."""

from __future__ import annotations

import pytest

from graphmem import (
    Claim,
    InvalidInputError,
    Memory,
    NoSourceError,
    Source,
    UnknownRecordError,
)
from graphmem.cli._demo import CHINESE, ENGLISH, Dialogue, plant
from tests.forest import dump, grow, texts


def facts(memory: Memory, anchor: str) -> set[str]:
    """Return the current facts, and make sure that recall and get say the same of them."""
    view = memory.at(anchor)
    current = view.facts()
    shown = {fact.text for fact in view.visible(kinds=["fact"]) if fact.current}
    assert shown == texts(current)
    for fact in current:
        assert fact.text in texts(view.recall(fact.text, k=50))
        assert view.explain(fact.id).current
    return texts(current)


@pytest.mark.parametrize(
    ("dialogue", "old", "turn", "new"),
    [
        (ENGLISH, "en-cat", "en-u3b", "has a cat called Miso"),
        (CHINESE, "zh-guests", "zh-a2b", "周六晚上请三个朋友吃饭"),
    ],
    ids=["en", "zh"],
)
def test_a_correction_acts_on_its_branch_and_going_back_undoes_it(
    memory: Memory, dialogue: Dialogue, old: str, turn: str, new: str
) -> None:
    plant(memory, dialogue)
    said = {id: text for id, text, _ in dialogue.facts}[old]
    before = facts(memory, dialogue.old)
    correction = memory.correct(old, new, sources=[turn])
    assert correction.invalidates == (old,)
    stored = dump(memory)
    for _ in range(2):  # there and back again
        assert {new} <= facts(memory, dialogue.new)
        assert said not in facts(memory, dialogue.new)
        assert facts(memory, dialogue.old) == before
        assert said in facts(memory, dialogue.before)
    assert dump(memory) == stored
    [past] = [one for one in memory.at(dialogue.new).visible() if one.text == said]
    [by] = past.invalidated
    assert (by.id, by.text, by.sources) == (correction.id, new, (turn,))
    assert not past.current


@pytest.fixture
def fork(memory: Memory) -> Memory:
    """A path u1 a1 u2 a2 u3, and one that leaves it after a1."""
    grow(memory, "u1 a1 u2 a2 u3", "a1 u2b a2b")
    return memory


def test_what_a_correction_is_read_from_may_come_late(memory: Memory) -> None:
    old = memory.remember("old", sources=["u1"])
    memory.correct(old, "new", sources=["u2"])
    grow(memory, "u1 a1", "a1 u2b")
    assert facts(memory, "a1") == {"old"}
    memory.add_turn("u2", role="user", text="No.", parent="a1")
    assert facts(memory, "u2") == {"new"}
    assert facts(memory, "u2b") == {"old"}


def test_what_was_built_from_a_corrected_record_falls_with_it(fork: Memory) -> None:
    old = fork.remember("budget 3000", sources=["u1"])
    rent = fork.remember("rent at most 1000", sources=[old], id="rent")
    fork.remember("lives in two rooms", sources=[rent, "a1"], id="rooms")
    fork.remember("has a cat", sources=["u1"])
    correction = fork.correct(old, "budget 4000", sources=["u2"])
    assert facts(fork, "u2") == {"budget 4000", "has a cat"}
    everything = {"budget 3000", "rent at most 1000", "lives in two rooms", "has a cat"}
    assert facts(fork, "u2b") == everything
    for id in ("rent", "rooms"):
        explanation = fork.at("u3").explain(id)
        assert (explanation.visible, explanation.current) == (True, False)
        assert [by.id for by in explanation.invalidated] == [correction.id]
        assert explanation.invalidated[0].text is None  # nothing took its place
    assert fork.at("u2").summaries() == []


def test_equal_claims_of_several_turns_fall_together(fork: Memory) -> None:
    for turn in ("u1", "a1", "u2b"):
        fork.remember("likes tea", sources=[turn])
    fork.remember("likes tea", sources=["u1"], kind="summary")
    [claim] = fork.at("u2").facts()
    assert claim.supports == 2
    correction = fork.correct(claim.id, "likes coffee", sources=["u2"])
    assert set(correction.invalidates) == set(claim.records)
    assert facts(fork, "u2") == {"likes coffee"}
    assert texts(fork.at("u2").summaries()) == {"likes tea"}
    assert facts(fork, "u2b") == {"likes tea"}


def test_a_claim_is_corrected_with_all_its_records(fork: Memory) -> None:
    for turn in ("u1", "u2b"):
        fork.remember("likes tea", sources=[turn])
    claim = fork.at("a2b").facts()[0]
    fork.retract(claim, sources=["a2b"])
    assert facts(fork, "a2b") == set()
    assert facts(fork, "u2b") == facts(fork, "u1") == {"likes tea"}


def test_said_again_it_is_current_again(fork: Memory) -> None:
    old = fork.remember("likes tea", sources=["u1"])
    fork.retract(old, sources=["u2"])
    assert facts(fork, "a2") == set()
    fork.remember("likes tea", sources=["u3"])
    assert facts(fork, "a2") == set()
    assert facts(fork, "u3") == {"likes tea"}
    [claim] = fork.at("u3").facts()
    assert claim.sources == (Source(turn="u3"),)
    assert claim.supports == 1
    assert claim.invalidated == ()


def test_a_correction_can_be_corrected(fork: Memory) -> None:
    old = fork.remember("3000", sources=["u1"])
    first = fork.correct(old, "4000", sources=["u2"])
    assert first.replacement
    fork.correct(first.replacement, "5000", sources=["u3"])
    assert [facts(fork, anchor) for anchor in ("u1", "u2", "u3", "u2b")] == [
        {"3000"},
        {"4000"},
        {"5000"},
        {"3000"},
    ]


def test_two_corrections_on_one_path_leave_both_replacements(fork: Memory) -> None:
    old = fork.remember("3000", sources=["u1"])
    fork.correct(old, "4000", sources=["u2"])
    fork.correct(old, "5000", sources=["u3"])
    assert facts(fork, "u3") == {"4000", "5000"}
    explanation = fork.at("u3").explain(old.id)
    assert {by.text for by in explanation.invalidated} == {"4000", "5000"}
    assert {by.text for by in fork.at("u2").explain(old.id).invalidated} == {"4000"}


# --- what is refused


def test_an_invalidation_is_never_invalidated(fork: Memory) -> None:
    old = fork.remember("old", sources=["u1"])
    correction = fork.correct(old, "new", sources=["u2"])
    before = dump(fork)
    with pytest.raises(InvalidInputError, match="remember the fact again"):
        fork.retract(correction.id, sources=["u3"])
    with pytest.raises(InvalidInputError, match="remember the fact again"):
        fork.correct(correction.id, "other", sources=["u3"])
    assert dump(fork) == before


def test_a_correction_does_not_stand_on_what_it_corrects(fork: Memory) -> None:
    old = fork.remember("old", sources=["u1"], id="old")
    equal = fork.remember("old", sources=["a1"], id="equal")
    built = fork.remember("built", sources=[old], kind="summary", id="built")
    elsewhere = fork.remember("old", sources=["u2b"], id="elsewhere")
    before = dump(fork)
    for ground in (old, equal, built):
        with pytest.raises(InvalidInputError, match="falls with what it corrects"):
            fork.correct(old, "new", sources=["u2", ground])
    assert dump(fork) == before
    # A record that does not fall may be built on, and what is said only elsewhere does not.
    other = fork.remember("other", sources=["u1"])
    fork.correct(old, "new", sources=["u2", other])
    assert facts(fork, "u2") == {"new", "other"}
    assert facts(fork, "u2b") == {"old", "other"}
    assert fork.at("u2b").get(elsewhere.id)


def test_a_correction_says_something_else(fork: Memory) -> None:
    old = fork.remember("old", sources=["u2"])
    with pytest.raises(InvalidInputError, match="says the same"):
        fork.correct(old, "old", sources=["u2"])
    assert facts(fork, "u2") == {"old"}


def test_what_is_not_there_is_not_corrected(fork: Memory) -> None:
    old = fork.remember("old", sources=["u1"])
    with pytest.raises(UnknownRecordError):
        fork.correct("never", "new", sources=["u2"])
    with pytest.raises(NoSourceError):
        fork.correct(old, "new", sources=[])
    with pytest.raises(NoSourceError):
        fork.retract(old, sources=[])
    with pytest.raises(InvalidInputError, match="blank"):
        fork.correct(old, " ", sources=["u2"])
    fork.purge(records=[old.id])
    with pytest.raises(UnknownRecordError):
        fork.retract(old, sources=["u2"])
    assert facts(fork, "u2") == set()


def test_another_spaces_record_is_not_there(fork: Memory) -> None:
    other = Memory(fork.store, space=f"{fork.space}-other")
    grow(other, "u1 a1 u2")
    old = fork.remember("ours", sources=["u1"])
    with pytest.raises(UnknownRecordError):
        other.retract(old.id, sources=["u2"])
    assert facts(fork, "u2") == {"ours"}


# --- what it leaves alone


def test_again_changes_nothing(fork: Memory) -> None:
    old = fork.remember("old", sources=["u1"])
    first = fork.correct(old, "new", sources=["u2"]), fork.retract(old, sources=["a2"])
    before = dump(fork)
    assert (fork.correct(old, "new", sources=["u2"]), fork.retract(old, sources=["a2"])) == first
    assert dump(fork) == before


def test_a_correction_read_from_two_branches_acts_nowhere(fork: Memory) -> None:
    old = fork.remember("old", sources=["u1"])
    correction = fork.correct(old, "new", sources=["u2", "u2b"])
    assert correction.unreachable
    assert correction.replacement
    assert correction.replacement.unreachable
    for anchor in ("u1", "u3", "a2b"):
        assert facts(fork, anchor) == {"old"}
    assert not fork.correct(old, "new", sources=["u2"]).unreachable
    assert facts(fork, "u2") == {"new"}


def test_a_claim_of_two_branches_survives_the_purge_of_one(fork: Memory) -> None:
    one = fork.remember("likes tea", sources=["u2"])
    two = fork.remember("likes tea", sources=["u2b"])
    assert one.id != two.id
    fork.purge(turns=["u2"])
    assert facts(fork, "u3") == set()
    assert facts(fork, "a2b") == {"likes tea"}
    assert fork.at("a2b").get(two.id)


def test_a_revoked_correction_does_not_act(fork: Memory) -> None:
    old = fork.remember("old", sources=["u1"])
    correction = fork.correct(old, "new", sources=["u2"])
    before = dump(fork)
    fork.revoke(turns=["u2"])
    assert facts(fork, "u3") == {"old"}
    fork.restore(turns=["u2"])
    assert dump(fork) == before
    fork.revoke(records=[correction.id])
    assert facts(fork, "u3") == {"old", "new"}


def test_a_hidden_replacement_is_not_shown(fork: Memory) -> None:
    old = fork.remember("old", sources=["u1"])
    correction = fork.correct(old, "secret", sources=["u2"])
    assert correction.replacement
    fork.revoke(records=[correction.replacement.id])
    assert facts(fork, "u3") == set()
    [past] = fork.at("u3").visible(kinds=["fact"])
    [by] = past.invalidated
    assert (by.id, by.text, by.replaced_by) == (correction.id, None, None)
    [explained] = fork.at("u3").explain(old.id).invalidated
    assert (explained.text, explained.replaced_by) == (None, None)
    [hit] = fork.at("u3").recall("old", history=True)
    assert hit.invalidated == (by,)
    fork.restore(records=[correction.replacement.id])
    [by] = fork.at("u3").visible(kinds=["fact"])[0].invalidated
    assert by.text == "secret"


# --- what is told


def test_explain_says_by_what(fork: Memory) -> None:
    old = fork.remember("old", sources=["u1"])
    correction = fork.correct(old, "new", sources=["u2", "a2"])
    explanation = fork.at("u3").explain(old.id)
    assert (explanation.visible, explanation.current, explanation.reasons) == (True, False, ())
    [by] = explanation.invalidated
    assert (by.id, by.text, by.sources) == (correction.id, "new", ("u2", "a2"))
    for anchor in ("u1", "u2", "a2b"):
        assert fork.at(anchor).explain(old.id).current
        assert fork.at(anchor).explain(old.id).invalidated == ()


def test_diff_tells_of_corrections(fork: Memory) -> None:
    old = fork.remember("old", sources=["u1"])
    fork.remember("built", sources=[old], kind="summary")
    fork.remember("kept", sources=["u1"])
    fork.remember("own", sources=["u2b"])
    fork.correct(old, "new", sources=["u2"])
    difference = fork.at("u3").diff("a2b")
    assert difference.fork == "a1"
    assert texts(difference.only_a) == {"new"}
    assert texts(difference.only_b) == {"old", "built", "own"}
    along = fork.at("u3").diff("a1")
    assert (texts(along.only_a), texts(along.only_b)) == ({"new"}, {"old", "built"})


def test_every_read_leaves_a_retracted_claim_out(fork: Memory) -> None:
    old = fork.relate("Ira", "leads", "Helix", sources=["u1"])
    fork.retract(old, sources=["u2"])
    here, there = fork.at("u3"), fork.at("a2b")
    assert (here.relations(), here.neighbours("Ira"), here.recall("Helix")) == ([], [], [])
    assert here.context("Who leads Helix?").text == ""
    assert here.paths("Ira", "Helix") == []
    assert len(there.relations()) == len(there.neighbours("Ira")) == len(there.recall("Helix")) == 1
    assert "Ira leads Helix" in there.context("Who leads Helix?").text
    [kept] = here.visible()
    assert isinstance(kept, Claim)
    assert not kept.current
