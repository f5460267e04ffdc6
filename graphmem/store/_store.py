"""The one door to the driver. Nothing else in graphmem imports ``neo4j``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

import neo4j
from neo4j import exceptions as failures

from graphmem._errors import (
    CypherError,
    GraphmemError,
    InvalidInputError,
    NotNeo4jError,
    StoreAuthError,
    StoreError,
    StoreUnavailableError,
    StoreVersionError,
)
from graphmem.store import _migrations
from graphmem.store._cypher import Query, queries
from graphmem.store._settings import Neo4jSettings, home, settings

logger = logging.getLogger("graphmem.store")
logging.getLogger("neo4j").addHandler(logging.NullHandler())

MINIMUM_VERSION = (2026, 6)
"""The first with everything that recall asks of a vector index: docs/decisions/007."""
SCHEMES = tuple(
    f"{name}{security}://" for name in ("bolt", "neo4j") for security in ("", "+s", "+ssc")
)
Row = dict[str, Any]
T = TypeVar("T")

_OPTIONS: Mapping[str, Any] = {
    "connection_timeout": 10.0,
    # Also how long something that is no Neo4j may stay silent.
    "connection_acquisition_timeout": 15.0,
    "liveness_check_timeout": 30.0,
    # An empty graph does not know our labels yet; that is no news to anyone.
    "notifications_disabled_classifications": ["UNRECOGNIZED"],
    "user_agent": "graphmem/0.1",
}


class RefusedError(StoreError):
    """The server refused one of graphmem's own queries: it is no Neo4j, or graphmem has a fault."""


class IndexGoneError(RefusedError):
    """An index was dropped, as `reembed` does with the old one, after it was said to be there."""

    retryable = True


class Transaction:
    """A running transaction: `run` sends one query of the ``.cypher`` files, returns its rows."""

    def __init__(self, inner: neo4j.ManagedTransaction | neo4j.Transaction, mode: str) -> None:
        self._inner = inner
        self._mode = mode

    def run(self, query: Query, /, **params: Any) -> list[Row]:
        """Run ``query`` with exactly its declared parameters; return all rows as dictionaries."""
        if query.mode == "write" and self._mode == "read":
            raise AssertionError(f"{query.name} writes, but the transaction only reads")
        if query.params - params.keys():
            raise AssertionError(f"{query.name} lacks {sorted(query.params - params.keys())}")
        # Callers may have more at hand than the query takes; a user's own parameters are all meant.
        sent = params if query.by_user else {name: params[name] for name in query.params}
        try:
            return [_plain(row) for row in self._send(query, sent).data()]
        except failures.ClientError as error:
            if query.by_user:
                raise CypherError(f"the server refused the query: {error.message}") from error
            raise

    def _send(self, query: Query, params: Row) -> neo4j.Result:
        try:
            return self._inner.run(query.statement, params)
        except (ValueError, TypeError, OverflowError) as error:  # what the driver cannot pack
            raise InvalidInputError(f"a parameter cannot be sent to the store: {error}") from error


