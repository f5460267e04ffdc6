"""Forgetting: what is hidden, what comes back, what is gone for good, and what must stay."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graphmem import (
    BatchError,
    InvalidInputError,
    Memory,
    Record,
    Store,
    UnknownRecordError,
    UnknownTurnError,
)
from graphmem import _forgetting as forgetting
from graphmem._errors import PurgedError
from graphmem._forgetting import Forgotten, Purged
from graphmem._models import Reason
from graphmem.importers import import_export
from tests.chatgpt_export import chat, said, tree, written
from tests.forest import by_hand, dump, grow, texts

CANARY = "zanzibarcanary"


def revoke(memory: Memory, **named: list[str]) -> Forgotten:
    return memory.store.write(lambda tx: forgetting.revoke(tx, memory.space, **named))


def restore(memory: Memory, **named: list[str]) -> Forgotten:
    return memory.store.write(lambda tx: forgetting.restore(tx, memory.space, **named))


def purge(memory: Memory, **named: Any) -> Purged:
    return forgetting.purge(memory.store, memory.space, **named)


def rows(memory: Memory, cypher: str, **params: Any) -> list[dict[str, Any]]:
    with memory.store._session("read") as session:
        return session.run(cypher, {"space": memory.space, **params}).data()


def found(memory: Memory, word: str) -> list[Any]:
    """Return every property of the space's nodes and links that holds a word, lists included."""
    cypher = """
    MATCH (node) WHERE coalesce(node.space, node.id) = $space
    CALL (node) {
      RETURN node AS thing
      UNION
      MATCH (node)-[link]-() RETURN link AS thing
    }
    UNWIND keys(thing) AS key
    WITH key, thing[key] AS value
    WITH key, CASE WHEN valueType(value) STARTS WITH 'LIST' THEN value ELSE [value] END AS values
    UNWIND values AS value
    WITH key, toStringOrNull(value) AS value
    WHERE toLower(value) CONTAINS $word
    RETURN key, value
    """
    indexed = """
    CALL db.index.fulltext.queryNodes('record_text', $word) YIELD node
    WHERE node.space = $space
    RETURN node.id AS id
    """
    return rows(memory, cypher, word=word) + rows(memory, indexed, word=word)


def entities(memory: Memory) -> set[str]:
    cypher = "MATCH (entity:Entity {space: $space}) RETURN entity.key AS key"
    return {row["key"] for row in rows(memory, cypher)}


def give_vectors(memory: Memory) -> None:
    by_hand(memory, "MATCH (record:Fact {space: $space}) SET record.vector0 = [1.0, 0.0]")


# --- revoke and restore


def test_a_revoked_turn_hides_what_came_from_it_until_restored(memory: Memory) -> None:
    grow(memory, "u1 a1 u2")
    memory.remember("of u1", sources=["u1"])
    memory.remember("of both", sources=["u1", "u2"])
    memory.remember("of u2", sources=["u2"])
    assert revoke(memory, turns=["u1"]) == Forgotten(turns=1)
    assert texts(memory.at("u2").facts()) == {"of u2"}
    assert [turn.id for turn in memory.at("u2").path()] == ["a1", "u2"]
    assert restore(memory, turns=["u1"]) == Forgotten(turns=1)
    assert texts(memory.at("u2").facts()) == {"of u1", "of both", "of u2"}


def test_a_revoked_record_hides_what_is_built_from_it(memory: Memory) -> None:
    grow(memory, "u1")
    first = memory.remember("first", sources=["u1"])
    second = memory.remember("second", sources=[first], kind="summary")
    memory.remember("third", sources=[second], kind="summary")
    memory.remember("other", sources=["u1"], kind="summary")
    assert revoke(memory, records=[first.id]) == Forgotten(records=1)
    assert texts(memory.at("u1").visible()) == {"other"}
    assert memory.at("u1").explain(second.id).reasons[0].code == "revoked"
    restore(memory, records=[first.id])
    assert texts(memory.at("u1").visible()) == {"first", "second", "third", "other"}


def test_a_revoked_invalidation_makes_the_old_fact_current(memory: Memory) -> None:
    grow(memory, "u1 a1 u2")
    old = memory.remember("old", sources=["u1"])
    correction = memory.correct(old, "new", sources=["u2"])
    assert texts(memory.at("u2").facts()) == {"new"}
    revoke(memory, records=[correction.id])
    assert texts(memory.at("u2").facts()) == {"old", "new"}
    restore(memory, records=[correction.id])
    assert texts(memory.at("u2").facts()) == {"new"}


