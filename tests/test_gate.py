"""What is visible at an anchor, and why the rest is not. Each leak test has its keep twin."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from graphmem import (
    InvalidInputError,
    Memory,
    Reason,
    Source,
    UnknownRecordError,
    UnknownTurnError,
)
from tests.forest import by_hand, grow, texts


def test_an_edit_hides_what_the_old_version_said_and_going_back_shows_it(memory: Memory) -> None:
    memory.add_turn("u1", role="user", text="I'm moving to Chengdu next month.")
    memory.remember("moves to Chengdu", sources=["u1"])
    memory.add_turn("u2", role="user", text="I'm moving to Hangzhou next month.", replaces="u1")
    memory.remember("moves to Hangzhou", sources=["u2"])
    assert texts(memory.at("u2").facts()) == {"moves to Hangzhou"}
    assert texts(memory.at("u1").facts()) == {"moves to Chengdu"}


def test_a_regenerated_answer_is_not_heard_of_again(memory: Memory) -> None:
    grow(memory, "u1 a1")
    memory.add_turn("a1b", role="assistant", text="In the clock.", replaces="a1")
    memory.remember("the key is under the mat", sources=["a1"])
    memory.remember("the key is in the clock", sources=["a1b"])
    assert texts(memory.at("a1b").facts()) == {"the key is in the clock"}
    assert texts(memory.at("a1").facts()) == {"the key is under the mat"}
    assert memory.at("u1").facts() == []


def test_a_summary_that_holds_a_discarded_answer_is_hidden_at_the_question(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2")
    memory.remember("about a1", sources=["u1", "a1"], kind="summary")
    memory.remember("about a2", sources=["u1", "a1", "u2", "a2"], kind="summary")
    assert texts(memory.at("u2").summaries()) == {"about a1"}
    assert texts(memory.at("a2").summaries()) == {"about a1", "about a2"}


def test_the_path_holds_no_sibling_however_new(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2", "a1 u3 a3")
    assert [turn.id for turn in memory.at("a2").path()] == ["u1", "a1", "u2", "a2"]


def test_a_fork_inherits_the_shared_prefix(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2 u3 a3", "a2 u3b")
    for turn in ("u1", "u2", "a3"):
        memory.remember(f"fact of {turn}", sources=[turn])
    assert texts(memory.at("u3b").facts()) == {"fact of u1", "fact of u2"}
    assert texts(memory.at("a3").facts()) == {"fact of u1", "fact of u2", "fact of a3"}


def test_no_anchor_shows_nothing_and_an_unknown_one_is_an_error(memory: Memory) -> None:
    grow(memory, "u1")
    record = memory.remember("kept", sources=["u1"])
    nowhere = memory.at(None)
    reads = (nowhere.facts(), nowhere.path(), nowhere.cypher("RETURN fact.text"))
    assert reads == ([], [], [])
    assert nowhere.get(record.id) is None
    assert nowhere.explain(record.id).reasons == (Reason(code="no_anchor"),)
    unknown = memory.at("u9")
    for read in (unknown.facts, unknown.path, unknown.summaries, lambda: unknown.get(record.id)):
        with pytest.raises(UnknownTurnError, match="u9"):
            read()
    for cypher in ("RETURN fact.text", "RETURN count(fact) AS n"):
        with pytest.raises(UnknownTurnError, match="u9"):
            unknown.cypher(cypher)
    with pytest.raises(UnknownTurnError, match="u9"):
        unknown.explain(record.id)
    assert texts(memory.at("u1").facts()) == {"kept"}


def test_an_empty_view_of_a_known_anchor_is_no_error(memory: Memory) -> None:
    grow(memory, "u1")
    assert memory.at("u1").facts() == []
    assert memory.at("u1", scope="space").facts() == []


def test_an_awaited_source_hides_the_record_until_it_comes(memory: Memory) -> None:
    grow(memory, "u1")
    memory.add_turn("u2", role="user", text="later", parent="a1")
    record = memory.remember("said in a1", sources=["a1"])
    assert memory.at("u2").facts() == []
    assert memory.at("u2").explain(record.id).reasons == (Reason(code="awaited", source="a1"),)
    with pytest.raises(UnknownTurnError, match="has not arrived"):
        memory.at("a1").facts()
    memory.add_turn("a1", role="assistant", text="now", parent="u1")
    assert texts(memory.at("u2").facts()) == texts(memory.at("a1").facts()) == {"said in a1"}


def test_sources_on_two_branches_are_reported_and_seen_nowhere(memory: Memory) -> None:
    grow(memory, "u1 a1 u2", "a1 u3")
    record = memory.remember("of both", sources=["u2", "u3"])
    assert record.unreachable
    for turn in ("u1", "a1", "u2", "u3"):
        assert memory.at(turn).facts() == []
    explanation = memory.at("u2").explain(record.id)
    assert explanation.unreachable
    assert explanation.reasons == (Reason(code="off_path", source="u3", fork="a1"),)
    assert not memory.remember("of one", sources=["u1", "u2"]).unreachable
    assert texts(memory.at("u2").facts()) == {"of one"}


def test_unreachable_waits_for_what_may_still_join_the_branches(memory: Memory) -> None:
    grow(memory, "u1 a1")
    memory.add_turn("u3", role="user", text="late", parent="gap")
    record = memory.remember("of both ends", sources=["a1", "u3"])
    assert not record.unreachable
    assert memory.at("u3").facts() == []
    memory.add_turn("gap", role="assistant", text="between", parent="a1")
    assert texts(memory.at("u3").facts()) == {"of both ends"}


def test_two_first_messages_never_join(memory: Memory) -> None:
    grow(memory, "u1", "u2")
    assert memory.remember("of both", sources=["u1", "u2"]).unreachable


def test_explain_names_the_fork(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2", "a1 u3", "w1")
    record = memory.remember("said in a2", sources=["u1", "a2"])
    hidden = memory.at("u3").explain(record.id)
    assert not hidden.visible
    assert hidden.reasons == (Reason(code="off_path", source="a2", fork="a1"),)
    assert memory.at("a1").explain(record.id).reasons[0].fork == "a1"
    assert {reason.fork for reason in memory.at("w1").explain(record.id).reasons} == {None}
    shown = memory.at("a2").explain(record.id)
    assert (shown.visible, shown.reasons) == (True, ())


def test_a_lost_source_hides_the_record(memory: Memory) -> None:
    grow(memory, "u1 a1")
    record = memory.remember("of two", sources=["u1", "a1"])
    assert memory.at("a1").explain(record.id).visible
    by_hand(memory, "MATCH (:Record {space: $space})-[link:DERIVED_FROM]->({id: 'u1'}) DELETE link")
    assert memory.at("a1").facts() == []
    assert memory.at("a1").explain(record.id).reasons == (Reason(code="lost", source="u1"),)


def test_a_source_added_by_hand_counts(memory: Memory) -> None:
    grow(memory, "u1 a1", "u1 a2")
    record = memory.remember("of one", sources=["a1"])
    by_hand(
        memory,
        "MATCH (record:Record {space: $space}), (turn:Turn {space: $space, id: 'a2'}) "
        "CREATE (record)-[:DERIVED_FROM]->(turn)",
    )
    assert memory.at("a1").facts() == []
    assert memory.at("a1").explain(record.id).reasons[0].source == "a2"


def test_a_record_without_sources_is_hidden_everywhere(memory: Memory) -> None:
    grow(memory, "u1")
    memory.remember("kept", sources=["u1"])
    by_hand(
        memory,
        "CREATE (:Record:Fact "
        "{space: $space, id: 'bare', kind: 'fact', text: 'bare', sourceIds: []})",
    )
    assert texts(memory.at("u1").facts()) == {"kept"}
    assert memory.at("u1").explain("bare").reasons == (Reason(code="no_source"),)


def test_equal_claims_collapse_and_count_their_supports(memory: Memory) -> None:
    grow(memory, "u1 a1 u2", "a1 u3")
    first = memory.remember("likes tea", sources=[Source(turn="u1", quote="tea")])
    second = memory.remember("likes tea", sources=["u2"])
    memory.remember("likes tea", sources=["u3"])
    [claim] = memory.at("u2").facts()
    assert (claim.id, claim.supports, claim.records) == (first.id, 2, (first.id, second.id))
    assert claim.sources == (Source(turn="u1", quote="tea"), Source(turn="u2"))
    [alone] = memory.at("u1").facts()
    assert alone.supports == 1


def test_facts_come_in_the_order_of_the_path_whatever_the_clocks_say(memory: Memory) -> None:
    grow(memory, "u1 a1 u2")
    for turn in ("u2", "u1", "a1"):
        memory.remember(f"fact of {turn}", sources=[turn])
    memory.remember("the end of u1", sources=[Source(turn="u1", start=9, end=12)])
    memory.remember("the start of u1", sources=[Source(turn="u1", start=2, end=4)])
    shown = [fact.text for fact in memory.at("u2").facts() if "of u1" in fact.text]
    assert shown.index("the start of u1") < shown.index("the end of u1")
    rest = [fact.text for fact in memory.at("u2").facts() if fact.text.startswith("fact")]
    assert rest == ["fact of u1", "fact of a1", "fact of u2"]


def test_get_is_gated(memory: Memory) -> None:
    grow(memory, "u1 a1", "u1 a2")
    record = memory.remember("of a1", sources=["a1"])
    assert memory.at("a1").get(record.id) == record
    assert memory.at("a2").get(record.id) is None
    assert memory.at("a1").get("no such record") is None
    with pytest.raises(UnknownRecordError, match="no such record"):
        memory.at("a1").explain("no such record")


def test_an_invalidation_names_only_what_is_visible(memory: Memory) -> None:
    grow(memory, "u1 u2", "u1 u2b")
    here = memory.remember("of u1", sources=["u1"])
    there = memory.remember("of u2b", sources=["u2b"])
    said = memory.correct(there, "of u1 and more", sources=["u1"])
    assert said.replacement
    hers = memory.retract(here, sources=["u2"])

    def named(anchor: str, record: str) -> tuple[tuple[str, ...], str | None]:
        seen = memory.at(anchor).get(record)
        assert seen
        return seen.invalidates, seen.replaced_by

    assert named("u2", hers.id) == ((here.id,), None)
    assert named("u2", said.id) == ((), said.replacement.id)
    assert named("u2b", said.id) == ((there.id,), said.replacement.id)
    memory.revoke(records=[said.replacement.id])
    assert named("u2", said.id) == ((), None)


def test_diff_shows_what_each_side_has_alone(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2", "a1 u3 a3")
    for text, turn in (
        ("shared", "u1"),
        ("left", "u2"),
        ("right", "a3"),
        ("same", "u2"),
        ("same", "u3"),
    ):
        memory.remember(text, sources=[turn])
    memory.remember("shared", sources=["a3"])
    difference = memory.at("a2").diff("a3")
    assert difference.fork == "a1"
    assert texts(difference.only_a) == {"left"}
    assert texts(difference.only_b) == {"right"}
    back = memory.at("a3").diff("a2")
    assert (back.only_a, back.only_b) == (difference.only_b, difference.only_a)
    ahead = memory.at("a1").diff("a2")
    assert (ahead.fork, ahead.only_a, texts(ahead.only_b)) == ("a1", (), {"left", "same"})
    with pytest.raises(UnknownTurnError, match="nowhere"):
        memory.at("a1").diff("nowhere")


def test_diff_of_two_trees_has_no_fork(memory: Memory) -> None:
    grow(memory, "u1", "w1")
    memory.remember("left", sources=["u1"])
    memory.remember("right", sources=["w1"])
    difference = memory.at("u1").diff("w1")
    assert difference.fork is None
    assert (texts(difference.only_a), texts(difference.only_b)) == ({"left"}, {"right"})


def test_fork_point(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2", "a1 u3", "w1")
    assert memory.at("a2").fork_point("u3") == "a1"
    assert memory.at("a2").fork_point("u1") == "u1"
    assert memory.at("a2").fork_point("a2") == "a2"
    assert memory.at("a2").fork_point("w1") is None


def test_branches_name_leaf_fork_and_length(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2", "a1 u3", conversation="c")
    memory.set_head("c", "u3")
    found = {branch.leaf: branch for branch in memory.branches("c")}
    assert (found["a2"].fork, found["a2"].turns, found["a2"].head) == ("a1", 2, False)
    assert (found["u3"].fork, found["u3"].turns, found["u3"].head) == ("a1", 1, True)


def test_the_space_scope_adds_heads_of_other_trees_only(memory: Memory) -> None:
    grow(memory, "u1 a1 u2", "a1 u3", conversation="mine")
    grow(memory, "v1 v2", "v1 v3", conversation="other")
    memory.set_head("mine", "u3")
    memory.set_head("other", "v2")
    for turn in ("u1", "u2", "u3", "v1", "v2", "v3"):
        memory.remember(f"fact of {turn}", sources=[turn])
    wide = memory.at("u2", scope="space")
    assert texts(wide.facts()) == {"fact of u1", "fact of u2", "fact of v1", "fact of v2"}
    assert texts(memory.at("u2").facts()) == {"fact of u1", "fact of u2"}


def test_a_linear_history_loses_nothing_in_the_space_scope(memory: Memory) -> None:
    grow(memory, "u1 a1", conversation="first")
    grow(memory, "v1 b1", conversation="second")
    for turn in ("u1", "a1", "v1", "b1"):
        memory.remember(f"fact of {turn}", sources=[turn])
    wide = memory.at("b1", scope="space")
    assert [fact.text for fact in wide.facts()] == [
        "fact of v1",
        "fact of b1",
        "fact of u1",
        "fact of a1",
    ]


def test_a_conversation_with_two_leaves_and_no_head_stays_out(memory: Memory) -> None:
    grow(memory, "u1", conversation="mine")
    grow(memory, "v1 v2", "v1 v3", conversation="other")
    memory.remember("fact of v1", sources=["v1"])
    assert memory.at("u1", scope="space").facts() == []
    memory.set_head("other", "v3")
    assert texts(memory.at("u1", scope="space").facts()) == {"fact of v1"}


@pytest.mark.parametrize("linked", [True, False], ids=["with replaces", "same conversation only"])
def test_an_edited_first_message_is_no_other_tree(memory: Memory, linked: bool) -> None:
    memory.add_turn("u1", role="user", text="Chengdu", conversation="trip")
    memory.add_turn(
        "u2",
        role="user",
        text="Hangzhou",
        parent=None,
        replaces="u1" if linked else None,
        conversation="trip" if not linked else "copy of trip",
    )
    memory.set_head("trip", "u1")
    memory.remember("moves to Chengdu", sources=["u1"])
    memory.remember("moves to Hangzhou", sources=["u2"])
    assert texts(memory.at("u2", scope="space").facts()) == {"moves to Hangzhou"}
    assert texts(memory.at("u1", scope="space").facts()) == {"moves to Chengdu"}


def test_a_tree_whose_root_is_awaited_is_not_taken_for_another(memory: Memory) -> None:
    grow(memory, "u1 a1", conversation="mine")
    memory.add_turn("v2", role="user", text="cut off", parent="gap", conversation="other")
    memory.set_head("other", "v2")
    memory.remember("fact of v2", sources=["v2"])
    memory.remember("fact of a1", sources=["a1"])
    assert texts(memory.at("a1", scope="space").facts()) == {"fact of a1"}
    assert texts(memory.at("v2", scope="space").facts()) == {"fact of v2"}
    memory.add_turn("gap", role="assistant", text="root after all", parent=None)
    assert texts(memory.at("a1", scope="space").facts()) == {"fact of a1", "fact of v2"}


def test_scope_and_kinds_are_checked(memory: Memory) -> None:
    with pytest.raises(InvalidInputError, match="scope"):
        memory.at("u1", scope="everything")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="opinion"):
        memory.at("u1").visible(kinds=["opinion"])  # type: ignore[list-item]


def test_one_visible_fact_among_many_hidden_ones(memory: Memory) -> None:
    grow(memory, "u1 a1 u2", "a1 u3")
    memory.remember_all({"text": f"hidden {number}", "sources": ["u3"]} for number in range(2000))
    memory.remember("the one", sources=["u2"])
    assert texts(memory.at("u2").facts()) == {"the one"}
    assert len(memory.at("u3").facts()) == 2000


def test_spaces_do_not_see_each_other(make_memory: Callable[..., Memory]) -> None:
    ann, bob = make_memory(), make_memory()
    for memory, liking in ((ann, "plums"), (bob, "chess")):
        memory.add_turn("u1", role="user", text=f"Kim likes {liking}", conversation="c")
        memory.remember(f"Kim likes {liking}", sources=["u1"], id=f"likes {liking}")
        memory.set_head("c", "u1")
    for memory, own, foreign in ((ann, "plums", "chess"), (bob, "chess", "plums")):
        for scope in ("path", "space"):
            view = memory.at("u1", scope=scope)
            assert texts(view.facts()) == {f"Kim likes {own}"}
            assert view.get(f"likes {foreign}") is None
            with pytest.raises(UnknownRecordError):
                view.explain(f"likes {foreign}")
        assert memory.tree("c").turns[0].text == f"Kim likes {own}"
        assert len(memory.conversations()) == 1


def test_a_link_into_another_space_shows_nothing(make_memory: Callable[..., Memory]) -> None:
    ann, bob = make_memory(), make_memory()
    grow(ann, "u1")
    grow(bob, "v1")
    record = bob.remember("bob's", sources=["v1"])
    by_hand(
        bob,
        "MATCH (record:Record {space: $space}), (turn:Turn {space: $other, id: 'u1'}) "
        "MATCH (record)-[old:DERIVED_FROM]->() DELETE old "
        "CREATE (record)-[:DERIVED_FROM]->(turn)",
        other=ann.space,
    )
    assert ann.at("u1").facts() == []
    assert bob.at("v1").facts() == []
    assert {reason.code for reason in bob.at("v1").explain(record.id).reasons} == {
        "lost",
        "other_space",
    }


def test_diff_of_two_children_of_an_awaited_turn(memory: Memory) -> None:
    for turn in ("a", "b"):
        memory.add_turn(turn, role="user", text=turn, parent="gap")
        memory.remember(f"fact of {turn}", sources=[turn])
    difference = memory.at("a").diff("b")
    assert (difference.fork, texts(difference.only_a)) == ("gap", {"fact of a"})
    assert texts(difference.only_b) == {"fact of b"}
    for a, b in (("a", "gap"), ("gap", "a")):
        with pytest.raises(UnknownTurnError, match="gap"):
            memory.at(a).fork_point(b)


def test_a_version_that_became_a_root_of_its_own_is_no_other_tree(memory: Memory) -> None:
    grow(memory, "sys u1 a1", conversation="one")
    memory.add_turn(
        "u1b", role="user", text="edited", parent=None, replaces="u1", conversation="two"
    )
    memory.add_turn("a1b", role="assistant", text="new", parent="u1b", conversation="two")
    grow(memory, "v1", conversation="other")
    for turn in ("a1", "a1b", "v1"):
        memory.remember(f"fact of {turn}", sources=[turn])
    assert texts(memory.at("a1", scope="space").facts()) == {"fact of a1", "fact of v1"}
    assert texts(memory.at("a1b", scope="space").facts()) == {"fact of a1b", "fact of v1"}


def test_a_branch_in_a_new_chat_is_no_other_tree(memory: Memory) -> None:
    grow(memory, "u1 a1", "x1 y1", conversation="one")
    memory.set_head("one", "a1")
    memory.add_turn("n1", role="user", text="on", parent="y1", conversation="two")
    grow(memory, "v1", conversation="other")
    for turn in ("a1", "y1", "n1", "v1"):
        memory.remember(f"fact of {turn}", sources=[turn])
    assert texts(memory.at("a1", scope="space").facts()) == {"fact of a1", "fact of v1"}
    assert texts(memory.at("n1", scope="space").facts()) == {
        "fact of y1",
        "fact of n1",
        "fact of v1",
    }


def test_a_record_under_two_heads_of_another_tree_is_shown_once(memory: Memory) -> None:
    grow(memory, "r1 a1", conversation="one")
    memory.add_turn("c1", role="user", text="fork", parent="r1", conversation="two")
    grow(memory, "v1", conversation="mine")
    for turn in ("r1", "a1", "c1", "v1"):
        memory.remember(f"fact of {turn}", sources=[turn])
    wide = memory.at("v1", scope="space")
    [shared] = [fact for fact in wide.facts() if fact.text == "fact of r1"]
    assert shared.supports == 1
    assert texts(wide.facts()) == {"fact of v1", "fact of r1", "fact of a1", "fact of c1"}
    rows = wide.cypher("RETURN fact.text AS text, anchor.id AS anchor")
    assert len(rows) == 4
    assert {row["anchor"] for row in rows} == {"v1"}


def test_what_someone_added_by_hand_breaks_no_read(memory: Memory) -> None:
    grow(memory, "u1 a1", conversation="c")
    memory.remember("kept", sources=["u1"])
    by_hand(
        memory,
        "MATCH (turn:Turn {space: $space, id: 'u1'})<-[link:DERIVED_FROM]-() "
        "SET link.confidence = 0.5, turn.`x_my prop` = 1 REMOVE turn.role",
    )
    assert texts(memory.at("a1").facts()) == {"kept"}
    assert memory.at("a1").path()[0].properties == {"my prop": 1}
    assert len(memory.tree("c").turns) == 2


def test_a_record_without_its_list_of_sources_is_hidden_and_explained(memory: Memory) -> None:
    grow(memory, "u1")
    record = memory.remember("kept", sources=["u1"])
    assert memory.at("u1").explain(record.id).visible
    by_hand(memory, "MATCH (record:Record {space: $space}) REMOVE record.sourceIds")
    assert memory.at("u1").facts() == []
    assert memory.at("u1").explain(record.id).reasons == (Reason(code="no_source"),)


def test_a_parent_in_another_space_is_not_followed(make_memory: Callable[..., Memory]) -> None:
    ann, bob = make_memory(), make_memory()
    grow(ann, "u1")
    grow(bob, "v1")
    by_hand(
        bob,
        "MATCH (mine:Turn {space: $space, id: 'v1'}), (other:Turn {space: $other, id: 'u1'}) "
        "CREATE (mine)-[:PARENT]->(other)",
        other=ann.space,
    )
    assert [turn.id for turn in bob.at("v1").path()] == ["v1"]


def test_a_second_link_to_the_same_id_elsewhere_is_explained(
    make_memory: Callable[..., Memory],
) -> None:
    ann, bob = make_memory(), make_memory()
    grow(ann, "u1")
    grow(bob, "u1")
    record = bob.remember("kept", sources=["u1"])
    assert bob.at("u1").explain(record.id).visible
    by_hand(
        bob,
        "MATCH (record:Record {space: $space}), (turn:Turn {space: $other, id: 'u1'}) "
        "CREATE (record)-[:DERIVED_FROM]->(turn)",
        other=ann.space,
    )
    assert bob.at("u1").facts() == []
    assert bob.at("u1").explain(record.id).reasons == (Reason(code="other_space", source="u1"),)