def _plain(value: Any) -> Any:
    """Turn the driver's own times into Python's, wherever they are in a row."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return _native(value) if isinstance(value, neo4j.time.DateTime) else value


def _native(value: neo4j.time.DateTime) -> datetime | str:
    try:
        return value.to_native()
    except ValueError:  # a year that Python's own times do not reach
        return value.iso_format()


class Store:
    """A Neo4j that has been checked and migrated.

    >>> with Store.open() as store:                                       # doctest: +SKIP
    ...     store.run(queries.store.components)
    """

    def __init__(self, driver: neo4j.Driver, database: str | None, where: str) -> None:
        self._driver = driver
        self._database = database
        self.where = where
        self.version = ""

    @classmethod
    def open(
        cls,
        *,
        uri: str | None = None,
        username: str | None = None,
        password: str | None = None,
        database: str | None = None,
        home_folder: str | Path | None = None,
        options: Mapping[str, Any] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Connect, check the version, bring the schema up to date.

        Arguments win over ``NEO4J_URI``, ``NEO4J_USERNAME``, ``NEO4J_PASSWORD`` and
        ``NEO4J_DATABASE`` from the environment or ``.env``. Without an address the local server is
        started if need be. ``options`` are handed to the driver; ``progress`` hears of the jars
        that the local server's first start fetches (how many are there, how many there will be).
        Errors: any `StoreError`.
        """
        chosen = settings(uri, username, password, database)
        if chosen.uri is None:
            chosen = _local(chosen, home(home_folder), progress)
        store = cls._connect(chosen, options or {})
        try:
            store._check()
            _migrations.migrate(store)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def _connect(cls, chosen: Neo4jSettings, options: Mapping[str, Any]) -> Self:
        assert chosen.uri is not None
        if not chosen.uri.startswith(SCHEMES):
            raise NotNeo4jError(
                f"{chosen.uri!r} is no address of a Neo4j; it starts with {', '.join(SCHEMES)}, "
                "for example bolt://localhost:7687"
            )
        auth = (chosen.username, chosen.password.get_secret_value())
        try:
            driver = neo4j.GraphDatabase.driver(chosen.uri, auth=auth, **{**_OPTIONS, **options})
        except (ValueError, failures.ConfigurationError) as error:
            raise InvalidInputError(
                f"{chosen.uri!r} and the options {sorted(options)} make no connection: {error}"
            ) from error
        return cls(driver, chosen.database, chosen.uri)

    def _check(self) -> None:
        try:
            self._driver.verify_connectivity()  # answers at once: no retries
            rows = self.run(queries.store.components)
        except (failures.Neo4jError, failures.DriverError) as error:
            raise self._translated(error) from error
        except UnicodeError as error:
            raise NotNeo4jError(f"{self.where!r} names no host: {error}") from error
        except RefusedError as error:
            raise NotNeo4jError(
                f"what answers at {self.where} is not Neo4j: it does not know its own version"
            ) from error
        self.version = rows[0]["version"] if rows else "unknown"
        numbers = tuple(int(part) for part in self.version.split(".")[:2] if part.isdigit())
        if numbers < MINIMUM_VERSION and not self.version.endswith("-aura"):  # always the latest
            raise StoreVersionError(
                f"the Neo4j at {self.where} has version {self.version}; graphmem needs "
                f"{'.'.join(map(str, MINIMUM_VERSION))} or newer. Upgrade it, or run `graphmem up`."
            )

    def run(self, query: Query, /, **params: Any) -> list[Row]:
        """Run one query in its own transaction, routed by its mode and retried if that may help."""
        if query.mode == "read":
            return self.read(lambda tx: tx.run(query, **params))
        return self.write(lambda tx: tx.run(query, **params))

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in a read transaction. It may run again after a transient failure."""
        with self._session("read") as session:
            return session.execute_read(lambda inner: work(Transaction(inner, "read")))

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in a write transaction: all of it is stored or, if it raises, nothing."""
        with self._session("write") as session:
            return session.execute_write(lambda inner: work(Transaction(inner, "write")))

    @contextmanager
    def transaction(self, mode: Literal["read", "write"]) -> Iterator[Transaction]:
        """Open a transaction that is not retried; committed at the end of the block."""
        with self._session(mode) as session, session.begin_transaction() as inner:
            yield Transaction(inner, mode)
            inner.commit()

    @contextmanager
    def _session(self, mode: Literal["read", "write"]) -> Iterator[neo4j.Session]:
        access = neo4j.READ_ACCESS if mode == "read" else neo4j.WRITE_ACCESS
        try:
            with self._driver.session(
                database=self._database, default_access_mode=access
            ) as session:
                yield session
        except GraphmemError:
            raise
        except (failures.Neo4jError, failures.DriverError) as error:
            raise self._translated(error) from error

    def _translated(self, error: failures.Neo4jError | failures.DriverError) -> GraphmemError:
        match error:
            case failures.ClientError() if (error.code or "").startswith(
                "Neo.ClientError.Security."
            ):
                return StoreAuthError(
                    f"the Neo4j at {self.where} refuses the user name or password; "
                    "check NEO4J_USERNAME and NEO4J_PASSWORD"
                )
            case failures.ClientError() if (error.code or "").startswith(
                "Neo.ClientError.Database."
            ):
                return StoreError(f"{self.where}: {error.message}; check NEO4J_DATABASE")
            case failures.ServiceUnavailable() | failures.SessionExpired():
                return self._unreachable(error)
            case failures.ClientError() | failures.DatabaseError():
                gone = error.code == "Neo.ClientError.Schema.IndexNotFound"
                kind = IndexGoneError if gone else RefusedError
                return kind(f"the Neo4j at {self.where} refused a query: {error.message}")
            case failures.TransientError():
                return StoreUnavailableError(f"the Neo4j at {self.where} is busy: {error.message}")
            case _:
                return StoreError(f"the Neo4j at {self.where} failed: {error}")

    def _unreachable(self, error: Exception) -> StoreError:
        told = " ".join(str(cause) for cause in _causes(error))
        if not self.version and ("handshake" in told or "looks like HTTP" in told):
            return NotNeo4jError(
                f"what answers at {self.where} is not Neo4j's Bolt port (it is 7687 by default); "
                "check NEO4J_URI"
            )
        return StoreUnavailableError(
            f"no Neo4j answers at {self.where}: {error}. Start it, or correct NEO4J_URI; "
            "`graphmem up` starts the local one."
        )

    def close(self) -> None:
        """Close the connections. A local server goes on; `graphmem down` stops it."""
        self._driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and all that led to it; the router reports its servers' errors as a group."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for one in error.exceptions:
                yield from _causes(one)
        error = error.__cause__ or error.__context__


def _local(
    chosen: Neo4jSettings, folder: Path, progress: Callable[[int, int], None] | None
) -> Neo4jSettings:
    from graphmem.store.local import LocalServer  # noqa: PLC0415 (needs the extra 'local')

    server = LocalServer(folder)
    state = server.start(progress)
    return settings(state.uri, server.username, server.password, chosen.database)