def test_to_revoke_and_restore_is_to_do_nothing(memory: Memory) -> None:
    grow(memory, "u1 a1 u2", "a1 u3", conversation="chat")
    fact = memory.relate("Ira", "leads", "Helix", sources=["u1"])
    correction = memory.correct(fact, "nobody leads Helix", sources=["u2"])
    before = dump(memory)
    named = {"turns": ["u1", "u3"], "records": [fact.id, correction.id]}
    assert revoke(memory, **named) == Forgotten(turns=2, records=2)
    revoked = dump(memory)
    assert revoked != before
    assert revoke(memory, **named) == Forgotten()
    assert dump(memory) == revoked
    assert restore(memory, **named) == Forgotten(turns=2, records=2)
    assert dump(memory) == before
    assert restore(memory, **named) == Forgotten()
    assert dump(memory) == before


def test_an_awaited_turn_arrives_revoked(memory: Memory) -> None:
    memory.add_turn("u2", role="user", text="late", parent="u1")
    memory.remember("early", sources=["u1"])
    revoke(memory, turns=["u1"])
    memory.add_turn("u1", role="user", text="first", parent=None)
    assert memory.at("u2").facts() == []
    restore(memory, turns=["u1"])
    assert texts(memory.at("u2").facts()) == {"early"}


@pytest.mark.parametrize("change", [revoke, restore, purge])
def test_what_is_unknown_is_named_and_nothing_is_touched(
    memory: Memory, make_memory: Callable[..., Memory], change: Callable[..., Any]
) -> None:
    grow(memory, "u1")
    fact = memory.remember("mine", sources=["u1"], id="f")
    other = make_memory()
    grow(other, "theirs")
    other.remember("theirs", sources=["theirs"], id="their-fact")
    before, theirs = dump(memory), dump(other)
    with pytest.raises(UnknownTurnError, match="'theirs'"):
        change(memory, turns=["u1", "theirs"], records=[fact.id])
    with pytest.raises(UnknownRecordError, match="'their-fact'"):
        change(memory, turns=["u1"], records=["their-fact", "f"])
    with pytest.raises(BatchError):
        change(memory, turns=["no"], records=["no"])
    with pytest.raises(InvalidInputError, match=r"write \['u1'\]"):
        change(memory, turns="u1")
    assert (dump(memory), dump(other)) == (before, theirs)


@pytest.mark.parametrize("change", [revoke, restore])
def test_what_is_purged_is_neither_revoked_nor_restored(
    memory: Memory, change: Callable[..., Forgotten]
) -> None:
    grow(memory, "u1 a1")
    fact = memory.remember("f", sources=["a1"])
    purge(memory, turns=["u1"], records=[fact.id])
    before = dump(memory)
    with pytest.raises(PurgedError, match="'u1'") as caught:
        change(memory, turns=["u1", "a1"])
    assert caught.value.id == "u1"
    with pytest.raises(PurgedError, match="was purged") as caught:
        change(memory, records=[fact.id], turns=["a1"])
    assert caught.value.id == fact.id
    assert dump(memory) == before


# --- purge


def secret_story(memory: Memory) -> None:
    """A fork at a1; u2 holds the canary wherever it can be, u2b does not."""
    grow(memory, "u1 a1", conversation="chat")
    memory.add_turn(
        "u2",
        role="user",
        text=f"My name is {CANARY} \ud83d",
        parent="a1",
        conversation="chat",
        properties={"note": CANARY, "tags": ["tag", CANARY]},
    )
    said = {"role": "assistant", "text": "Noted.", "conversation": "chat"}
    memory.add_turns(
        [
            {"id": "a2", "parent": "u2", **said},
            {"id": "u2b", "replaces": "u2", **said},
            {"id": "a2b", "replaces": "a2", "parent": "u2", **said},
        ]
    )
    memory.set_head("chat", "u2")
    name = memory.remember_all(
        [
            {
                "text": f"is called {CANARY}",
                "sources": [{"turn": "u2", "quote": CANARY}, "u1"],
                "mentions": [CANARY, "Ann"],
            }
        ]
    )[0]
    memory.remember(f"about {CANARY}", sources=[name, "a2"], kind="summary")
    memory.relate(CANARY, "knows", "Ben", sources=["u2"])
    memory.relate("Ann", "knows", "Ben", sources=["u1"])


