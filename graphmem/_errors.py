"""What can go wrong, as a tree of exceptions.

::

    GraphmemError
    ├── UsageError                  the caller's mistake: nothing was written
    │   ├── InvalidInputError       an id, text, time or setting that cannot be stored; a ValueError
    │   │   └── VectorError         a vector of the wrong length, with NaN, or all zero
    │   ├── NoSourceError           a record without a source
    │   ├── UnknownTurnError        no such turn in this space, or it has not arrived yet
    │   ├── UnknownRecordError      no such record in this space
    │   ├── UnknownConversationError
    │   ├── MissingParentError      a turn of a running conversation that names no parent
    │   ├── ConflictError           the id is stored with other content
    │   │   ├── SecondParentError   ... with another parent
    │   │   └── PurgedError         ... no longer: it was purged, and does not come back
    │   ├── CycleError              the write would make a turn its own ancestor
    │   ├── BatchError              several of the above in one batch; see ``errors``
    │   ├── EmbedderMismatchError   the vectors in the store are of another model
    │   ├── MissingPackageError     an optional package is not installed
    │   ├── CypherError             the user's own Cypher was refused by the server
    │   └── ImportFormatError       a file that no importer recognises
    ├── ModelError                  a model's trouble, by its endpoint; ``retryable`` as below
    │   ├── ModelUnavailableError   no answer: not reached, overloaded (429), failing, refused
    │   └── ModelAnswerError        an answer of no use: cut off, declined, not what was asked for
    └── StoreError                  the store's trouble; ``retryable``: whether trying again helps
        ├── StoreUnavailableError   nothing answers at the address
        ├── StoreAuthError          the server refuses the user name or password
        ├── StoreVersionError       the server is too old
        ├── NotNeo4jError           something answers, but it is not Neo4j
        ├── SchemaError             the graph's migrations do not fit this version of graphmem
        └── LocalServerError        the local Neo4j could not be fetched, started or stopped

Every message says what happened and what to do about it.
"""

from __future__ import annotations

from collections.abc import Sequence


class GraphmemError(Exception):
    """Any error that graphmem raises on purpose."""


class UsageError(GraphmemError):
    """The caller's mistake. Nothing was written."""


class InvalidInputError(UsageError, ValueError):
    """An id, text, time or setting that cannot be stored as it is."""


class VectorError(InvalidInputError):
    """A vector of the wrong length, with NaN or infinity in it, or of zeros only."""


class NoSourceError(UsageError):
    """A record needs at least one source: without one it could never be shown."""


class UnknownTurnError(UsageError):
    """The space has no such turn, or the turn is awaited (named by others, not yet arrived)."""


class UnknownRecordError(UsageError):
    """The space has no such record."""


class UnknownConversationError(UsageError):
    """The space has no such conversation."""


class MissingParentError(UsageError):
    """A new turn of a conversation that already has turns must name its parent (or None)."""


class ConflictError(UsageError):
    """The id is stored already, with other content. Turns and records never change.

    ``id`` names it.
    """

    def __init__(self, message: str, *, id: str) -> None:
        super().__init__(message)
        self.id = id


class SecondParentError(ConflictError):
    """The turn is stored under another parent. A turn has at most one."""


class PurgedError(ConflictError):
    """What had this id was purged. It does not come back, from no import and no extraction."""


class CycleError(UsageError):
    """The write would make a turn its own ancestor."""


class BatchError(UsageError):
    """Several items of one batch were refused, and nothing was written.

    ``errors`` holds one error per refused item, in the order of the batch.
    """

    def __init__(self, errors: Sequence[UsageError]) -> None:
        self.errors = tuple(errors)
        shown = "\n".join(f"- {error}" for error in self.errors[:20])
        more = len(self.errors) - 20
        rest = f"\n- and {more} more" if more > 0 else ""
        super().__init__(
            f"{len(self.errors)} items were refused, nothing was changed:\n{shown}{rest}"
        )


class EmbedderMismatchError(UsageError):
    """The store's vectors were made by another model. `reembed` changes over to this one."""


class MissingPackageError(UsageError):
    """A package that this needs is not installed; the message says which, and how to get it."""


class CypherError(UsageError):
    """The server refused the user's own Cypher: a write, a second statement, a mistake in it."""


class ImportFormatError(UsageError):
    """No importer recognises the file."""


class ModelError(GraphmemError):
    """A model's trouble. ``retryable`` says whether the same call may succeed later."""

    retryable = False


class ModelUnavailableError(ModelError):
    """The model's endpoint gave no answer: not reached, overloaded, failing, or it refused us.

    ``retryable`` is False when the endpoint refuses the key or the request itself.
    """

    def __init__(self, message: str, *, retryable: bool = True) -> None:
        super().__init__(message)
        self.retryable = retryable


class ModelAnswerError(ModelError):
    """The model's answer is of no use: cut off, declined, or not what was asked for."""

    retryable = True


class StoreError(GraphmemError):
    """The store's trouble. ``retryable`` says whether the same call may succeed later."""

    retryable = False


class StoreUnavailableError(StoreError):
    """Nothing answers at the store's address, or the connection broke."""

    retryable = True


class StoreAuthError(StoreError):
    """The server refuses the user name or the password."""


class StoreVersionError(StoreError):
    """The server is older than graphmem needs."""


class NotNeo4jError(StoreError):
    """Something answers at the address, but it does not speak as a Neo4j does."""


class SchemaError(StoreError):
    """The migrations recorded in the graph are not those of this version of graphmem."""


class LocalServerError(StoreError):
    """The local Neo4j could not be fetched, started or stopped."""


def raise_all(errors: Sequence[UsageError]) -> None:
    """Raise nothing for no error, the error itself for one, a `BatchError` for several."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise BatchError(errors)
