"""Storing turns: any order, each once, and what is refused."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem import (
    BatchError,
    ConflictError,
    CycleError,
    InvalidInputError,
    Memory,
    MissingParentError,
    SecondParentError,
    Source,
    Turn,
    UnknownConversationError,
    UnknownTurnError,
)
from graphmem._text import MAX_ID_BYTES
from tests.forest import grow


def turn(id_: str, parent: str | None = None, **more: Any) -> dict[str, Any]:
    return {"id": id_, "role": "user", "text": f"text of {id_}", "parent": parent, **more}


def test_a_turn_comes_back_as_it_was_given(memory: Memory) -> None:
    given_turn = Turn(
        id="u2",
        role="user",
        text="I'm moving to Hangzhou.",
        parent=None,
        replaces="u1",
        how="edit",
        conversation="trip",
        created_at=datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
        properties={
            "model": "m1",
            "score": 0.5,
            "tags": ["a", "b"],
            "space": "mine",
            "text": "also mine",
        },
    )
    stored = memory.add_turns([turn("u1", conversation="trip"), given_turn])
    assert (stored.new, stored.known, stored.awaited) == (2, 0, ())
    assert memory.turn("u2") == given_turn
    assert memory.turn("u1").text == "text of u1"


def test_the_same_turn_again_changes_nothing_and_other_content_is_a_conflict(
    memory: Memory,
) -> None:
    memory.add_turn("x", role="user", text="A")
    assert memory.add_turn("x", role="user", text="A").known == 1
    for change in (
        {"text": "B"},
        {"role": "assistant"},
        {"properties": {"n": 1}},
        {"conversation": "c"},
    ):
        with pytest.raises(ConflictError, match="'x'"):
            memory.add_turn(**{"id": "x", "role": "user", "text": "A", "parent": None} | change)
    assert memory.turn("x").text == "A"
    assert memory.add_turn("x", role="user", text="A").known == 1


def test_a_second_parent_is_refused(memory: Memory) -> None:
    grow(memory, "u1 a1", "w1")
    with pytest.raises(SecondParentError, match="'u1'"):
        memory.add_turn("a1", role="assistant", text="text of a1", parent="w1")
    assert memory.turn("a1").parent == "u1"


def test_every_order_of_arrival_gives_the_same_tree(make_memory: Callable[..., Memory]) -> None:
    turns = [
        turn("u1", conversation="c"),
        turn("a1", "u1", conversation="c"),
        turn("u2", "a1", conversation="c"),
        turn("u3", "a1", replaces="u2", conversation="c"),
    ]
    trees = set()
    for order in itertools.permutations(turns):
        memory = make_memory()
        for one in order:
            memory.add_turns([one])
        trees.add(frozenset(found.model_dump_json() for found in memory.tree("c").turns))
    assert len(trees) == 1


def test_an_awaited_parent_is_named_and_filled_when_it_comes(memory: Memory) -> None:
    assert memory.add_turns([turn("u2", "a1", conversation="c")]).awaited == ("a1",)
    assert memory.tree("c").awaited == ("a1",)
    with pytest.raises(UnknownTurnError, match="has not arrived"):
        memory.turn("a1")
    assert memory.add_turns([turn("a1", "u1", conversation="c")]).awaited == ("u1",)
    assert memory.turn("a1").text == "text of a1"
    memory.add_turns([turn("u1", conversation="c")])
    assert memory.tree("c").awaited == ()
    assert [found.id for found in memory.at("u2").path()] == ["u1", "a1", "u2"]


def test_no_cycle_in_a_batch_or_across_batches(memory: Memory) -> None:
    with pytest.raises(CycleError):
        memory.add_turns([turn("a", "b"), turn("b", "c"), turn("c", "a"), turn("tail", "a")])
    memory.add_turns([turn("b", "a"), turn("c", "b")])
    with pytest.raises(CycleError, match="'a'"):
        memory.add_turns([turn("a", "c")])
    with pytest.raises(UnknownTurnError):
        memory.turn("a")
    memory.add_turns([turn("a", None)])
    assert [found.id for found in memory.at("c").path()] == ["a", "b", "c"]


def test_an_inherited_parent_closes_no_cycle(memory: Memory) -> None:
    inheriting = {"id": "u2", "role": "user", "text": "x", "replaces": "u1"}
    with pytest.raises(CycleError, match="'u2'"):
        memory.add_turns([turn("u1", "u2"), inheriting])
    memory.add_turns([turn("c", "u2"), turn("u1", "c")])  # u2 is awaited
    with pytest.raises(CycleError, match="'u2'"):
        memory.add_turns([inheriting])
    assert memory.add_turns([inheriting | {"parent": None}]).new == 1


def test_no_turn_is_its_own_parent(memory: Memory) -> None:
    with pytest.raises(InvalidInputError, match="its own parent"):
        memory.add_turns([turn("u1", "u1")])
    with pytest.raises(InvalidInputError, match="replace itself"):
        memory.add_turns([turn("u1", replaces="u1")])


def test_one_bad_turn_and_nothing_of_the_batch_is_stored(memory: Memory) -> None:
    grow(memory, "old")
    with pytest.raises(InvalidInputError, match="id is empty"):
        memory.add_turns([turn("good"), turn("")])
    with pytest.raises(ConflictError):
        memory.add_turns([turn("good"), turn("old", text="changed")])
    with pytest.raises(BatchError) as caught:
        memory.add_turns([turn("good"), turn(""), turn("u\x00")])
    assert [type(error) for error in caught.value.errors] == [InvalidInputError] * 2
    with pytest.raises(UnknownTurnError):
        memory.turn("good")
    assert memory.add_turns([turn("good"), turn("old")]).new == 1


def test_a_batch_may_hold_a_turn_twice_but_not_two_versions(memory: Memory) -> None:
    assert memory.add_turns([turn("u1"), turn("u1")]).new == 1
    with pytest.raises(ConflictError, match="twice"):
        memory.add_turns([turn("u2"), turn("u2", text="other")])


def test_an_edit_without_a_parent_takes_that_of_what_it_replaces(memory: Memory) -> None:
    grow(memory, "u1 a1 u2")
    memory.add_turn("u3", role="user", text="better", replaces="u2")
    memory.add_turn("u4", role="user", text="best", replaces="u3")
    assert (memory.turn("u3").parent, memory.turn("u4").parent) == ("a1", "a1")
    assert memory.turn("u4").how == "edit"
    memory.add_turns(
        [
            {"id": "a2", "role": "assistant", "text": "one", "parent": "u2"},
            {"id": "a3", "role": "assistant", "text": "two", "replaces": "a2"},
        ]
    )
    assert (memory.turn("a3").parent, memory.turn("a3").how) == ("u2", "regenerate")
    assert memory.add_turn("u3", role="user", text="better", replaces="u2").known == 1
    with pytest.raises(MissingParentError, match="has not arrived"):
        memory.add_turn("u9", role="user", text="of what?", replaces="never seen")


def test_a_running_conversation_wants_the_parent_named(memory: Memory) -> None:
    memory.add_turn("u1", role="user", text="hi", conversation="c")
    memory.add_turn("a1", role="assistant", text="hello", parent="u1", conversation="c")
    memory.add_turn("a2", role="assistant", text="hey", parent="u1", conversation="c")
    with pytest.raises(MissingParentError, match=r"'a\d', 'a\d'"):
        memory.add_turn("u2", role="user", text="more", conversation="c")
    memory.add_turn("w1", role="user", text="a first message again", parent=None, conversation="c")
    assert memory.turn("w1").parent is None
    assert memory.add_turn("u1", role="user", text="hi", conversation="c").known == 1


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ("", "empty"),
        ("x" * (MAX_ID_BYTES + 1), "4001 bytes"),
        ("字" * (MAX_ID_BYTES // 3 + 1), "bytes"),
        ("a\x00b", "control"),
        ("a\nb", "control"),
        ("half \ud83d", "surrogate"),
    ],
    ids=["empty", "long", "long in bytes", "NUL", "line break", "surrogate"],
)
def test_an_id_that_cannot_be_stored_is_refused(memory: Memory, bad: str, says: str) -> None:
    for give in (
        lambda: memory.add_turn(bad, role="user", text="t"),
        lambda: memory.add_turn("u1", role="user", text="t", parent=bad),
        lambda: memory.add_turn("u1", role="user", text="t", replaces=bad),
        lambda: memory.add_turn("u1", role="user", text="t", conversation=bad),
        lambda: memory.remember("f", sources=[bad]),
        lambda: memory.remember("f", sources=["u1"], id=bad),
        lambda: Memory(memory.store, space=bad),
    ):
        with pytest.raises(InvalidInputError, match=says):
            give()


def test_the_longest_ids_fit_together(make_memory: Callable[..., Memory]) -> None:
    longest = "y" * MAX_ID_BYTES
    memory = make_memory(longest[:-8] + secrets.token_hex(4))
    memory.add_turn(longest, role="user", text="t", conversation=longest)
    memory.remember("kept", sources=[longest], id=longest)
    assert memory.at(longest).facts()[0].id == longest


@pytest.mark.parametrize(
    "id_",
    [
        "00000000-0000-0000-0000-000000000001",
        "a:b/c d",
        "引用",
        "'; MATCH (n) DETACH DELETE n //",
        "$x",
    ],
)
def test_ids_are_data(memory: Memory, id_: str) -> None:
    memory.add_turn(id_, role="user", text="t")
    memory.remember("kept", sources=[id_])
    assert memory.at(id_).facts()[0].sources[0].turn == id_


def test_text_is_stored_whatever_it_holds(memory: Memory) -> None:
    texts = {
        "nul": "a\x00b",
        "empty": "",
        "long": "长" * 700_000,
        "emoji": "\U0001f378",
        "html": "<script>alert(1)</script> $x `y` {z}",
    }
    memory.add_turns(turn(name, text=text) for name, text in texts.items())
    assert {name: memory.turn(name).text for name in texts} == texts


def test_half_a_surrogate_pair_is_replaced_and_kept_beside(memory: Memory) -> None:
    memory.add_turn("u1", role="user", text="ok \ud83d", properties={"note": "\udc00"})
    stored = memory.turn("u1")
    assert stored.text == "ok �"
    assert stored.raw_text == '"ok \\ud83d"'
    assert stored.properties == {"note": "�"}
    memory.add_turn("u2", role="user", text="\ud83c\udf78")
    assert memory.turn("u2").text == "\U0001f378"
    with pytest.raises(ConflictError):
        memory.add_turn("u1", role="user", text="ok �", properties={"note": "�"})
    assert (
        memory.add_turn("u1", role="user", text="ok \ud83d", properties={"note": "\udc00"}).known
        == 1
    )
    memory.remember("half \ud83d", sources=["u1"])
    assert memory.at("u1").facts()[0].text == "half �"


@given(st.text(st.characters(codec=None), max_size=30))
def test_any_text_can_be_stored_and_brought_back(text: str) -> None:
    made = Turn(id="u1", role="user", text=text)
    made.text.encode()
    again = Turn(**made.model_dump())
    assert again == made


def test_times_are_instants_and_a_naive_one_is_utc(memory: Memory) -> None:
    moscow = timezone(timedelta(hours=3))
    times = {
        "first": datetime(2024, 1, 1, 13, 0, tzinfo=moscow),
        "second": datetime(2024, 1, 1, 10, 15),
        "third": datetime(2024, 1, 1, 10, 30, tzinfo=UTC),
    }
    memory.add_turns(turn(name, created_at=time) for name, time in times.items())
    stored = {name: memory.turn(name).created_at for name in times}
    assert stored == {
        "first": datetime(2024, 1, 1, 10, 0, tzinfo=UTC),
        "second": datetime(2024, 1, 1, 10, 15, tzinfo=UTC),
        "third": datetime(2024, 1, 1, 10, 30, tzinfo=UTC),
    }


def test_an_answer_with_an_earlier_clock_still_follows_its_question(memory: Memory) -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    memory.add_turns(
        [turn("u1", created_at=noon), turn("a1", "u1", created_at=noon - timedelta(minutes=7))]
    )
    assert [found.id for found in memory.at("a1").path()] == ["u1", "a1"]


@pytest.mark.parametrize(
    "properties",
    [
        {"bad name": 1},
        {"": 1},
        {"nested": {"a": 1}},
        {"mixed": [1, "a"]},
        {"big": 2**63},
        {"nan": float("nan")},
        {"inf": float("inf")},
        {"bytes": b"x"},
    ],
)
def test_properties_that_the_graph_cannot_hold_are_refused(
    memory: Memory, properties: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInputError):
        memory.add_turn("u1", role="user", text="t", properties=properties)


def test_an_unknown_field_is_refused_not_dropped(memory: Memory) -> None:
    with pytest.raises(InvalidInputError, match="branch"):
        memory.add_turns([{**turn("u1"), "branch": "main"}])


def test_a_chain_of_ten_thousand_turns(memory: Memory) -> None:
    memory.add_turns(
        turn(f"t{number}", f"t{number - 1}" if number else None, conversation="deep")
        for number in range(10_000)
    )
    memory.add_turn("fork", role="user", text="f", parent="t9998", conversation="deep")
    memory.remember("first", sources=["t0"])
    memory.remember("last", sources=["t9999"])
    assert [fact.text for fact in memory.at("t9999").facts()] == ["first", "last"]
    assert [fact.text for fact in memory.at("fork").facts()] == ["first"]
    assert memory.at("fork").fork_point("t9999") == "t9998"
    assert len(memory.at("fork").path()) == 10_000
    assert [branch.turns for branch in memory.branches("deep")] == [1, 1]


def test_five_hundred_siblings(memory: Memory) -> None:
    memory.add_turns([turn("u1"), *(turn(f"s{number}", "u1") for number in range(500))])
    memory.remember("kept", sources=["u1", "s499"])
    assert [fact.text for fact in memory.at("s499").facts()] == ["kept"]
    assert memory.at("s498").facts() == []


def test_conversations_have_titles_and_heads(memory: Memory) -> None:
    grow(memory, "u1 a1", "u1 a2", conversation="c")
    memory.add_conversation("c", title="First", created_at=datetime(2026, 1, 1, tzinfo=UTC))
    memory.set_head("c", "a1")
    memory.set_head("c", "a2")
    assert memory.add_conversation("c", title="Second").head == "a2"
    [conversation] = memory.conversations()
    assert (conversation.title, conversation.head) == ("Second", "a2")
    assert conversation.created_at == datetime(2026, 1, 1, tzinfo=UTC)
    with pytest.raises(UnknownConversationError, match="'d'"):
        memory.set_head("d", "a1")
    with pytest.raises(UnknownTurnError, match="'a9'"):
        memory.set_head("c", "a9")
    with pytest.raises(UnknownConversationError):
        memory.tree("d")


def test_a_space_that_was_never_used_is_empty(memory: Memory) -> None:
    assert memory.conversations() == []
    assert memory.tree(None).turns == ()
    with pytest.raises(UnknownTurnError):
        memory.turn("u1")


def test_first_messages_of_one_batch_want_their_parents_named(memory: Memory) -> None:
    root = turn("r", None, conversation="c")
    unnamed = {"id": "c1", "role": "user", "text": "x", "conversation": "c"}
    with pytest.raises(MissingParentError, match="'r'"):
        memory.add_turns([root, unnamed])
    assert memory.add_turns([unnamed, turn("a1", "c1", conversation="c")]).new == 2


def test_every_awaited_turn_is_named(memory: Memory) -> None:
    assert memory.add_turns([turn("b", "gap")]).awaited == ("gap",)
    assert memory.add_turns([turn("c", "gap")]).awaited == ("gap",)
    assert memory.add_turns([turn("d", "c")]).awaited == ()


def test_a_head_is_a_turn_of_its_conversation(memory: Memory) -> None:
    grow(memory, "u1", conversation="c")
    grow(memory, "v1", conversation="d")
    with pytest.raises(InvalidInputError, match="'d'"):
        memory.set_head("c", "v1")


def test_turns_without_times_are_drawn_in_the_order_of_their_ids(memory: Memory) -> None:
    for name in ("r", "t1", "t2", "t3"):
        memory.add_turns([turn(name, None if name == "r" else "r", conversation="c")])
    assert [found.id for found in memory.tree("c").turns] == ["r", "t1", "t2", "t3"]


HALF = "\ud83d"
BEFORE_TIME = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5)))


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.at(HALF).facts(),
        lambda m: m.at("u1").get(HALF),
        lambda m: m.at("u1").fork_point(HALF),
        lambda m: m.turn(HALF),
        lambda m: m.tree(HALF),
        lambda m: m.at("u1").cypher("RETURN $x", x=object()),
        lambda m: m.at("u1").cypher("RETURN $x", x=2**70),
        lambda m: m.at("u1").cypher(f"RETURN '{HALF}'"),
        lambda m: m.at("u1").visible(5),
        lambda m: m.at("u1").visible([["fact"]]),
        lambda m: m.add_turns([None]),
        lambda m: m.add_turns([("a", "b")]),
        lambda m: m.add_turns([{1: 2}]),
        lambda m: m.remember_all([None]),
        lambda m: m.remember_all(["abc"]),
        lambda m: m.remember("x", 5),
        lambda m: m.remember("x", [Source(turn="u1", start=2**70)]),
        lambda m: m.add_turn("t", role="user", text="x", properties=5),
        lambda m: m.add_turn("t", role="user", text="x", created_at=BEFORE_TIME),
        lambda m: m.add_turn("t", role="user", text="x", properties={"when": BEFORE_TIME}),
    ],
)
def test_whatever_is_wrong_is_told_as_bad_input(
    memory: Memory, call: Callable[[Memory], object]
) -> None:
    grow(memory, "u1")
    with pytest.raises(InvalidInputError):
        call(memory)