def test_nothing_of_a_purged_turn_is_left(memory: Memory) -> None:
    secret_story(memory)
    give_vectors(memory)
    assert len(found(memory, CANARY)) > 10
    assert purge(memory, turns=["u2"]) == Purged(turns=1, records=3, entities=1, vectors=1)
    assert found(memory, CANARY) == []
    assert entities(memory) == {"ann", "ben"}
    assert texts(memory.at("a2").visible()) == {"Ann knows Ben"}
    [tombstone] = rows(
        memory,
        "MATCH (turn:Turn {space: $space, id: 'u2'}) "
        "RETURN labels(turn) AS labels, properties(turn) AS properties",
    )
    assert set(tombstone["labels"]) == {"Turn", "Purged"}
    structure = {"segment", "place", "continued"}
    assert tombstone["properties"].keys() - structure == {"space", "id", "contentHash"}
    assert tombstone["properties"]["contentHash"] == "purged"


def test_a_purged_turn_keeps_the_tree_connected(memory: Memory) -> None:
    secret_story(memory)
    before = {(turn.id, turn.parent, turn.replaces) for turn in memory.tree("chat").turns}
    purge(memory, turns=["u2"])
    tree_now = memory.tree("chat")
    assert {(turn.id, turn.parent, turn.replaces) for turn in tree_now.turns} == before
    assert (tree_now.head, tree_now.awaited) == ("u2", ())
    assert [turn.id for turn in memory.at("a2").path()] == ["u1", "a1", "a2"]
    memory.add_turn("u3", role="user", text="and on", parent="a2")
    memory.add_turn("u2c", role="user", text="again", replaces="u2")
    memory.remember("goes on", sources=["u1", "u3"])
    assert texts(memory.at("u3").facts()) == {"goes on"}
    assert memory.turn("u2c").parent == "a1"


def test_a_purged_turn_does_not_come_back(memory: Memory) -> None:
    secret_story(memory)
    turn = memory.turn("u2")
    purge(memory, turns=["u2"])
    before = dump(memory)
    with pytest.raises(PurgedError) as caught:
        memory.add_turns([turn, {"id": "new", "role": "user", "text": "new"}])
    assert caught.value.id == "u2"
    with pytest.raises(PurgedError):
        memory.remember(f"is called {CANARY}", sources=["u1", "u2"])
    assert dump(memory) == before


def test_the_same_claim_on_a_sibling_branch_survives(memory: Memory) -> None:
    grow(memory, "u1 a1 u2", "a1 u2b")
    memory.remember("likes tea", sources=["u1"])
    memory.remember("likes tea", sources=["u2"])
    memory.remember("likes tea", sources=["u2b"])
    assert memory.at("u2").facts()[0].supports == 2
    assert purge(memory, turns=["u2"]) == Purged(turns=1, records=1)
    [here], [there] = memory.at("u2").facts(), memory.at("u2b").facts()
    assert (here.supports, there.supports) == (1, 2)


def test_a_purged_correction_gives_the_old_fact_back(memory: Memory) -> None:
    grow(memory, "u1 a1 u2", "a1 u3")
    old = memory.remember("old", sources=["u1"])
    memory.correct(old, "new", sources=["u2"])
    memory.retract(old, sources=["u3"])
    assert purge(memory, turns=["u2"]) == Purged(turns=1, records=2)
    assert texts(memory.at("u2").facts()) == {"old"}
    assert memory.at("u3").facts() == []


def test_an_invalidation_without_a_target_goes_too(memory: Memory) -> None:
    grow(memory, "u1 a1 u2 a2")
    first = memory.remember("one", sources=["u1"])
    second = memory.remember("two", sources=["a1"])
    memory.retract(first, sources=["u2"])
    memory.retract([first, second], sources=["a2"])  # type: ignore[arg-type]
    assert purge(memory, turns=["u1"]) == Purged(turns=1, records=1, invalidations=1)
    assert memory.at("u2").visible() != []
    assert memory.at("a2").facts() == []
    assert len(rows(memory, "MATCH (one:Invalidation {space: $space}) RETURN one.id")) == 1
    assert purge(memory, records=[second.id]) == Purged(records=1, invalidations=1)
    assert rows(memory, "MATCH (one:Invalidation {space: $space}) RETURN one.id") == []


