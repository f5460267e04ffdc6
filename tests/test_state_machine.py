"""Random life of one space, with all that can be done to it: every read agrees with the oracle."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, get_args

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
    InvalidInputError,
    Memory,
    Record,
    SecondParentError,
    Source,
    Store,
    UnknownTurnError,
    UsageError,
)
from graphmem._errors import PurgedError
from graphmem._gate import KINDS
from graphmem._models import Scope
from tests.forest import dump
from tests.oracle import Oracle

NUMBERS = st.integers(0, 9)
CHATS = ("c0", "c1", None)


def has_records(life: Life) -> bool:
    return bool(life.words)


class Life(RuleBasedStateMachine):
    """Turns t0 … t9 and records over them, in an order that hypothesis makes up.

    Every record has a word of its own. ``words`` are those that stand, ``gone`` what was purged.
    """

    store: Store

    @initialize()
    def start(self) -> None:
        self.memory = Memory(self.store, space=f"life-{secrets.token_hex(6)}")
        self.oracle = Oracle()
        self.words: dict[str, str] = {}
        self.gone: set[str] = set()
        self.count = 0
        for turn, parent in ((0, None), (1, 0), (2, 1), (3, 1)):
            self.arrive_at(turn, parent)

    def teardown(self) -> None:
        for anchor in self.oracle.parents:
            for scope in get_args(Scope):
                self.compare(anchor, scope)

    @contextmanager
    def promised(self, turn: str, parent: str | None) -> Iterator[None]:
        """Expect what the oracle says of a turn: stored, known already, refused."""
        expected: type[UsageError] | None = None
        if turn in self.gone:
            expected = PurgedError
        elif turn in self.oracle.parents:
            expected = None if self.oracle.parents[turn] == parent else SecondParentError
        elif parent and turn in self.oracle.path(parent, awaited=True):
            expected = CycleError
        if expected is None:
            yield
            self.oracle.parents.setdefault(turn, parent)
        else:
            with pytest.raises(expected):
                yield

    def turns(self, data: st.DataObject, known: str | None = None) -> list[str]:
        """Draw turns to say something: mostly of one path, if need be one that shows a record."""
        showing = [one for one in self.oracle.parents if known in (None, *self.oracle.visible(one))]
        on_a_path: int = data.draw(st.integers(0, 4))
        if showing and on_a_path:
            path = self.oracle.path(self.pick(data, showing))
            return data.draw(st.lists(st.sampled_from(path), min_size=1, max_size=2, unique=True))
        numbers = data.draw(st.sets(NUMBERS, min_size=1, max_size=2))
        return sorted(f"t{number}" for number in numbers)

    def pick(self, data: st.DataObject, among: Any) -> str:
        found: str = data.draw(st.sampled_from(sorted(among)))
        return found

    def word(self) -> str:
        """Return a word that no record has yet."""
        self.count += 1
        return f"word{self.count}"

    def keep(self, record: Record, word: str, turns: list[str], inputs: set[str]) -> None:
        self.oracle.remember(record.id, frozenset(turns), frozenset(inputs))
        self.words[record.id] = word

    def refused(self, turns: list[str]) -> bool:
        return bool(self.gone & {*turns})

    @rule(turn=NUMBERS, parent=st.none() | NUMBERS)
    def arrive(self, turn: int, parent: int | None) -> None:
        if turn == parent:
            return
        self.arrive_at(turn, parent)

    def arrive_at(self, turn: int, parent: int | None) -> None:
        name, above = f"t{turn}", None if parent is None else f"t{parent}"
        chat = CHATS[turn % 3]
        with self.promised(name, above):
            text = f"text of {name}"
            self.memory.add_turn(name, role="user", text=text, parent=above, conversation=chat)
            self.oracle.conversations[name] = chat

    @precondition(lambda self: self.oracle.parents)
    @rule(data=st.data())
    def change_text(self, data: st.DataObject) -> None:
        turn = self.pick(data, self.oracle.parents)
        with pytest.raises(ConflictError):
            self.memory.add_turn(
                turn, role="user", text="something else", parent=self.oracle.parents[turn]
            )

    @precondition(lambda self: self.oracle.parents)
    @rule(data=st.data())
    def show(self, data: st.DataObject) -> None:
        turn = self.pick(data, self.oracle.parents)
        if chat := self.oracle.conversations[turn]:
            self.memory.set_head(chat, turn)
            self.oracle.heads[chat] = turn

    @rule(data=st.data())
    def remember(self, data: st.DataObject) -> None:
        names, word = self.turns(data), self.word()
        if self.refused(names):
            with pytest.raises(UsageError):
                self.memory.remember(word, sources=names)
        else:
            self.keep(self.memory.remember(word, sources=names), word, names, set())

    @precondition(has_records)
    @rule(data=st.data())
    def build(self, data: st.DataObject) -> None:
        inner, word = self.pick(data, self.words), self.word()
        names = self.turns(data, inner) if data.draw(st.booleans()) else []
        if self.refused(names):
            return
        sources = [Source(record=inner), *(Source(turn=name) for name in names)]
        record = self.memory.remember(word, sources, kind="summary")
        self.keep(record, word, names, {inner})

    @precondition(has_records)
    @rule(data=st.data(), replace=st.booleans())
    def correct(self, data: st.DataObject, replace: bool) -> None:
        old, word = self.pick(data, self.words), self.word()
        names = self.turns(data, old)
        if self.refused(names):
            with pytest.raises(UsageError):
                self.memory.correct(old, word, names)
            return
        if replace:
            done = self.memory.correct(old, word, names)
            assert done.replacement
            self.keep(done.replacement, word, names, set())
        else:
            done = self.memory.retract(old, names)
        assert done.invalidates == (old,)
        self.oracle.remember(done.id, frozenset(names), frozenset())
        self.oracle.targets[done.id] = frozenset({old})
        with pytest.raises(InvalidInputError):
            self.memory.retract(done.id, names)

    def forgettable(self, data: st.DataObject) -> tuple[set[str], set[str]]:
        """Draw turns and records that are stored and have not been purged."""
        turns = data.draw(st.sets(st.sampled_from(sorted(self.oracle.parents)), max_size=2))
        records = data.draw(st.sets(st.sampled_from(sorted(self.words)), max_size=2))
        return turns - self.gone, records

    @precondition(lambda self: has_records(self) and self.oracle.parents)
    @rule(data=st.data(), back=st.booleans())
    def revoke(self, data: st.DataObject, back: bool) -> None:
        turns, records = self.forgettable(data)
        if not turns | records:
            return
        fresh = {"turns": turns - self.oracle.hidden, "records": records - self.oracle.hidden}
        before = dump(self.memory)
        self.memory.revoke(turns=turns, records=records)
        if back and (fresh["turns"] or fresh["records"]):
            self.memory.restore(**fresh)
            assert dump(self.memory) == before
        else:
            self.oracle.hidden |= turns | records

    @precondition(lambda self: self.oracle.hidden)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        one = self.pick(data, self.oracle.hidden)
        if one in self.oracle.parents:
            self.memory.restore(turns=[one])
        else:
            self.memory.restore(records=[one])
        self.oracle.hidden -= {one}

    @precondition(lambda self: has_records(self) and self.oracle.parents)
    @rule(data=st.data(), rare=st.integers(0, 3))
    def purge(self, data: st.DataObject, rare: int) -> None:
        turns, records = self.forgettable(data)
        if rare or not turns | records:
            return
        self.memory.purge(turns=turns, records=records)
        self.oracle.purge(turns, records)
        self.gone |= turns
        left = {one for one, sources in self.oracle.records.items() if sources}
        self.words = {one: word for one, word in self.words.items() if one in left}
        self.oracle.hidden -= turns | (self.oracle.records.keys() - left)

    @rule(turn=NUMBERS)
    def look(self, turn: int) -> None:
        anchor = f"t{turn}"
        if anchor not in self.oracle.parents:
            for ask in (self.memory.at(anchor).visible, lambda: self.memory.at(anchor).recall("x")):
                with pytest.raises(UnknownTurnError):
                    ask()
            return
        path = [one for one in self.oracle.path(anchor) if one not in self.forgotten()]
        assert [found.id for found in self.memory.at(anchor).path()] == path[::-1]
        for scope in get_args(Scope):
            self.compare(anchor, scope)

    def forgotten(self) -> set[str]:
        return self.gone | self.oracle.hidden

    def compare(self, anchor: str, scope: Scope) -> None:
        """Compare all that is read in one scope with what is promised."""
        view = self.memory.at(anchor, scope)
        claims = view.visible(kinds=KINDS)
        visible, current = (
            self.oracle.visible(anchor, scope),
            self.oracle.current(anchor, scope),
        )
        assert {one for claim in claims for one in claim.records} == visible
        assert {one for claim in claims if claim.current for one in claim.records} == current
        everything = " ".join(self.words.values()) or "nothing"
        claimed = self.words.keys()
        for history, expected in ((False, current), (True, visible)):
            hits = view.recall(everything, k=200, history=history)
            assert {one for hit in hits for one in hit.records} == expected & claimed
            assert {one for hit in hits if hit.current for one in hit.records} == current & claimed

    @precondition(lambda self: has_records(self) and self.oracle.parents)
    @rule(data=st.data(), scope=st.sampled_from(get_args(Scope)))
    def ask(self, data: st.DataObject, scope: Scope) -> None:
        anchor, record = self.pick(data, self.oracle.parents), self.pick(data, self.words)
        view = self.memory.at(anchor, scope)
        for history in (False, True):
            promised = self.oracle.visible if history else self.oracle.current
            hits = view.recall(self.words[record], history=history)
            assert [hit.id for hit in hits] == [record] * (record in promised(anchor, scope))

    @precondition(lambda self: has_records(self) and self.oracle.parents)
    @rule(data=st.data())
    def explain(self, data: st.DataObject) -> None:
        anchor, record = self.pick(data, self.oracle.parents), self.pick(data, self.words)
        explanation = self.memory.at(anchor).explain(record)
        assert explanation.visible == (record in self.oracle.visible(anchor))
        assert explanation.current == (record in self.oracle.current(anchor))
        assert bool(explanation.reasons) != explanation.visible
        assert bool(explanation.invalidated) == (explanation.visible and not explanation.current)
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
            max_examples=20,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
