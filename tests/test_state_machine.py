"""Random life of one space, with late parents and records: every view agrees with the oracle."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from graphmem import (
    ConflictError,
    CycleError,
    Memory,
    SecondParentError,
    Source,
    Store,
    UnknownTurnError,
    UsageError,
)
from tests.oracle import Oracle

NUMBERS = st.integers(0, 11)


class Life(RuleBasedStateMachine):
    """Turns t0 … t11 and records over them, in an order that hypothesis makes up."""

    store: Store

    @initialize()
    def start(self) -> None:
        self.memory = Memory(self.store, space=f"life-{secrets.token_hex(6)}")
        self.oracle = Oracle()

    @contextmanager
    def promised(self, turn: str, parent: str | None) -> Iterator[None]:
        """Expect what the oracle says of a turn: stored, known already, refused."""
        expected: type[UsageError] | None = None
        if turn in self.oracle.parents:
            expected = None if self.oracle.parents[turn] == parent else SecondParentError
        elif parent and turn in self.oracle.path(parent, awaited=True):
            expected = CycleError
        if expected is None:
            yield
            self.oracle.parents.setdefault(turn, parent)
        else:
            with pytest.raises(expected):
                yield

    @rule(turn=NUMBERS, parent=st.none() | NUMBERS)
    def arrive(self, turn: int, parent: int | None) -> None:
        if turn == parent:
            return
        name, above = f"t{turn}", None if parent is None else f"t{parent}"
        with self.promised(name, above):
            self.memory.add_turn(name, role="user", text=f"text of {name}", parent=above)

    @precondition(lambda self: self.oracle.parents)
    @rule(data=st.data())
    def change_text(self, data: st.DataObject) -> None:
        turn = data.draw(st.sampled_from(sorted(self.oracle.parents)))
        with pytest.raises(ConflictError):
            self.memory.add_turn(
                turn, role="user", text="something else", parent=self.oracle.parents[turn]
            )

    @rule(turns=st.sets(NUMBERS, min_size=1, max_size=3), number=st.integers(0, 99))
    def remember(self, turns: set[int], number: int) -> None:
        names = sorted(f"t{turn}" for turn in turns)
        record = self.memory.remember(f"fact {number} of {names}", sources=names)
        self.oracle.records[record.id] = frozenset(names)

    @precondition(lambda self: self.oracle.records)
    @rule(data=st.data(), turn=NUMBERS)
    def build(self, data: st.DataObject, turn: int) -> None:
        inner = data.draw(st.sampled_from(sorted(self.oracle.records)))
        sources = [Source(record=inner), Source(turn=f"t{turn}")]
        record = self.memory.remember(f"sum of {inner} and {turn}", sources, kind="summary")
        self.oracle.records[record.id] = self.oracle.records[inner] | {f"t{turn}"}

    @rule(turn=NUMBERS)
    def look(self, turn: int) -> None:
        anchor = f"t{turn}"
        view = self.memory.at(anchor)
        if anchor not in self.oracle.parents:
            with pytest.raises(UnknownTurnError):
                view.visible()
            return
        seen = {record for claim in view.visible() for record in claim.records}
        assert seen == self.oracle.visible(anchor)
        assert [found.id for found in view.path()] == self.oracle.path(anchor)[::-1]
        for record in self.oracle.records:
            explanation = view.explain(record)
            assert explanation.visible == (record in seen)
            assert bool(explanation.reasons) != explanation.visible
            assert not (explanation.unreachable and explanation.visible)

    @rule(a=NUMBERS, b=NUMBERS)
    def fork(self, a: int, b: int) -> None:
        if {f"t{a}", f"t{b}"} <= self.oracle.parents.keys():
            found = self.memory.at(f"t{a}").fork_point(f"t{b}")
            assert found == self.oracle.fork(f"t{a}", f"t{b}")


@pytest.mark.timeout(600)
def test_a_random_life_agrees_with_the_oracle(store: Store) -> None:
    Life.store = store
    run_state_machine_as_test(
        Life,
        settings=settings(
            max_examples=40,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
