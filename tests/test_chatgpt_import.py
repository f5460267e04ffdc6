"""ChatGPT exports: all branches, nothing that nobody said, whatever state the file is in."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem.importers import ImportedConversation, SkippedConversation, read_export
from tests.chatgpt_export import (
    USER,
    Json,
    chat,
    imported,
    one_line,
    only,
    parents,
    replaced,
    said,
    short,
    texts,
    tree,
    written,
)

# --- what is read


def test_a_conversation_with_its_ids_times_and_head(tmp_path: Path) -> None:
    found = imported(tmp_path, one_line())

    assert (found.id, found.title) == ("chatgpt/c1", "A chat")
    assert found.head == "chatgpt/c1/a1"
    assert found.created_at == datetime(2023, 11, 14, 22, 13, 20, 500000, UTC)
    assert found.warnings == ()
    assert [(turn.role, turn.text) for turn in found.turns] == [
        ("user", "I moved to Chengdu."),
        ("assistant", "How do you like it?"),
    ]
    assert {turn.conversation for turn in found.turns} == {"chatgpt/c1"}
    assert parents(found) == {"u1": None, "a1": "u1"}


def test_all_branches_are_read_and_the_head_is_the_one_that_was_shown(tmp_path: Path) -> None:
    found = imported(tmp_path, chat(tree("u1", "a1<u1", "a1b<u1", "u2<a1", "a2<u2"), "a2"))

    assert parents(found) == {"u1": None, "a1": "u1", "a1b": "u1", "u2": "a1", "a2": "u2"}
    assert found.head == "chatgpt/c1/a2"
    assert replaced(found) == {"a1b": ("a1", "regenerate")}


def test_an_edited_message_replaces_the_one_before_it(tmp_path: Path) -> None:
    mapping = tree("a0", "u1<a0", "u2<a0", "u3<a0", "a1<u1")
    mapping["a0"]["children"] = ["u2", "u3", "u1"]

    found = imported(tmp_path, chat(mapping, "a1"))

    assert replaced(found) == {"u3": ("u2", "edit"), "u1": ("u3", "edit")}


def test_an_edited_first_message_replaces_the_first_root(tmp_path: Path) -> None:
    mapping = tree("r", "u2<r", "u1<r", "u9", u9=said("user", "a root of its own"))
    mapping["r"]["children"] = ["u1", "u2"]

    found = imported(tmp_path, chat(mapping, "u1"))

    assert parents(found) == {"u1": None, "u2": None, "u9": None}
    assert replaced(found) == {"u2": ("u1", "edit"), "u9": ("u2", "edit")}


def test_an_answer_is_regenerated_through_thoughts(tmp_path: Path) -> None:
    found = imported(tmp_path, chat(tree("u1", "h1<u1", "h2<u1", "a9<h1", "a2<h2"), "a2"))

    assert parents(found) == {"u1": None, "a9": "u1", "a2": "u1"}
    assert replaced(found) == {"a2": ("a9", "regenerate")}


def test_an_answer_and_a_message_under_one_parent_do_not_replace_each_other(tmp_path: Path) -> None:
    assert replaced(imported(tmp_path, chat(tree("u1", "a1<u1", "u2<u1"), "a1"))) == {}


def test_branches_run_through_system_tool_and_empty_messages(tmp_path: Path) -> None:
    links = ("r", "s1<r", "u1<s1", "c1<u1", "t1<c1", "a0<t1", "a1<a0", "s2<a1", "u2<s2")

    found = imported(tmp_path, chat(tree(*links, a0=said("assistant", "")), "u2"))

    assert parents(found) == {"u1": None, "a1": "u1", "u2": "a1"}


def test_children_may_stand_before_their_parents_and_lists_may_be_wrong(tmp_path: Path) -> None:
    mapping = tree("a1<u1", "u1")
    mapping["u1"]["children"] = ["gone", {"no": "id"}, 7]

    found = imported(tmp_path, chat(mapping, "a1"))

    assert parents(found) == {"a1": "u1", "u1": None}
    assert [turn.role for turn in found.turns] == ["user", "assistant"]


def test_a_parent_pointer_wins_over_the_lists_of_children(tmp_path: Path) -> None:
    mapping = tree("u1", "a1<u1", "a2<u1")
    mapping["a1"]["children"] = ["a2"]

    assert parents(imported(tmp_path, chat(mapping)))["a2"] == "u1"


def test_an_old_export_without_parents_is_linked_by_its_children(tmp_path: Path) -> None:
    mapping = tree("r", "u1<r", "a1<u1")
    for node in mapping.values():
        del node["parent"], node["id"]

    assert parents(imported(tmp_path, chat(mapping, "a1"))) == {"u1": None, "a1": "u1"}


# --- what is kept, and what is not: each with its twin


@pytest.mark.parametrize(
    "message",
    [
        said("system", "secret"),
        said("tool", "secret"),
        said("critic", "secret"),
        said("user", "secret", author=None),
        said("user", "secret", author={"role": ["user"]}),
        said("assistant", "secret", recipient="python"),
        said("user", "secret", metadata={"is_visually_hidden_from_conversation": True}),
        said("user", "secret", metadata={"is_user_system_message": True}),
        said("user", "", content={"content_type": "user_editable_context", "text": "secret"}),
        said("assistant", "", content={"content_type": "model_editable_context", "text": "secret"}),
        said("assistant", "", content={"content_type": "thoughts", "parts": ["secret"]}),
        said("assistant", "", content={"content_type": "reasoning_recap", "parts": ["secret"]}),
        said("user", "", content=None),
        said("user", "", content={"content_type": "text", "parts": []}),
        said("user", " \n"),
        said("user", "", content={"parts": [{"content_type": "audio_asset_pointer"}]}),
    ],
)
def test_what_nobody_said_is_hidden(tmp_path: Path, message: Json) -> None:
    found = imported(tmp_path, chat(tree("u1", "u2<u1", "a1<u2", u2=message), "a1"))

    assert parents(found) == {"u1": None, "a1": "u1"}
    assert "secret" not in str(found)


@pytest.mark.parametrize(
    "message",
    [
        said("user", "kept"),
        said("assistant", "kept", recipient=None),
        said("assistant", "kept", channel="commentary"),
        said("user", "kept", weight=0),
        said("user", "kept", metadata={"is_visually_hidden_from_conversation": False}),
        said("user", "kept", metadata=None),
        said("assistant", "", content={"content_type": "code", "language": "py", "text": "kept"}),
        said("user", "", content={"content_type": "multimodal_text", "parts": ["", "kept"]}),
        said(
            "user", "", content={"parts": [{"content_type": "audio_transcription", "text": "kept"}]}
        ),
        said("user", "", content={"content_type": [], "parts": ["kept"]}),
        said("user", "", content="kept"),
        {"author": {"role": "user"}, "content": {"parts": ["kept"]}},
    ],
)
def test_what_somebody_said_is_kept(tmp_path: Path, message: Json) -> None:
    found = imported(tmp_path, chat(tree("u1", "u2<u1", "a1<u2", u2=message), "a1"))

    assert texts(found)[1] == "kept"
    assert parents(found) == {"u1": None, "u2": "u1", "a1": "u2"}


def test_an_image_without_words_is_kept_and_counted(tmp_path: Path) -> None:
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x"}
    content = {"content_type": "multimodal_text", "parts": [image, image]}
    message = said("user", "", content=content, metadata={"attachments": [{"id": "f"}]})

    turn = only(tmp_path, message)

    assert turn.text == ""
    assert turn.properties == {"images": 2, "attachments": 1}


def test_status_and_model_are_kept_where_they_say_something(tmp_path: Path) -> None:
    done = said("assistant", "x", status="finished_successfully", metadata={"model_slug": "m-1"})
    broken_off = said("assistant", "x", status="in_progress")

    assert only(tmp_path, done).properties == {"model": "m-1"}
    assert only(tmp_path, broken_off).properties == {"status": "in_progress"}


def test_nothing_of_the_account_is_kept(tmp_path: Path) -> None:
    metadata = {"request_id": "private", "message_locale": "private"}
    found = imported(
        tmp_path,
        one_line(moderation_results=["private"], gizmo_id="private", safe_urls=["private"])
        | {"mapping": tree("u1", u1=USER | {"metadata": metadata})},
    )

    assert texts(found) == ["I moved to Chengdu."]
    assert "private" not in str(found)


@pytest.mark.parametrize(
    ("marked", "shown"),
    [
        ("It rains.\ue200cite\ue202turn0search1\ue202turn0search3\ue201 So?", "It rains. So?"),
        ('Ask \ue200entity\ue202["people","Wu Li",0]\ue201 about it.', "Ask Wu Li about it."),
        ("In \ue200entity\ue202Chengdu\ue201.", "In Chengdu."),
        ("See \ue200url\ue202the page\ue202https://a.example\ue201.", "See the page."),
        ("Half \ue200cite\ue202turn0", "Half \ue200cite\ue202turn0"),
        ("\ue0ff【1†L2-L3】 stay", "\ue0ff【1†L2-L3】 stay"),
    ],
)
def test_references_read_as_they_were_shown(tmp_path: Path, marked: str, shown: str) -> None:
    assert only(tmp_path, said("assistant", marked)).text == shown


# --- times


@pytest.mark.parametrize(
    "value",
    [
        1700000000,
        1700000000.0,
        "1700000000",
        "1700000000.0",
        1700000000000,
        1700000000000000,
        "2023-11-14T22:13:20Z",
        "2023-11-15T01:13:20+03:00",
        "2023-11-14 22:13:20",
    ],
)
def test_times_of_every_kind(tmp_path: Path, value: Any) -> None:
    turn = only(tmp_path, said("user", "x", create_time=value))

    assert turn.created_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


@pytest.mark.parametrize("value", ["soon", True, [], {}, -5, math.nan, math.inf, 1e300, 10**400])
def test_a_nonsense_time_is_left_out_with_a_warning(tmp_path: Path, value: Any) -> None:
    found = imported(tmp_path, chat(tree("u1", u1=USER | {"create_time": value}), "u1"))

    assert [turn.created_at for turn in found.turns] == [None]
    [warning] = found.warnings
    assert "u1" in warning


@pytest.mark.parametrize("value", [None, 0, ""])
def test_no_time_is_no_reason_for_a_warning(tmp_path: Path, value: Any) -> None:
    found = imported(tmp_path, one_line(create_time=value))

    assert (found.created_at, found.warnings) == (None, ())


# --- heads


def test_the_head_is_the_nearest_kept_turn_above_the_current_node(tmp_path: Path) -> None:
    found = imported(tmp_path, chat(tree("u1", "c1<u1", "t1<c1"), "t1"))

    assert (found.head, found.warnings) == ("chatgpt/c1/u1", ())


@pytest.mark.parametrize("current", ["gone", "", None, "r"])
def test_without_a_current_node_the_newest_leaf_is_the_head(
    tmp_path: Path, current: str | None
) -> None:
    mapping = tree("r", "u1<r", "a1<u1", "a2<u1", "a3<u1", "a4<u1")
    for key, time in {"u1": 50, "a1": 10, "a2": 20, "a3": 20}.items():
        mapping[key]["message"] = mapping[key]["message"] | {"create_time": time}

    found = imported(tmp_path, chat(mapping, current))

    assert found.head == "chatgpt/c1/a3"
    assert len(found.warnings) == 1


# --- trees that are broken


def test_a_missing_parent_makes_a_marked_root_and_no_guess(tmp_path: Path) -> None:
    mapping = tree("u1", "a1<u1", "t1<7f_", "u2<t1", "a2<u2", "u3<7f_", "u7f")

    found = imported(tmp_path, chat(mapping, "a2"))

    assert parents(found)["u2"] is parents(found)["u3"] is None
    assert parents(found)["a2"] == "u2"
    assert marks(found) == {"u2": "7f_", "u3": "7f_"}
    assert replaced(found) == {"u7f": ("u1", "edit")}
    assert len(found.warnings) == 2


def marks(found: ImportedConversation) -> dict[str | None, object]:
    properties = {short(turn.id): turn.properties for turn in found.turns}
    return {key: held["parentMissing"] for key, held in properties.items() if held}


def test_a_cycle_is_left_out_and_what_hangs_on_it_is_kept(tmp_path: Path) -> None:
    mapping = tree("u1", "u7<t9", "u8<u7", "t9<u8", "u2<t9", "a2<u2", "a5<a5")

    found = imported(tmp_path, chat(mapping, "u8"))

    assert parents(found) == {"u1": None, "u2": None, "a2": "u2"}
    assert marks(found) == {"u2": "t9"}
    assert found.head == "chatgpt/c1/u1"
    assert any("cycle" in warning and "'u7'" in warning for warning in found.warnings)


def test_a_chain_of_ten_thousand_with_a_fork_near_its_end(tmp_path: Path) -> None:
    links = ["u0", *(f"u{i}<u{i - 1}" for i in range(1, 10_000)), "a1<u9998"]
    random.Random(1).shuffle(links)

    found = imported(tmp_path, chat(tree(*links), "u9999"))

    assert len(found.turns) == 10_001
    assert parents(found)["u9999"] == parents(found)["a1"] == "u9998"


def test_a_chat_of_four_thousand_nodes_keeps_its_forty_forks(tmp_path: Path) -> None:
    names = [f"{'t' if i % 7 == 0 else 'u'}{i}" for i in range(1, 4001)]
    above = {names[i]: names[i - (3 if i % 100 == 99 else 1)] for i in range(1, 4000)}
    links = [names[0], *(f"{name}<{parent}" for name, parent in above.items())]

    found = imported(tmp_path, chat(tree(*links), names[-1]))

    walk = path_of(names[-1], {names[0]: None, **above})
    kept = [name for name in walk if name.startswith("u")]
    assert path_of(names[-1], parents(found)) == kept


def path_of(leaf: str | None, above: Mapping[str, str | None]) -> list[str]:
    path = []
    while leaf is not None:
        path.append(leaf)
        leaf = above[leaf]
    return path


NAMES = ["u1", "u2", "a1", "a2", "h1", "r1", "t1", "u3"]


@st.composite
def mappings(draw: st.DrawFn) -> Json:
    """Trees with forks, holes and cycles; in some of them a node lists no children."""
    above = st.sampled_from(["", "", "<gone", *(f"<{name}" for name in NAMES)])
    mapping = tree(*(name + draw(above) for name in NAMES), u2=USER | {"create_time": 7})
    draw(st.sampled_from(list(mapping.values())))["children"] = []
    return mapping


@settings(max_examples=200, deadline=None)
@given(mapping=mappings(), data=st.data())
def test_the_order_of_keys_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, mapping: Json, data: st.DataObject
) -> None:
    current = data.draw(st.sampled_from([None, *NAMES]))
    shuffled = dict(data.draw(st.permutations(list(mapping.items()))))
    path = tmp_path_factory.mktemp("shuffled") / "export.json"

    outcomes = [
        next(
            iter(read_export(written(path, chat(nodes, current, conversation_id=None)), "chatgpt"))
        )
        for nodes in (mapping, shuffled)
    ]

    assert as_set(outcomes[0]) == as_set(outcomes[1])


def as_set(outcome: ImportedConversation | SkippedConversation) -> object:
    if isinstance(outcome, SkippedConversation):
        return outcome
    turns = {turn.id: turn for turn in outcome.turns}
    assert all(turn.parent is None or turn.parent in turns for turn in outcome.turns)
    return outcome.id, outcome.head, turns


KEYS = ["role", "content_type", "parts", "text", "attachments", "children", "u1"]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab\x00", max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(KEYS), inner),
    max_leaves=4,
)
FIELDS = ["mapping", "title", "create_time", "conversation_id", "id", "current_node"]
INNER = ["message", "parent", "children", "author", "content", "metadata", "recipient", "parts"]


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_no_shape_of_a_conversation_sinks_the_file(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    odd = one_line()
    field, value = data.draw(st.sampled_from(INNER)), data.draw(ANYTHING)
    node = odd["mapping"]["u1"]
    content = node["message"]["content"] | {field: value}
    message = {"content": content} | {field: value}
    odd["mapping"]["u1"] = node | {"message": node["message"] | message} | {field: value}
    odd[data.draw(st.sampled_from(FIELDS))] = data.draw(ANYTHING)
    path = tmp_path_factory.mktemp("odd") / "export.json"

    outcomes = list(read_export(written(path, odd, one_line())))

    assert len(outcomes) == 2
    assert isinstance(outcomes[1], ImportedConversation)


# --- conversations that cannot be read, and their neighbours


@pytest.mark.parametrize("mapping", [None, [], "x", {}, {"r": None}, tree("s1")])
def test_a_conversation_without_messages_is_skipped_with_its_name(
    tmp_path: Path, mapping: Any
) -> None:
    outcomes = list(
        read_export(written(tmp_path / "x.json", chat(mapping, title="Broken"), one_line()))
    )

    bad, good = outcomes
    assert isinstance(bad, SkippedConversation)
    assert (bad.id, bad.title) == ("chatgpt/c1", "Broken")
    assert bad.reason
    assert isinstance(good, ImportedConversation)


def test_an_id_that_cannot_be_stored_skips_its_conversation_only(tmp_path: Path) -> None:
    bad = chat(tree("u\x00b"))

    outcomes = list(read_export(written(tmp_path / "x.json", bad, one_line())))

    assert [type(outcome).__name__ for outcome in outcomes] == [
        "SkippedConversation",
        "ImportedConversation",
    ]


def test_a_conversation_without_an_id_gets_one_that_stays(tmp_path: Path) -> None:
    first, other = (said("user", text, create_time=1) for text in ("hello", "another chat"))
    mapping = tree("u1", "a1<u1", u1=first)
    grown = tree("u1", "u0", "a1<u1", u1=first, u0=said("user", "edited", create_time=9))
    ids = [
        imported(tmp_path, chat(nodes, conversation_id=None, title=title)).id
        for nodes, title in ((mapping, "A"), (grown, "B"), (tree("u1", u1=other), "A"))
    ]

    assert ids[0].startswith("chatgpt/sha256-")
    assert ids[0] == ids[1] != ids[2]


def test_a_conversation_that_is_there_twice_comes_twice(tmp_path: Path) -> None:
    outcomes = list(read_export(written(tmp_path / "x.json", one_line(), one_line())))

    assert len(outcomes) == 2
    assert outcomes[0] == outcomes[1]


def test_do_not_remember_is_reported(tmp_path: Path) -> None:
    assert imported(tmp_path, one_line(is_do_not_remember=False)).warnings == ()
    [warning] = imported(tmp_path, one_line(is_do_not_remember=True)).warnings
    assert "not to remember" in warning
