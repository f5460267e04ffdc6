"""What is wrong or unfinished in a space, for `graphmem doctor`."""

from __future__ import annotations

from graphmem._models import Model
from graphmem.store import Store, Transaction, queries

SHOWN = 100
BATCH = 1000


class Checkup(Model):
    """What `check` found in one space. Empty tuples are good news."""

    space: str
    awaited: tuple[str, ...]
    """Turns that others name and that never arrived: what hangs on them is hidden or cut off."""
    unreachable: tuple[str, ...]
    """Records whose sources lie on two branches: no anchor will ever show them."""
    headless: tuple[str, ...]
    """Conversations with several leaves and no head: the scope ``space`` leaves them out."""
    broken: tuple[str, ...]
    """What breaks a rule of the tree, and could only be made by hand."""


def spaces(store: Store) -> list[dict[str, int | str]]:
    """Return each space with how many turns, records and conversations it has."""
    return store.run(queries.doctor.counts)


def check(store: Store, space: str) -> Checkup:
    """Look through a space. Reads all of it, so it takes longer than any other verb."""
    return store.read(lambda tx: _check(tx, space))


def _check(tx: Transaction, space: str) -> Checkup:
    awaited = tx.run(queries.doctor.awaited, space=space, limit=SHOWN)
    broken = tx.run(queries.doctor.broken, space=space, limit=SHOWN)
    headless = tx.run(queries.doctor.headless, space=space)
    return Checkup(
        space=space,
        awaited=tuple(row["id"] for row in awaited),
        unreachable=tuple(_unreachable(tx, space)),
        headless=tuple(row["id"] for row in headless),
        broken=tuple(f"{row['id']} {row['problem']}" for row in broken),
    )


def _unreachable(tx: Transaction, space: str) -> list[str]:
    ids = [row["id"] for row in tx.run(queries.doctor.spread, space=space)]
    parts = (ids[start : start + BATCH] for start in range(0, len(ids), BATCH))
    return [
        row["id"]
        for part in parts
        for row in tx.run(queries.record.unreachable, space=space, ids=part)
    ]