def test_an_invalidation_said_by_a_purged_turn_counts_as_a_record(memory: Memory) -> None:
    grow(memory, "u1 a1 u2")
    fact = memory.remember("f", sources=["u1"])
    memory.retract(fact, sources=["u2"])
    named = {"turns": ["u2"], "records": [fact.id]}
    foreseen = purge(memory, **named, dry_run=True)
    assert purge(memory, **named) == foreseen == Purged(turns=1, records=2)


def test_a_purged_record_leaves_a_bare_tombstone(memory: Memory) -> None:
    grow(memory, "u1 a1")
    fact = memory.remember(CANARY, sources=["u1"], mentions=[CANARY, "Ann"])
    summary = memory.remember(f"sum {CANARY}", sources=[fact, "a1"], kind="summary")
    memory.remember(f"sum of {CANARY}", sources=[summary], kind="summary")
    memory.remember("stays", sources=["u1"], mentions=["Ann"])
    memory.correct(fact, "stays too", sources=["a1"])
    give_vectors(memory)
    assert purge(memory, records=[fact.id]) == Purged(
        records=3, invalidations=1, entities=1, vectors=1
    )
    assert found(memory, CANARY) == []
    assert entities(memory) == {"ann"}
    assert texts(memory.at("a1").visible()) == {"stays", "stays too"}
    assert rows(
        memory,
        "MATCH (record:Purged {space: $space}) RETURN record.id AS id, labels(record) AS labels, "
        "COLLECT { UNWIND keys(record) AS key RETURN key ORDER BY key } AS keys, "
        "COUNT { (record)--() } AS links",
    ) == [
        {
            "id": fact.id,
            "labels": ["Record", "Purged"],
            "keys": ["contentHash", "id", "space"],
            "links": 0,
        }
    ]
    assert memory.at("a1").get(fact.id) is None
    with pytest.raises(PurgedError) as caught:
        memory.remember(CANARY, sources=["u1"])
    assert caught.value.id == fact.id
    with pytest.raises(PurgedError):
        memory.remember("built", sources=[fact])


def test_named_together_a_record_and_its_turn_leave_two_tombstones(memory: Memory) -> None:
    grow(memory, "u1 a1")
    fact = memory.remember("f", sources=["u1"])
    built = memory.remember("s", sources=[fact, "a1"], kind="summary")
    memory.remember("t", sources=[built], kind="summary")
    named = {"turns": ["u1"], "records": [built.id]}
    foreseen = purge(memory, **named, dry_run=True)
    assert purge(memory, **named) == foreseen == Purged(turns=1, records=3)
    left = rows(memory, "MATCH (record:Record {space: $space}) RETURN record.id AS id")
    assert left == [{"id": built.id}]


def test_purging_again_finds_nothing(memory: Memory) -> None:
    secret_story(memory)
    fact = memory.remember("f", sources=["u1"])
    named = {"turns": ["u2", "u2"], "records": [fact.id]}
    foreseen = purge(memory, **named, dry_run=True)
    assert foreseen == Purged(turns=1, records=4, entities=1)
    assert purge(memory, **named) == foreseen
    before = dump(memory)
    assert purge(memory, **named) == purge(memory, **named, dry_run=True) == Purged()
    assert purge(memory) == Purged()
    assert dump(memory) == before


def test_an_awaited_turn_can_be_purged_and_never_arrives(memory: Memory) -> None:
    memory.add_turn("u2", role="user", text="text of u2", parent="u1")
    memory.remember("early", sources=["u1"])
    assert purge(memory, turns=["u1"]) == Purged(turns=1, records=1)
    with pytest.raises(PurgedError):
        memory.add_turn("u1", role="user", text="text of u1", parent=None)
    memory.remember("stays", sources=["u2"])
    assert texts(memory.at("u2").facts()) == {"stays"}
    assert memory.turn("u2").parent == "u1"


def test_a_revoked_turn_can_be_purged(memory: Memory) -> None:
    grow(memory, "u1")
    fact = memory.remember("f", sources=["u1"])
    revoke(memory, turns=["u1"], records=[fact.id])
    assert purge(memory, turns=["u1"]) == Purged(turns=1, records=1)


