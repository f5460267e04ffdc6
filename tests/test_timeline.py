"""Timelines: what was held when, and what took its place, on this branch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest

from graphmem import Claim, Memory, Record, UnknownTurnError
from graphmem._gate import Gate
from graphmem._graph_models import Moment
from graphmem._models import Mention, Scope
from graphmem._timeline import timeline
from tests.forest import by_hand, grow

Held = tuple[str, str, str | None, str | None]


def moments(
    memory: Memory,
    anchor: str | None,
    subject: str | Mention | Record | Claim,
    scope: Scope = "path",
) -> list[Moment]:
    return memory.store.read(lambda tx: timeline(tx, Gate(memory.space, anchor, scope), subject))


def told(found: Sequence[Moment]) -> list[Held]:
    return [(one.text, one.since, one.until, one.replacement) for one in found]


def budget(memory: Memory) -> list[str]:
    """Store a budget that is corrected twice on one branch and once on another; return the ids."""
    grow(memory, "u1 a1 u2 a2 u3", "a1 u2b")
    first = memory.remember("budget 3", sources=["u1"], mentions=["budget"])
    second = memory.correct(first, "budget 4", sources=["u2"], mentions=["budget"]).replacement
    assert second
    third = memory.correct(second, "budget 5", sources=["u3"], mentions=["budget"]).replacement
    other = memory.correct(first, "budget 9", sources=["u2b"], mentions=["budget"]).replacement
    assert third and other
    return [first.id, second.id, third.id, other.id]


FULL: list[Held] = [
    ("budget 3", "u1", "u2", "budget 4"),
    ("budget 4", "u2", "u3", "budget 5"),
    ("budget 5", "u3", None, None),
]


def test_a_record_has_the_history_of_its_branch_whichever_of_it_is_named(memory: Memory) -> None:
    ids = budget(memory)
    for record in ids[:3]:
        assert told(moments(memory, "u3", record)) == FULL
    assert told(moments(memory, "u2b", ids[0])) == [
        ("budget 3", "u1", "u2b", "budget 9"),
        ("budget 9", "u2b", None, None),
    ]
    assert told(moments(memory, "a2", ids[0])) == [FULL[0], ("budget 4", "u2", None, None)]
    assert told(moments(memory, "a1", ids[0])) == [("budget 3", "u1", None, None)]


def test_what_is_hidden_here_has_no_history_here(memory: Memory) -> None:
    ids = budget(memory)
    assert moments(memory, "u2b", ids[1]) == moments(memory, "u3", ids[3]) == []
    assert moments(memory, None, ids[0]) == []
    # Nothing tells a hidden record or entity from one that does not exist.
    for subject in ("nope", "n\ud83d", Mention(name="nope", type="person")):
        assert moments(memory, "u3", subject) == []


def test_a_hidden_record_does_not_stand_before_an_entity(memory: Memory) -> None:
    grow(memory, "u1", "u1b")
    memory.remember("plums are ripe", sources=["u1"], mentions=["plums"])
    memory.remember("a record of that name", sources=["u1b"], id="plums")
    assert told(moments(memory, "u1", "plums")) == [("plums are ripe", "u1", None, None)]
    assert told(moments(memory, "u1b", "plums")) == [("a record of that name", "u1b", None, None)]


def test_an_entity_has_the_history_of_all_that_mentions_it(memory: Memory) -> None:
    budget(memory)
    memory.remember("Ira asked for the budget", sources=["a1"], mentions=["Ira", "Budget"])
    memory.remember("Ira left", sources=["u2b"], mentions=["Ira"])
    asked: Held = ("Ira asked for the budget", "a1", None, None)
    assert told(moments(memory, "u3", "BUDGET")) == [FULL[0], asked, *FULL[1:]]
    assert told(moments(memory, "u3", Mention(name="budget"))) == [FULL[0], asked, *FULL[1:]]
    assert told(moments(memory, "u3", "Ira")) == [asked]
    assert told(moments(memory, "u2b", "Ira")) == [asked, ("Ira left", "u2b", None, None)]
    assert moments(memory, "u1", "Ira") == []


def test_an_entity_has_the_history_of_all_it_is_joined_to_here(memory: Memory) -> None:
    grow(memory, "u1 u2", "u1 u2b")
    memory.remember("HZ is warm", sources=["u1"], mentions=["HZ"])
    memory.same_as("HZ", "Hangzhou", sources=["u2"])
    assert told(moments(memory, "u2", "Hangzhou")) == [("HZ is warm", "u1", None, None)]
    assert moments(memory, "u2b", "Hangzhou") == []


def test_a_retraction_ends_a_claim_with_nothing_in_its_place(memory: Memory) -> None:
    grow(memory, "u1 u2 u3", "u1 u2b")
    owl = memory.remember("keeps an owl", sources=["u1"])
    memory.retract(owl, sources=["u2"])
    again = memory.remember("keeps an owl", sources=["u3"], mentions=["owl"])
    assert told(moments(memory, "u3", owl)) == [("keeps an owl", "u1", "u2", None)]
    assert told(moments(memory, "u2b", owl)) == [("keeps an owl", "u1", None, None)]
    assert told(moments(memory, "u3", again)) == [("keeps an owl", "u3", None, None)]


def test_equal_claims_that_fell_together_are_one_moment(memory: Memory) -> None:
    grow(memory, "u1 u2 u3 u4")
    for turn in ("u2", "u1"):
        memory.remember("budget 3", sources=[turn], mentions=["budget"])
    [claim] = memory.at("u2").facts()
    memory.correct(claim, "budget 4", sources=["u3"], mentions=["budget"])
    memory.remember("budget 3", sources=["u4"], mentions=["budget"])
    found = moments(memory, "u4", "budget")
    assert told(found) == [
        ("budget 3", "u1", "u3", "budget 4"),
        ("budget 4", "u3", None, None),
        ("budget 3", "u4", None, None),
    ]
    assert [len(one.records) for one in found] == [2, 1, 1]
    assert told(moments(memory, "u4", claim)) != []


def test_what_was_built_from_a_corrected_claim_falls_with_it(memory: Memory) -> None:
    grow(memory, "u1 u2 u3", "u1 u2b")
    fact = memory.remember("budget 3", sources=["u1"])
    summary = memory.remember("is thrifty", sources=[fact, "u2"], kind="summary")
    memory.correct(fact, "budget 9", sources=["u3"])
    assert told(moments(memory, "u3", summary)) == [("is thrifty", "u2", "u3", None)]
    assert told(moments(memory, "u2", summary)) == [("is thrifty", "u2", None, None)]
    assert moments(memory, "u2b", summary) == []


def test_the_order_is_the_paths_whatever_the_clocks_say(memory: Memory) -> None:
    late, early = datetime(2030, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)
    memory.add_turn("z", role="user", text="first", created_at=late)
    memory.add_turn("y", role="user", text="second", parent="z")
    memory.add_turn("x", role="user", text="third", parent="y", created_at=early)
    for turn in "xyz":
        memory.remember(f"said in {turn}", sources=[turn], mentions=["Ira"])
    memory.remember("said in x and z", sources=["x", "z"], mentions=["Ira"])
    found = moments(memory, "x", "Ira")
    assert [(one.since, one.since_at) for one in found] == [
        ("z", late),
        ("y", None),
        ("x", early),
        ("x", early),
    ]


def test_an_unknown_anchor_is_an_error(memory: Memory) -> None:
    ids = budget(memory)
    for subject in (ids[0], "budget", "nope"):
        with pytest.raises(UnknownTurnError, match="nowhere"):
            moments(memory, "nowhere", subject)


def test_a_hidden_replacement_is_not_told(memory: Memory) -> None:
    ids = budget(memory)
    by_hand(memory, "MATCH (r:Record {space: $space, id: $id}) SET r:Revoked", id=ids[1])
    assert told(moments(memory, "u3", ids[0])) == [("budget 3", "u1", "u2", None)]
    by_hand(memory, "MATCH (r:Record {space: $space, id: $id}) REMOVE r:Revoked", id=ids[1])
    assert told(moments(memory, "u3", ids[0])) == FULL


def test_a_relation_is_told_like_a_fact(memory: Memory) -> None:
    grow(memory, "u1 u2", "u1 u2b")
    old = memory.relate("Ira", "leads", "Helix", sources=["u1"])
    memory.correct(old, "Ira left Helix", sources=["u2"], mentions=["Ira", "Helix"])
    found = moments(memory, "u2", "helix")
    assert [(one.kind, one.text, one.until) for one in found] == [
        ("relation", "Ira leads Helix", "u2"),
        ("fact", "Ira left Helix", None),
    ]
    assert told(moments(memory, "u2b", "Helix")) == [("Ira leads Helix", "u1", None, None)]


def test_nothing_crosses_from_one_space_into_another(make_memory: Callable[..., Memory]) -> None:
    ann, bob = make_memory(), make_memory()
    for memory, liked in ((ann, "plums"), (bob, "chess")):
        grow(memory, "u1 u2")
        memory.remember(f"Kim likes {liked}", sources=["u1"], mentions=["Kim"], id="same")
    bob.correct("same", "Kim likes go", sources=["u2"], mentions=["Kim"])
    for scope in ("path", "space"):
        for subject in ("same", "Kim"):
            plums = [("Kim likes plums", "u1", None, None)]
            assert told(moments(ann, "u2", subject, scope)) == plums
            assert told(moments(bob, "u2", subject, scope))[0][3] == "Kim likes go"
    bob.remember("Lee sings", sources=["u1"], mentions=["Lee"], id="lee")
    for subject in ("lee", "Lee"):
        assert moments(ann, "u2", subject) == []


def test_the_wide_scope_adds_other_trees_each_in_its_own_order(memory: Memory) -> None:
    grow(memory, "u1 u2", "u1 u2b", conversation="here")
    grow(memory, "v1 v2 v3 v4 v5", conversation="long")
    memory.add_turn("v2b", role="user", text="text", parent="v1", conversation="short")
    for turn in ("u1", "u2b", "v1", "v2", "v5", "v2b"):
        memory.remember(f"at {turn}", sources=[turn], mentions=["Ira"])
    memory.set_head("long", "v5")
    by_hand(  # a second head in the same tree
        memory,
        "MATCH (c:Conversation {space: $space, id: 'short'}), (t:Turn {space: $space, id: 'v2b'}) "
        "CREATE (c)-[:HEAD]->(t)",
    )
    assert [one.since for one in moments(memory, "u2", "Ira")] == ["u1"]
    wide = [one.since for one in moments(memory, "u2", "Ira", "space")]
    assert wide[0] == "u1"
    assert sorted(wide[1:]) == ["v1", "v2", "v2b", "v5"]
    assert wide.index("v1") < wide.index("v2") < wide.index("v5")
    assert wide.index("v1") < wide.index("v2b")
