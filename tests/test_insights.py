"""Insights: versions with their evidence, as an edit revokes it and going back restores it."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import pytest

from graphmem import (
    ConflictError,
    Insight,
    InvalidInputError,
    Memory,
    NoSourceError,
    PurgedError,
    Source,
    UnknownRecordError,
    UnknownTurnError,
)
from tests.forest import by_hand, dump, grow, look, texts
from tests.test_outcomes import NEW_HEAD, OLD_HEAD, reported

Make = Callable[..., Memory]


def held(memory: Memory, anchor: str | None) -> dict[str, tuple[int, int]]:
    """Return label, version and support of what is seen."""
    return {one.label: (one.version, one.support) for one in memory.at(anchor).insights()}


def status(memory: Memory, insight: str | Insight, anchor: str | None) -> dict[str, str]:
    return {one.turn: one.status for one in memory.at(anchor).evidence(insight)}


def test_the_citation_of_the_orphan_is_revoked_and_live_again_at_the_old_head(
    memory: Memory,
) -> None:
    reported(memory)
    entry = memory.add_insight("deploying", "Try it at night.", evidence=["correct-step"])
    memory.merge_insight(
        "deploying", "Try it twice.", evidence=["correct-step", "orphan-answer"], target=entry
    )
    only = memory.add_insight("rollback", "It failed.", evidence=["orphan-answer"])
    before = dump(memory)
    for _ in range(2):
        assert held(memory, OLD_HEAD) == {"deploying": (2, 1), "rollback": (1, 1)}
        assert held(memory, NEW_HEAD) == {"deploying": (1, 1)}
        assert status(memory, entry, NEW_HEAD) == {
            "correct-step": "live",
            "orphan-answer": "revoked",
        }
        assert set(status(memory, entry, OLD_HEAD).values()) == {"live"}
        assert status(memory, only, NEW_HEAD) == {"orphan-answer": "revoked"}
        assert status(memory, only, OLD_HEAD) == {"orphan-answer": "live"}
    assert dump(memory) == before
    [orphan] = memory.at(NEW_HEAD).evidence(only)
    assert orphan.reason
    assert (orphan.reason.code, orphan.reason.fork) == ("off_path", "correct-step")
    # The next draft has another label: it neither mentions the entry nor keeps its citation.
    memory.merge_insight("weather", "It rains.", evidence=["window-3"])
    assert held(memory, NEW_HEAD) == {"deploying": (1, 1), "weather": (1, 1)}
    assert status(memory, only, NEW_HEAD) == {"orphan-answer": "revoked"}


def test_the_newest_version_of_the_own_branch_is_shown(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2", "a1 u3 a3")
    first = memory.add_insight("tea", "Likes tea.", evidence=["u1"], kind="taste", confidence=0.5)
    left = memory.merge_insight("tea", "Likes green tea.", evidence=[first, "u2"], target=first)
    right = memory.merge_insight(body="Likes black tea.", evidence=["u3"], target=first.id)
    assert (left.id, right.id) == (first.id, first.id)
    assert (left.version, right.version) == (2, 3)
    assert (right.label, right.kind, right.confidence) == ("tea", "taste", 0.5)
    assert right.sources == ("u3", "u1")  # the label was taken over, and with it what it came from
    bodies = {a: [one.body for one in memory.at(a).insights()] for a in ("a1", "a2", "a3", "u1")}
    assert bodies == {
        "a1": ["Likes tea."],
        "a2": ["Likes green tea."],
        "a3": ["Likes black tea."],
        "u1": ["Likes tea."],
    }
    assert texts(memory.at("a2").recall("tea")) == {"tea: Likes green tea."}
    assert texts(memory.at("a2").recall("tea", history=True)) == {
        "tea: Likes tea.",
        "tea: Likes green tea.",
    }
    assert {one.turn: one.versions for one in memory.at("a3").evidence(first)} == {
        "u1": (1, 2, 3),
        "u2": (2,),
        "u3": (3,),
    }


def test_what_is_taken_over_brings_its_evidence_along(memory: Memory) -> None:
    grow(memory, "u1 a1 u2", "u1 b1")
    first = memory.add_insight("tea", "Likes tea.", evidence=["a1"])
    again = memory.merge_insight(evidence=["u1"], target=first)
    assert set(again.sources) == {"a1", "u1"}
    assert held(memory, "b1") == {}
    memory.merge_insight("tea", "Likes tea.", evidence=["u1"], target=first)
    assert held(memory, "b1") == {"tea": (3, 1)}
    assert status(memory, first, "b1") == {"a1": "revoked", "u1": "live"}


def test_support_counts_questions_and_not_answers_to_one(memory: Memory) -> None:
    grow(memory, "u1 a1 a1b u2 a2 u3 a3", "u1 a1c")
    first = memory.add_insight("tea", "Likes tea.", evidence=["a1"])
    for turns, support in ((["a1b"], 1), (["u1"], 1), (["a2"], 2), (["u2", "a3"], 3)):
        merged = memory.merge_insight(evidence=turns, target=first)
        assert merged.support == support
    # A regenerated sibling lies on no path together with the answer that it replaces.
    memory.merge_insight("tea", "Likes tea.", evidence=["a1c"], target=first)
    assert held(memory, "a1c") == {"tea": (6, 1)}
    assert held(memory, "a3")["tea"][1] == 3
    memory.add_turn("root", role="assistant", text="no question before this")
    assert memory.add_insight("x", "y", evidence=["root"]).support == 1
    assert [
        one.question for one in memory.at("root").evidence(memory.at("root").insights()[0])
    ] == [None]


def test_doing_it_again_writes_nothing(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2")

    def tell() -> list[Insight]:
        first = memory.add_insight("tea", "Likes tea.", evidence=["u1"])
        return [
            first,
            memory.merge_insight(body="Likes hot tea.", evidence=["u2"], target=first),
            memory.merge_insight("tea", "Hates tea.", evidence=["a2"], target=first),
            memory.merge_insight("Tea ", "Loves tea.", evidence=["a2"]),
        ]

    tell()
    before = dump(memory)
    again = tell()
    assert dump(memory) == before
    assert {one.id for one in again} == {again[0].id}
    assert held(memory, "a2") == {"Tea ": (4, 2)}


def test_a_target_beats_likeness_and_likeness_beats_nothing(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2", "u1 b1")
    tea = memory.add_insight("Tea in the morning", "Likes tea.", evidence=["u1"])
    dogs = memory.add_insight("dogs", "Has two.", evidence=["u1"])
    hidden = memory.add_insight("cats", "Has none.", evidence=["b1"])
    like = memory.merge_insight("the morning  in TEA", "Likes it.", evidence=["a1"])
    assert like.id == tea.id
    named = memory.merge_insight(
        "Tea in the morning", "Dogs drink tea.", evidence=["a1"], target=dogs
    )
    assert named.id == dogs.id
    new = memory.merge_insight("cats", "Has one.", evidence=["a1"])
    assert (new.id == hidden.id, new.version) == (False, 1)
    added = memory.merge_insight("cats", "Has two.", evidence=["a2"], target=hidden)
    assert (added.id, added.version) == (hidden.id, 2)
    assert status(memory, hidden, "a2") == {"b1": "revoked", "a2": "live"}


@pytest.mark.parametrize(
    ("given", "error", "named"),
    [
        ({"label": " "}, InvalidInputError, "label"),
        ({"label": ""}, InvalidInputError, "label"),
        ({"body": "\n"}, InvalidInputError, "body"),
        ({"body": 3}, InvalidInputError, "body"),
        ({"kind": ""}, InvalidInputError, "kind"),
        ({"confidence": 1.5}, InvalidInputError, "confidence"),
        ({"confidence": float("nan")}, InvalidInputError, "confidence"),
        ({"evidence": []}, NoSourceError, "evidence"),
        ({"evidence": "u1"}, InvalidInputError, "list"),
        ({"evidence": [""]}, InvalidInputError, "turn"),
        ({"label": 3}, InvalidInputError, "label"),
        ({"evidence": [3]}, InvalidInputError, "evidence"),
        ({"evidence": None}, InvalidInputError, "list"),
        ({"evidence": [Source(record="nope")]}, UnknownRecordError, "nope"),
    ],
)
def test_what_cannot_be_stored_is_refused(
    memory: Memory, given: dict[str, Any], error: type[Exception], named: str
) -> None:
    grow(memory, "u1 a1")
    before = dump(memory)
    fine = {"label": "tea", "body": "Likes tea.", "evidence": ["u1"]}
    for tell in (memory.add_insight, memory.merge_insight):
        with pytest.raises(error, match=named):
            tell(**fine | given)
    assert dump(memory) == before


def test_a_merge_into_nothing_is_refused(memory: Memory) -> None:
    grow(memory, "u1 a1", "u1 b1")
    fact = memory.remember("likes tea", sources=["u1"])
    hidden = memory.add_insight("tea", "Likes tea.", evidence=["b1"])
    for target in ("nope", fact.id):
        with pytest.raises(UnknownRecordError, match="no insight"):
            memory.merge_insight("tea", "Likes tea.", evidence=["u1"], target=target)
        with pytest.raises(UnknownRecordError, match="no insight"):
            memory.at("u1").evidence(target)
    with pytest.raises(InvalidInputError, match="label"):
        memory.merge_insight(body="Likes tea.", evidence=["u1"])
    with pytest.raises(InvalidInputError, match="take over"):
        memory.merge_insight(body="Likes tea.", evidence=["a1"], target=hidden.id)
    with pytest.raises(ConflictError):
        memory.add_insight("tea", "Hates tea.", evidence=["b1"], id=hidden.id)
    with pytest.raises(UnknownTurnError):
        memory.at("nope").insights()
    with pytest.raises(UnknownTurnError):
        memory.at("nope").evidence(hidden)
    assert memory.at(None).insights() == []
    [one] = memory.at(None).evidence(hidden)
    assert one.reason
    assert (one.status, one.reason.code) == ("revoked", "no_anchor")


def test_records_are_evidence_and_what_falls_with_them_falls(memory: Memory) -> None:
    grow(memory, "u1 a1 u2")
    fact = memory.remember("likes tea", sources=["u1"])
    memory.add_insight("tea", "Serve tea.", evidence=[fact, "a1"])
    assert held(memory, "a1") == {"tea": (1, 1)}
    memory.correct(fact, "likes coffee", sources=["u2"])
    assert held(memory, "u2") == {}
    assert held(memory, "a1") == {"tea": (1, 1)}


def test_what_a_version_rests_on_goes_on_to_the_next(memory: Memory) -> None:
    grow(memory, "u1 a1 u2")
    fact = memory.remember("likes tea", sources=["u1"])
    first = memory.add_insight("tea", "Serve tea.", evidence=[fact])
    merged = memory.merge_insight(evidence=["a1"], target=first)
    [hit] = memory.at("a1").recall("Serve", k=1)
    again = memory.merge_insight("tea", "Serve hot tea.", evidence=[hit, "a1"], target=merged)
    assert (again.version, again.support) == (3, 1)
    assert texts(memory.at("u2").recall("Serve")) == {"tea: Serve hot tea."}
    memory.revoke(records=[fact.id])
    assert held(memory, "u2") == {}
    memory.restore(records=[fact.id])
    memory.correct(fact, "likes coffee", sources=["u2"])
    assert held(memory, "u2") == {}
    built = memory.remember("tea is served", sources=[hit])
    with pytest.raises(InvalidInputError, match="falls with"):
        memory.merge_insight("tea", "Tea.", evidence=[built], target=again)
    memory.purge(records=[fact.id])
    assert not any("Serve" in line for line in dump(memory))


def test_an_older_version_is_not_recalled_beside_a_newer_one(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2")
    first = memory.add_insight("tea", "Serve tea.", evidence=["u1"])
    memory.merge_insight("tea", "Serve tea hot.", evidence=["u2"], target=first)
    third = memory.merge_insight("tea", "Serve tea cold.", evidence=["a1"], target=first)
    assert texts(memory.at("a2").recall("Serve tea")) == {"tea: Serve tea cold."}
    memory.revoke(records=[third.records[0]])
    assert held(memory, "a2") == {"tea": (2, 2)}
    memory.restore(records=[third.records[0]])
    late = memory.merge_insight("tea", "No tea.", evidence=["a9"], target=first)
    memory.add_turn("a9", role="assistant", text="none", parent="a2")
    assert late.version == 4
    assert texts(memory.at("a9").recall("tea")) == {"tea: No tea."}


@pytest.mark.parametrize("wrong", [["x"], {}, 5, True, "a\nb", "x" * 5000, ""])
def test_an_id_that_is_none_is_refused(memory: Memory, wrong: Any) -> None:
    grow(memory, "u1")
    with pytest.raises(InvalidInputError):
        memory.add_insight("tea", "Serve tea.", evidence=["u1"], id=wrong)


def test_a_retracted_insight_does_not_come_back_as_an_older_version(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2", "a1 b1")
    first = memory.add_insight("tea", "Likes tea.", evidence=["u1"])
    memory.merge_insight(body="Likes hot tea.", evidence=["a1"], target=first)
    [seen] = memory.at("u2").insights()
    memory.retract(seen, sources=["a2"])
    assert held(memory, "a2") == {}
    assert held(memory, "b1") == {"tea": (2, 1)}
    memory.revoke(turns=["a1"])
    assert held(memory, "a2") == {}
    assert held(memory, "u1") == {"tea": (1, 1)}


def test_evidence_that_is_hidden_or_awaited_is_not_live(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2")
    first = memory.add_insight("tea", "Likes tea.", evidence=["u1"])
    memory.merge_insight(body="Likes hot tea.", evidence=["u2", "a2"], target=first)
    late = memory.merge_insight("tea", "Likes it cold.", evidence=["a9"], target=first)
    assert (late.version, late.unreachable) == (3, False)
    memory.revoke(turns=["u2"])
    memory.purge(turns=["a2"])
    found = {one.turn: one for one in memory.at("a2").evidence(first)}
    assert {turn: one.status for turn, one in found.items()} == {"u1": "live", "a9": "revoked"}
    assert found["a9"].reason
    assert found["a9"].reason.code == "awaited"
    assert held(memory, "a2") == {"tea": (1, 1)}
    with pytest.raises(PurgedError):
        memory.merge_insight("tea", "Likes it.", evidence=["a2"], target=first)
    memory.add_turn("a9", role="assistant", text="cold", parent="a2")
    assert held(memory, "a9") == {"tea": (3, 2)}


def test_evidence_of_two_branches_is_told(memory: Memory) -> None:
    grow(memory, "u1 a1", "u1 b1")
    lost = memory.add_insight("tea", "Likes tea.", evidence=["a1", "b1"])
    assert lost.unreachable
    assert held(memory, "a1") == held(memory, "b1") == {}
    assert status(memory, lost, "a1") == {"a1": "live", "b1": "revoked"}


def test_a_purge_leaves_no_word_of_an_insight(memory: Memory) -> None:
    grow(memory, "u1 a1")
    memory.add_insight("zanzibar", "quagga", kind="xylo", evidence=["a1"])
    assert any("zanzibar" in line for line in dump(memory))
    memory.purge(turns=["a1"])
    assert not any(word in line for line in dump(memory) for word in ("zanzibar", "quagga", "xylo"))


def test_insights_of_other_trees_are_seen_in_the_wide_scope(memory: Memory) -> None:
    grow(memory, "u1 a1 u2", conversation="one")
    grow(memory, "v1 b1 v2", "b1 w2", conversation="two")
    memory.set_head("two", "v2")
    memory.add_insight("tea", "Likes tea.", evidence=["v1", "v2"])
    memory.add_insight("off", "Not the head.", evidence=["w2"])
    memory.add_insight("own", "On the path.", evidence=["u1"])
    assert held(memory, "u2") == {"own": (1, 1)}
    wide = memory.at("u2", scope="space").insights()
    assert [(one.label, one.support) for one in wide] == [("own", 1), ("tea", 2)]


def test_two_at_once_write_two_versions(memory: Memory) -> None:
    grow(memory, "u1 a1")
    first = memory.add_insight("tea", "Likes tea.", evidence=["u1"])
    threads = [
        threading.Thread(
            target=memory.merge_insight,
            kwargs={"body": f"Likes {n} cups.", "evidence": ["a1"], "target": first},
        )
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = look(memory, "MATCH (i:Insight {space: $space}) RETURN i.version AS v ORDER BY v")
    assert [row["v"] for row in rows] == [1, 2, 3, 4, 5, 6, 7]
    assert held(memory, "a1") == {"tea": (7, 1)}


def test_an_insight_meddled_with_by_hand_is_not_shown(memory: Memory) -> None:
    grow(memory, "u1 a1", "u1 b1")
    memory.add_insight("tea", "Likes tea.", evidence=["u1"])
    by_hand(
        memory,
        "MATCH (i:Insight {space: $space}), (t:Turn {space: $space, id: 'b1'}) "
        "CREATE (i)-[:DERIVED_FROM]->(t)",
    )
    assert held(memory, "a1") == {}


@pytest.mark.parametrize("seed", range(8))
def test_on_random_trees_each_anchor_sees_the_newest_version_of_its_path(
    memory: Memory, seed: int
) -> None:
    rng = random.Random(seed)
    parents: dict[str, str | None] = {}
    for number in range(20):
        earlier = list(parents)
        parents[f"u{number}"] = rng.choice([*earlier[-2:], *earlier]) if earlier else None

    def path(turn: str | None) -> list[str]:
        return [turn, *path(parents[turn])] if turn else []

    memory.add_turns(
        {"id": turn, "role": "user", "text": turn, "parent": parent}
        for turn, parent in parents.items()
    )
    first = memory.add_insight("tea", "version 1", evidence=["u0"])
    versions = {1: {"u0"}}
    for number in range(2, 9):
        line = path(rng.choice(list(parents)))
        turns = rng.sample(line, rng.randint(1, len(line)))
        memory.merge_insight("tea", f"version {number}", evidence=turns, target=first)
        versions[number] = set(turns)
    for anchor in parents:
        line = path(anchor)
        seen = [number for number, turns in versions.items() if turns <= set(line)]
        cited = set().union(*versions.values())
        assert held(memory, anchor) == {"tea": (max(seen), len(cited & set(line)))}
        assert {turn for turn, told in status(memory, first, anchor).items() if told == "live"} == (
            cited & set(line)
        )
