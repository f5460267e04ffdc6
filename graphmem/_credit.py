"""What worked: rewards that flow back along the path they were given on, and along no other.

A reward is given at a head and refers to a turn of its path. It is stored as a record, a credit,
derived from these two turns: the gate shows it wherever the head is on the path, so at the head and
at what goes on from it. What is not on the head's path gets nothing, and what was given on one
branch is not seen on another.

What each turn gets is worked out when it is asked for, from the shares (α) of the turns, which
never change: ``V_T = R`` at the head, ``V_t = α_t·R + (1 - α_t)·γ·V_next`` for the turns before it.
A negative reward stops at the turn that it refers to; what led there keeps its value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from graphmem import _records
from graphmem._errors import InvalidInputError
from graphmem._gate import Gate, require_turn
from graphmem._invalidation import replacing
from graphmem._models import Id, Model, Record, Share, Source
from graphmem._records import Flat
from graphmem.store import Row, Transaction, queries

GAMMA = 0.9
"""How much of a value reaches the turn before, by default."""
SHARE = 0.0
"""The share (α) of a turn that has none: an outcome reaches it by way of what came of it only."""
NEGLIGIBLE = 1e-9
"""Less than this is not told."""


class Reward(Model):
    """How good an outcome was. ``refers_to`` is a turn on the path of ``head``."""

    head: Id
    refers_to: Id
    reward: Annotated[float, Field(strict=True, ge=-1, le=1, allow_inf_nan=False)]
    gamma: Share


class Credit(Reward):
    """A reward as stored: the record ``id``."""

    id: Id


class CreditPart(Credit):
    """What one credit gave a turn: its ``value``."""

    value: float


class TurnCredit(Model):
    """The ``value`` of a turn at an anchor: the sum of what the credits of the path gave it."""

    turn: Id
    value: float
    parts: tuple[CreditPart, ...]


# --- giving


def reward(
    tx: Transaction, space: str, value: float, head: str, turn: str | None, gamma: float
) -> Credit:
    """Store a reward given at a head, in place of the one that was given there before."""
    require_turn(tx, space, head)
    refers_to = _referred(tx, space, head, turn)
    new = Reward(head=head, refers_to=refers_to, reward=value, gamma=gamma)
    tx.run(queries.turn.hold, space=space, ids=[head])  # of two at once, one replaces the other
    for standing in _counting(tx, Gate(space, head)):
        if standing == _as_credit(new, standing.id):
            return standing
    given = tx.run(queries.credit.given, space=space, head=head)
    flat = _flat(new, given[0]["number"] + 1 if given else 1)
    fallen = [row["id"] for row in given]
    head_only = flat.record.sources[-1:]
    _records.store(tx, space, [flat, *replacing(fallen, flat, head_only)])
    return _as_credit(new, flat.record.id)


def _as_credit(given: Reward, id_: str) -> Credit:
    return Credit.model_construct(**given.__dict__, id=id_)


def _referred(tx: Transaction, space: str, head: str, turn: str | None) -> str:
    rows = tx.run(queries.credit.referred, space=space, head=head, turn=turn)
    if rows:
        return str(rows[0]["id"])
    if turn is None:
        raise InvalidInputError(
            f"no assistant has said anything on the path of {head!r}; name the turn that is meant"
        )
    require_turn(tx, space, turn)
    raise InvalidInputError(
        f"turn {turn!r} is not on the path of the head {head!r}, so what happens there earns it "
        "nothing; name a turn of this path, or a head that goes on from the turn"
    )


def _flat(new: Reward, number: int) -> Flat:
    turns = dict.fromkeys((new.refers_to, new.head))
    record = Record.model_construct(
        id="",
        kind="credit",
        text="",
        sources=tuple(Source.model_construct(turn=turn) for turn in turns),
    )
    held = {
        "reward": new.reward,
        "gamma": new.gamma,
        "head": new.head,
        "refersTo": new.refers_to,
        "number": number,
    }
    return Flat(record, more=held).named()


# --- reading


def credit(tx: Transaction, gate: Gate) -> list[TurnCredit]:
    """Return what the turns of the anchor's path have earned there, the root first."""
    steps, given_here = _read(tx, gate)
    parts: dict[str, list[CreditPart]] = {}
    for given in given_here:
        for turn, value in flow(steps, given):
            if abs(value) >= NEGLIGIBLE:
                part = CreditPart.model_construct(**given.__dict__, value=value)
                parts.setdefault(turn, []).append(part)
    hidden = {step["id"] for step in steps if step["hidden"]}
    return [
        TurnCredit.model_construct(
            turn=step["id"],
            value=sum(part.value for part in parts[step["id"]]),
            parts=tuple(parts[step["id"]]),
        )
        for step in steps
        if step["id"] in parts.keys() - hidden
    ]


def values(tx: Transaction, gate: Gate) -> dict[str, float]:
    """Return the value of each turn that has earned something at the anchor."""
    steps, given_here = _read(tx, gate)
    found: dict[str, float] = {}
    for given in given_here:
        for turn, value in flow(steps, given):
            found[turn] = found.get(turn, 0.0) + value
    return found


def _read(tx: Transaction, gate: Gate) -> tuple[list[Row], list[Credit]]:
    """Return the path, the root first, and the credits that count there."""
    own = replace(gate, scope="path", leaves=None)
    counting = _counting(tx, own)
    if not counting:
        return [], []
    return own.rows(tx, queries.gate.path.then(queries.credit.step)), counting


def _counting(tx: Transaction, gate: Gate) -> list[Credit]:
    rows = gate.rows(tx, gate.among(queries.credit.of_path, queries.credit.row))
    return [Credit(**row) for row in rows]


def flow(path: Sequence[Row], given: Reward) -> Iterator[tuple[str, float]]:
    """Yield what a credit gives to the turns of a path (the root first), from its head back.

    ``path`` has the ``id`` of each turn and its ``share``, which may be None.

    >>> shares = {"u1": None, "a1": 0.5, "u2": 0.0}
    >>> steps = [{"id": turn, "share": share} for turn, share in shares.items()]
    >>> praise = Reward(head="u2", refers_to="a1", reward=1.0, gamma=0.9)
    >>> [(turn, round(value, 4)) for turn, value in flow(steps, praise)]
    [('u2', 1.0), ('a1', 0.95), ('u1', 0.855)]
    >>> blame = praise.model_copy(update={"reward": -1.0})
    >>> [(turn, round(value, 4)) for turn, value in flow(steps, blame)]
    [('u2', -1.0), ('a1', -0.95)]
    """
    value = None
    for step in reversed(path):
        if value is None and step["id"] != given.head:
            continue
        share = SHARE if step["share"] is None else step["share"]
        if value is None:
            value = given.reward
        else:
            value = share * given.reward + (1 - share) * given.gamma * value
        yield step["id"], value
        if given.reward < 0 and step["id"] == given.refers_to:
            return
