"""Many processes at once: no lost write, no duplicate, no error shown."""

from __future__ import annotations

import multiprocessing
import secrets
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

from graphmem import (
    ConflictError,
    CycleError,
    GraphmemError,
    Memory,
    MissingParentError,
    Store,
)
from tests.forest import grow, texts

WORKERS = 16


@pytest.fixture(scope="module")
def processes() -> Any:
    """Sixteen processes of their own, started afresh."""
    with ProcessPoolExecutor(WORKERS, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def add_children(connection: dict[str, Any], space: str, worker: int) -> int:
    """Add twenty children of one parent, one at a time; return how many were new."""
    with Memory.open(space, **connection) as memory:
        return sum(
            memory.add_turn(
                f"w{worker}-{n}", role="user", text="x", parent="root", conversation="c"
            ).new
            for n in range(20)
        )


def add_the_same(connection: dict[str, Any], space: str, _: int) -> tuple[int, str]:
    """Add one turn with one record that all others add too."""
    with Memory.open(space, **connection) as memory:
        new = memory.add_turn("same", role="user", text="the same", parent="root").new
        return new, memory.remember("said", sources=["same"]).id


def test_sixteen_processes_add_children_to_one_parent(
    memory: Memory, connection: dict[str, Any], processes: ProcessPoolExecutor
) -> None:
    grow(memory, "root", conversation="c")
    calls = [processes.submit(add_children, connection, memory.space, n) for n in range(WORKERS)]
    assert [call.result() for call in calls] == [20] * WORKERS
    tree = memory.tree("c")
    assert len(tree.turns) == 1 + 20 * WORKERS
    assert {turn.parent for turn in tree.turns[1:]} == {"root"}
    assert len(memory.at("w3-7").path()) == 2


def test_one_turn_thirty_two_times_at_once(
    memory: Memory, connection: dict[str, Any], processes: ProcessPoolExecutor
) -> None:
    grow(memory, "root")
    calls = [processes.submit(add_the_same, connection, memory.space, n) for n in range(32)]
    results = [call.result() for call in calls]
    assert sum(new for new, _ in results) == 1
    assert len({record for _, record in results}) == 1
    assert memory.at("same").facts()[0].supports == 1
    counts = memory.at("same").cypher(
        "MATCH (t:Turn {space: anchor.space, id: 'same'})-[link:PARENT]->() RETURN count(link) AS n"
    )
    assert counts == [{"n": 1}]


def at_once(calls: list[Callable[[], object]]) -> list[object]:
    """Run the calls in threads at the same time; return results or the errors they raised."""

    def attempt(call: Callable[[], object]) -> object:
        try:
            return call()
        except GraphmemError as error:
            return error

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(attempt, calls))


def test_two_contents_for_one_id_at_once_leave_one(memory: Memory) -> None:
    for number in range(10):
        results = at_once(
            [
                lambda n=number, v=version: memory.add_turn(f"t{n}", role="user", text=v)  # type: ignore[misc]
                for version in ("A", "B", "C", "D")
            ]
        )
        kept = [result for result in results if not isinstance(result, GraphmemError)]
        refused = [result for result in results if isinstance(result, ConflictError)]
        assert (len(kept), len(refused)) == (1, 3)
        assert memory.turn(f"t{number}").text in "ABCD"


def test_late_arrivals_cannot_close_a_cycle_together(memory: Memory) -> None:
    for number in range(10):
        a, b, c, d = (f"{letter}{number}" for letter in "abcd")
        memory.add_turns([turn(b, c), turn(d, a)])  # b waits for c, d waits for a
        results = at_once(
            [lambda: memory.add_turns([turn(a, b)]), lambda: memory.add_turns([turn(c, d)])]  # noqa: B023
        )
        assert sum(isinstance(result, CycleError) for result in results) == 1
        assert sum(isinstance(result, GraphmemError) for result in results) == 1


def turn(id_: str, parent: str) -> dict[str, Any]:
    return {"id": id_, "role": "user", "text": id_, "parent": parent}


def test_heads_set_at_once_leave_one(memory: Memory) -> None:
    grow(memory, "u1", *(f"u1 v{n}" for n in range(8)), conversation="c")
    results = at_once([lambda n=n: memory.set_head("c", f"v{n}") for n in range(8)])  # type: ignore[misc]
    assert results == [None] * 8
    [conversation] = memory.conversations()
    assert str(conversation.head).startswith("v")


def test_records_arrive_beside_their_turns(memory: Memory) -> None:
    calls: list[Callable[[], object]] = []
    for number in range(20):
        calls.append(lambda n=number: memory.add_turn(f"t{n}", role="user", text="x"))  # type: ignore[misc]
        calls.append(lambda n=number: memory.remember(f"f{n}", sources=[f"t{n}"]))  # type: ignore[misc]
    assert not [result for result in at_once(calls) if isinstance(result, GraphmemError)]
    assert all(texts(memory.at(f"t{n}").facts()) == {f"f{n}"} for n in range(20))


def open_and_close(connection: dict[str, Any]) -> str:
    """Open a store; its schema is checked or made."""
    with Store.open(**connection) as store:
        return store.version


def test_many_processes_open_the_store_at_once(
    connection: dict[str, Any], processes: ProcessPoolExecutor
) -> None:
    calls = [processes.submit(open_and_close, connection) for _ in range(WORKERS)]
    assert len({call.result() for call in calls}) == 1


def test_the_same_space_from_two_stores(connection: dict[str, Any]) -> None:
    space = f"test-{secrets.token_hex(8)}"
    with Memory.open(space, **connection) as one, Memory.open(space, **connection) as two:
        one.add_turn("u1", role="user", text="hi")
        two.remember("greeted", sources=["u1"])
        assert texts(one.at("u1").facts()) == {"greeted"}


def test_one_first_message_of_many_at_once(memory: Memory) -> None:
    results = at_once(
        [
            lambda n=n: memory.add_turn(f"t{n}", role="user", text="x", conversation="c")  # type: ignore[misc]
            for n in range(8)
        ]
    )
    assert sum(isinstance(result, MissingParentError) for result in results) == 7
    assert len(memory.tree("c").turns) == 1
