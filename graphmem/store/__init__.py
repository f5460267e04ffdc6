"""The store: a checked, migrated Neo4j behind one door, and the ``.cypher`` files it is sent."""

from graphmem.store._cypher import Queries, Query, Room, queries
from graphmem.store._settings import Neo4jSettings, home, settings
from graphmem.store._store import (
    MINIMUM_VERSION,
    IndexGoneError,
    RefusedError,
    Row,
    Store,
    Transaction,
)
from graphmem.store._vectors import vector

__all__ = [
    "MINIMUM_VERSION",
    "IndexGoneError",
    "Neo4jSettings",
    "Queries",
    "Query",
    "RefusedError",
    "Room",
    "Row",
    "Store",
    "Transaction",
    "home",
    "queries",
    "settings",
    "vector",
]
