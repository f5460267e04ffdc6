"""Segments: the index of places says of every turn the same path as ``PARENT``."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from graphmem import CycleError, Memory, SecondParentError
from tests.forest import by_hand, grow, look

Spots = dict[str, tuple[int, int]]


def checked(memory: Memory) -> Spots:
    """Return where the turns of a space are; fail unless that leads to the same paths as PARENT."""
    turns = look(
        memory,
        """
        MATCH (turn:Turn) WHERE turn.space = $space
        OPTIONAL MATCH (turn)-[:PARENT]->(parent)
        RETURN turn.id AS id, turn.segment AS segment, turn.place AS place, parent.id AS parent,
          turn.continued AS continued
        """,
    )
    above = {
        row["id"]: (row["above"], row["leavesAt"])
        for row in look(
            memory,
            """
            MATCH (segment:Segment) WHERE segment.space = $space
            OPTIONAL MATCH (segment)-[:ABOVE]->(above)
            RETURN segment.id AS id, above.id AS above, segment.leavesAt AS leavesAt
            """,
        )
    }
    parents = {row["id"]: row["parent"] for row in turns}
    spots: Spots = {row["id"]: (row["segment"], row["place"]) for row in turns}
    at = {spot: id for id, spot in spots.items()}
    assert len(parents) == len(turns), "a turn has two parents"
    assert len(at) == len(spots), "two turns are at one place"
    for row in turns:
        segment, place = spots[row["id"]]
        assert bool(row["continued"]) == ((segment, place + 1) in at)
        assert by_places(segment, place, above, spots) == by_parents(row["id"], parents)
    return spots


def by_parents(turn: str | None, parents: dict[str, str | None]) -> set[str]:
    path = set()
    while turn is not None:
        path.add(turn)
        turn = parents[turn]
    return path


def by_places(
    segment: int | None, reach: int, above: dict[int, tuple[int | None, int]], spots: Spots
) -> set[str]:
    path: set[str] = set()
    while segment is not None:
        path |= {id for id, (own, place) in spots.items() if own == segment and place <= reach}
        segment, reach = above.get(segment, (None, 0))
    return path


def runs(memory: Memory) -> list[str]:
    """Return the segments as the turns on them, in order."""
    spots = sorted(checked(memory).items(), key=lambda item: item[1])
    grouped = itertools.groupby(spots, key=lambda item: item[1][0])
    return sorted(" ".join(id for id, _ in group) for _, group in grouped)


def turn(id: str, parent: str | None = None) -> dict[str, Any]:
    return {"id": id, "role": "user", "text": f"text of {id}", "parent": parent}


def one_by_one(memory: Memory, turns: Iterable[dict[str, Any]]) -> None:
    for one in turns:
        memory.add_turns([one])


def test_a_chain_is_one_segment(memory: Memory) -> None:
    grow(memory, "t1 t2 t3")
    one_by_one(memory, [turn("t4", "t3"), turn("t5", "t4")])
    assert runs(memory) == ["t1 t2 t3 t4 t5"]
    spots = checked(memory)
    assert [spots[f"t{number}"][1] for number in range(1, 6)] == [0, 1, 2, 3, 4]


def test_a_fork_starts_another_segment(memory: Memory) -> None:
    grow(memory, "t1 t2 t3")
    one_by_one(memory, [turn("f3", "t2"), turn("f4", "f3"), turn("g3", "t2"), turn("t4", "t3")])
    assert runs(memory) == ["f3 f4", "g3", "t1 t2 t3 t4"]
    one_by_one(memory, [turn("h5", "f4"), turn("h5b", "f4")])
    assert runs(memory) == ["f3 f4 h5", "g3", "h5b", "t1 t2 t3 t4"]


def test_a_late_parent_does_not_move_its_children(memory: Memory) -> None:
    one_by_one(memory, [turn("t3", "t2"), turn("t4", "t3")])
    before = checked(memory)
    one_by_one(memory, [turn("t2", "t1")])
    after = checked(memory)
    assert {id: after[id] for id in before} == before
    one_by_one(memory, [turn("t1")])
    assert {id: checked(memory)[id] for id in after} == after
    one_by_one(memory, [turn("t5", "t4"), turn("f2", "t1")])
    assert [one.id for one in memory.at("t5").path()] == ["t1", "t2", "t3", "t4", "t5"]
    checked(memory)


def test_a_placeholder_keeps_its_place_when_it_is_filled(memory: Memory) -> None:
    memory.remember("early", sources=["t2"])  # a placeholder that nothing follows
    one_by_one(memory, [turn("t1")])
    before = checked(memory)
    one_by_one(memory, [turn("t2", "t1"), turn("t3", "t2")])
    after = checked(memory)
    assert {id: after[id] for id in before} == before
    assert [fact.text for fact in memory.at("t3").facts()] == ["early"]
    assert memory.at("t1").facts() == []


def test_versions_and_purged_turns_keep_the_index_whole(memory: Memory) -> None:
    grow(memory, "t1 t2 t3")
    memory.add_turn("t2b", role="user", text="other", replaces="t2")
    memory.purge(turns=["t2"])
    memory.revoke(turns=["t1"])
    one_by_one(memory, [turn("t4", "t3"), turn("f3", "t2")])
    assert runs(memory) == ["f3", "t1 t2 t3 t4", "t2b"]


def test_what_is_refused_leaves_no_trace(memory: Memory) -> None:
    grow(memory, "t1 t2", "x3 x4")
    before = checked(memory)
    with pytest.raises(SecondParentError):
        memory.add_turns([turn("t3", "t2"), turn("t2", None)])
    with pytest.raises(CycleError):
        memory.add_turns([turn("y1", "y2"), turn("y2", "y1")])
    assert checked(memory) == before
    one_by_one(memory, [turn("t3", "t2")])
    assert "t1 t2 t3" in runs(memory)


TREE = [("a", None), ("b", "a"), ("c", "b"), ("d", "b"), ("e", "d")]


@pytest.mark.parametrize("first", range(5))
def test_every_order_of_arrival_gives_a_consistent_index(
    make_memory: Callable[..., Memory], first: int
) -> None:
    orders = [order for order in itertools.permutations(TREE) if order[0] == TREE[first]]
    for number, order in enumerate(random.Random(first).sample(orders, 8)):
        memory = make_memory()
        cut = number % 5
        memory.add_turns(turn(*one) for one in order[:cut])
        memory.add_turns(turn(*one) for one in order[cut:])
        spots = checked(memory)
        assert spots.keys() == set("abcde")
        for id, path in {"c": "abc", "e": "abde"}.items():
            assert "".join(one.id for one in memory.at(id).path()) == path


@pytest.mark.parametrize("seed", range(4))
def test_random_batches_give_a_consistent_index(memory: Memory, seed: int) -> None:
    rng = random.Random(seed)
    turns = [turn("t0")]
    for number in range(1, 60):
        parent = turns[-1]["id"] if rng.random() < 0.6 else rng.choice(turns)["id"]
        turns.append(turn(f"t{number}", parent))
    rng.shuffle(turns)
    while turns:
        size = rng.randint(1, 15)
        memory.add_turns(turns[:size])
        del turns[:size]
        checked(memory)


def test_children_added_at_once_never_share_a_place(memory: Memory) -> None:
    grow(memory, "root")
    with ThreadPoolExecutor(16) as pool:
        added = [
            pool.submit(one_by_one, memory, [turn(f"w{worker}-{n}", "root") for n in range(4)])
            for worker in range(16)
        ]
        for one in added:
            one.result()
    spots = checked(memory)
    assert len(spots) == 65
    assert sorted(place for _, place in spots.values()) == [0] * 64 + [1]


def test_a_chain_grown_at_once_with_its_late_parents(memory: Memory) -> None:
    chain = [turn(f"t{n}", f"t{n - 1}" if n else None) for n in range(48)]
    random.Random(1).shuffle(chain)
    with ThreadPoolExecutor(12) as pool:
        added = [pool.submit(one_by_one, memory, chain[part::12]) for part in range(12)]
        for one in added:
            one.result()
    assert len(checked(memory)) == 48
    assert len(memory.at("t47").path()) == 48


def test_a_wrong_index_would_be_noticed(memory: Memory) -> None:
    grow(memory, "t1 t2 t3")
    one_by_one(memory, [turn("f2", "t1")])
    checked(memory)
    by_hand(memory, "MATCH (turn:Turn {space: $space, id: 't3'}) SET turn.place = 1")
    with pytest.raises(AssertionError, match="at one place"):
        checked(memory)
    by_hand(memory, "MATCH (turn:Turn {space: $space, id: 't3'}) SET turn.place = 2")
    by_hand(memory, "MATCH (s:Segment {space: $space}) SET s.leavesAt = s.leavesAt + 1")
    with pytest.raises(AssertionError):
        checked(memory)
