"""Bringing the graph's schema up to date: ``cypher/schema/V001__name.cypher`` and so on, in order.

What was applied is noted in the graph with a checksum. Schema statements of two processes must not
run side by side, so one transaction holds a lock node while another one changes the schema.
"""

from __future__ import annotations

import hashlib
import logging
from typing import TYPE_CHECKING, NamedTuple

import stamina

from graphmem._errors import SchemaError, StoreError
from graphmem.store._cypher import Query, queries

if TYPE_CHECKING:
    from graphmem.store._store import Store

logger = logging.getLogger("graphmem.store")


class Migration(NamedTuple):
    """One shipped schema statement."""

    version: int
    name: str
    checksum: str
    query: Query


def shipped() -> list[Migration]:
    """Return the migrations of this version of graphmem, in order."""
    return [_migration(query) for query in queries.schema]


def _migration(query: Query) -> Migration:
    version, _, name = query.name.removeprefix("schema/V").partition("__")
    checksum = hashlib.sha256(query.text.encode()).hexdigest()[:16]
    return Migration(int(version), name, checksum, query)


def migrate(store: Store) -> None:
    """Apply what is missing. Safe however many processes open the graph at once."""
    if not pending(store):
        return
    _make_lock(store)
    with store.transaction("write") as holder:
        holder.run(queries.migration.lock)
        for migration in pending(store):
            logger.info("applying migration %03d %s", migration.version, migration.name)
            store.run(migration.query)
            noted = migration._asdict() | {"query": None}
            holder.run(
                queries.migration.add, **{name: noted[name] for name in Migration._fields[:3]}
            )
    store.run(queries.store.await_indexes)


def pending(store: Store) -> list[Migration]:
    """Return the migrations that the graph lacks; SchemaError when those it has are not ours."""
    known = {migration.version: migration for migration in shipped()}
    applied = store.run(queries.migration.applied)
    for row in applied:
        ours = known.get(row["version"])
        if ours is None:
            raise SchemaError(
                f"the graph has migration {row['version']} ({row['name']}), which this graphmem "
                "does not know: it was opened by a newer one. Upgrade graphmem."
            )
        if ours.checksum != row["checksum"]:
            raise SchemaError(
                f"migration {ours.version} ({ours.name}) was applied with other text than this "
                "graphmem ships. Use the version that wrote the graph, or another database."
            )
    return [
        known[version] for version in sorted(known.keys() - {row["version"] for row in applied})
    ]


@stamina.retry(on=StoreError, attempts=10, wait_initial=0.05, wait_max=1.0)
def _make_lock(store: Store) -> None:
    # Two processes may both find the constraint missing; the slower one tries again and finds it.
    store.run(queries.migration.key)