# --- a purge in many steps


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Delete two nodes at a time."""
    monkeypatch.setattr(forgetting, "BATCH", 2)


def web(memory: Memory) -> dict[str, list[str]]:
    """Records of records, corrected and mentioned across any border between two batches."""
    grow(memory, "u1 a1 u2 a2")
    below = memory.remember("0", sources=["u1"], mentions=["zero", "all"])
    line = [below]
    for number in range(1, 8):
        sources: list[str | Record] = [*line[-2:], "a1"]
        mentions = [f"n{number % 3}", "all"]
        line.append(memory.remember(str(number), sources=sources, mentions=mentions))
    facts = [
        memory.remember(f"f{number}", sources=["u2"], mentions=[f"n{number}", "all"])
        for number in range(5)
    ]
    memory.retract(facts, sources=["a2"])  # type: ignore[arg-type]
    memory.retract(facts[0], sources=["u2"])
    memory.retract([line[2], line[5]], sources=["a2"])  # type: ignore[arg-type]
    memory.remember("kept", sources=["a2"], mentions=["all", "kept"])
    give_vectors(memory)
    return {"turns": ["u2"], "records": [line[1].id]}


@pytest.mark.usefixtures("small_steps")
def test_what_is_foreseen_is_done(memory: Memory) -> None:
    named = web(memory)
    before = dump(memory)
    foreseen = purge(memory, **named, dry_run=True)
    assert dump(memory) == before
    assert foreseen == Purged(turns=1, records=13, invalidations=2, entities=5, vectors=12)
    assert purge(memory, **named) == foreseen
    assert texts(memory.at("a2").visible()) == {"0", "kept"}
    assert entities(memory) == {"zero", "all", "kept"}


class CutOffError(Exception):
    """Stands for the end of the process."""


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("steps", range(1, 8))
def test_a_purge_that_was_cut_off_goes_on(
    memory: Memory, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = web(memory)
    foreseen = purge(memory, **named, dry_run=True)
    write, writes = memory.store.write, iter(range(steps))

    def write_some(work: Callable[..., Any]) -> Any:
        if next(writes, None) is None:
            raise CutOffError
        return write(work)

    with monkeypatch.context() as patched:
        patched.setattr(memory.store, "write", write_some)
        with pytest.raises(CutOffError):
            purge(memory, **named)
    assert texts(memory.at("a2").visible()) == {"0", "kept"}
    left = purge(memory, **named, dry_run=True)
    assert (left.turns, left.records < foreseen.records) == (0, True)
    assert purge(memory, **named) == left
    assert texts(memory.at("a2").visible()) == {"0", "kept"}
    assert entities(memory) == {"zero", "all", "kept"}
    assert purge(memory, **named) == Purged()
    assert rows(
        memory, "MATCH (record:Purged:Record {space: $space}) RETURN labels(record) AS labels"
    ) == [{"labels": ["Record", "Purged"]}]


@pytest.mark.usefixtures("small_steps")
def test_what_hangs_on_a_record_is_refused_once_that_is_purged(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(memory, "u1")
    line = [memory.remember("0", sources=["u1"])]
    for number in range(1, 6):
        line.append(memory.remember(str(number), sources=[line[-1]]))
    write, writes = memory.store.write, iter(range(100))

    def write_and_build(work: Callable[..., Any]) -> Any:
        done = write(work)
        if next(writes) == 0:
            with monkeypatch.context() as patched:
                patched.setattr(memory.store, "write", write)
                for record in line[1:]:
                    with pytest.raises(PurgedError, match=line[0].id):
                        memory.remember(f"late {record.text}", sources=[record])
            assert memory.at("u1").facts() == []
        return done

    with monkeypatch.context() as patched:
        patched.setattr(memory.store, "write", write_and_build)
        assert purge(memory, records=[line[0].id]) == Purged(records=6)
    assert memory.at("u1").facts() == []
    assert len(rows(memory, "MATCH (record:Record {space: $space}) RETURN record.id")) == 1


@pytest.mark.usefixtures("small_steps")
def test_what_hangs_on_a_purged_record_is_explained(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(memory, "u1")
    old = memory.remember("old", sources=["u1"])
    new = memory.remember("new", sources=[old])

    def cut_off(*_: Any) -> Any:
        raise CutOffError

    with monkeypatch.context() as patched:
        patched.setattr(forgetting, "_delete_dependents", cut_off)
        with pytest.raises(CutOffError):
            purge(memory, records=[old.id])
    hidden = memory.at("u1").explain(new.id)
    assert (hidden.visible, hidden.reasons) == (False, (Reason(code="purged", record=old.id),))


@pytest.mark.usefixtures("small_steps")
def test_records_arrive_during_a_purge(memory: Memory) -> None:
    grow(memory, " ".join(f"u{number}" for number in range(8)))
    for number in range(8):
        memory.remember(f"f{number}", sources=[f"u{number}"], mentions=["all"])
    failures: list[BaseException] = []

    def arrive() -> None:
        for number in range(30):
            try:
                memory.remember(f"late {number}", sources=["u0"], mentions=["all", "late"])
            except PurgedError:
                continue
            except BaseException as error:
                failures.append(error)

    thread = threading.Thread(target=arrive)
    thread.start()
    purge(memory, turns=[f"u{number}" for number in range(8)])
    thread.join()
    assert failures == []
    assert memory.at("u7").facts() == []
    purge(memory, turns=["u0"])
    assert entities(memory) == set()


# --- a whole space


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("cut_off", [False, True])
def test_a_forgotten_space_is_gone_and_its_neighbour_untouched(
    make_memory: Callable[..., Memory], cut_off: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, neighbour = make_memory(), make_memory()
    for one in (memory, neighbour):
        secret_story(one)
        give_vectors(one)
        purge(one, turns=["a2"])
    before, space, store = dump(neighbour), memory.space, memory.store
    holds = dump(memory)
    foreseen = forgetting.forget_space(store, space, dry_run=True)
    assert foreseen == Purged(turns=6, records=3, entities=3, vectors=1, conversations=1)
    assert dump(memory) == holds
    done = Purged()
    if cut_off:
        write, writes = store.write, iter(range(3))
        with monkeypatch.context() as patched:
            patched.setattr(store, "write", lambda work: write(work) if next(writes) < 2 else 1 / 0)
            with pytest.raises(ZeroDivisionError):
                forgetting.forget_space(store, space)
        assert dump(memory)
        done = Purged(records=3, entities=1, vectors=1)
    heard: list[tuple[int, int]] = []
    left = forgetting.forget_space(store, space, progress=lambda *step: heard.append(step))
    assert forgetting._sum([done, left]) == foreseen
    nodes = 13 - done.records - done.entities
    assert heard[-1] == (nodes, nodes)
    assert dump(memory) == []
    assert rows(memory, "MATCH (space:Space {id: $space}) RETURN space") == []
    assert dump(neighbour) == before
    assert forgetting.forget_space(store, space) == Purged()
    secret_story(memory)
    assert texts(memory.at("u2b").facts()) == set()
    assert len(texts(memory.at("a2").visible())) == 4


def test_a_purge_looks_at_its_own_space(
    memory: Memory, make_memory: Callable[..., Memory], store: Store
) -> None:
    other = make_memory()
    for one in (memory, other):
        secret_story(one)
    before = dump(other)
    purge(memory, turns=["u2"], records=[])
    assert dump(other) == before
    assert len(found(other, CANARY)) > 10


# --- importing again


def test_an_import_leaves_purged_turns_purged(memory: Memory, tmp_path: Path) -> None:
    mapping = tree(
        "u1", "a1<u1", "u2<a1", "u3<a1", u1=said("user", f"I am {CANARY}. I like tea."), u3=None
    )
    file = written(tmp_path / "export.json", chat(mapping, "u2"))
    assert import_export(memory, file).conversations[0].facts == 4
    purge(memory, turns=["chatgpt/c1/u1"])
    before = dump(memory)

    again = import_export(memory, file).conversations[0]

    assert (again.skipped, again.new, again.known, again.facts) == (None, 0, 2, 2)
    assert [warning for warning in again.warnings if "purged" in warning]
    assert dump(memory) == before
    assert found(memory, CANARY) == []
    mapping = tree("u1", "a1<u1", "u2<a1", "u4<a1", u1=said("user", f"I am {CANARY}. I like tea."))
    longer = import_export(memory, written(tmp_path / "export.json", chat(mapping, "u4")))
    assert (longer.conversations[0].new, longer.complete) == (1, True)
    assert texts(memory.at("chatgpt/c1/u4").facts()) == {
        "How do you like it?",
        "I moved to Chengdu.",
    }


def test_an_import_leaves_a_purged_sentence_purged(memory: Memory, tmp_path: Path) -> None:
    text = f"I am {CANARY}. I like tea."
    mapping = tree("u1", "a1<u1", u1=said("user", text))
    file = written(tmp_path / "export.json", chat(mapping, "a1"))
    import_export(memory, file)
    [fact] = [fact for fact in memory.at("chatgpt/c1/u1").facts() if CANARY in fact.text]
    purge(memory, records=[fact.id])

    again = import_export(memory, file).conversations[0]

    assert again.skipped is None
    assert texts(memory.at("chatgpt/c1/a1").facts()) == {"I like tea.", "How do you like it?"}
