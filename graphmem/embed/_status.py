"""What became of a space's vectors."""

from __future__ import annotations

from graphmem._models import Model
from graphmem.embed._reembedding import counted
from graphmem.embed._slots import live_of, other, slots
from graphmem.store import Store


class Status(Model):
    """How far the vectors of a space are, and the model of the database.

    Of ``records`` with a text some are ``embedded``, some ``waiting``, some ``refused``: their
    vector was no good. ``model`` is None before the first fill. ``changing_to`` is the model that
    `reembed` changes over to, and ``changed`` the records that have its vector already.
    """

    model: str | None = None
    dimensions: int | None = None
    records: int = 0
    embedded: int = 0
    waiting: int = 0
    refused: int = 0
    changing_to: str | None = None
    changing_dimensions: int | None = None
    changed: int = 0


def status(store: Store, space: str) -> Status:
    """Return how far the vectors of a space are. Reads the whole space."""
    found = slots(store)
    current = live_of(found)
    if current is None:
        return Status(**counted(store, space, 0))
    known = Status(
        model=current.model,
        dimensions=current.dimensions,
        **counted(store, space, current.slot),
    )
    aside = other(found, current.slot)
    if aside.state != "filling":
        return known
    return known.model_copy(
        update={
            "changing_to": aside.model,
            "changing_dimensions": aside.dimensions,
            "changed": counted(store, space, aside.slot)["embedded"],
        }
    )
