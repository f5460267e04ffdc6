"""Filling in the background, so that no write waits for a model."""

from __future__ import annotations

import logging
from threading import Condition, Thread

from graphmem.embed._filling import BATCH, fill
from graphmem.embed._vector import Embedder
from graphmem.store import Store

logger = logging.getLogger("graphmem.embed")


class Filler:
    """A daemon thread that fills in the vectors of one space whenever it is woken.

    What goes wrong is logged and kept in ``error``; the records keep waiting, and the next `wake`
    tries again.
    """

    def __init__(self, store: Store, space: str, embedder: Embedder, *, batch: int = BATCH) -> None:
        self.error: Exception | None = None
        self._store = store
        self._space = space
        self._embedder = embedder
        self._batch = batch
        self._changed = Condition()
        self._thread: Thread | None = None
        self._asked = 0
        self._answered = 0
        self._closed = False

    def wake(self) -> None:
        """Have the thread fill what waits, now or after what it is doing. Returns at once."""
        with self._changed:
            if self._closed:
                return
            self._asked += 1
            self._changed.notify_all()
            if self._thread is None:
                self._thread = Thread(target=self._run, name="graphmem-filler", daemon=True)
                self._thread.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all that was asked for is filled; False after the timeout, or on an error."""
        with self._changed:
            self._changed.wait_for(lambda: self._idle or self._closed, timeout)
            return self._idle and self.error is None

    @property
    def _idle(self) -> bool:
        return self._answered == self._asked

    def close(self, timeout: float | None = None) -> None:
        """Stop after the running batch, and wait for that. What still waits stays waiting."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(timeout)

    def _run(self) -> None:
        while (asked := self._next()) is not None:
            error = self._fill()
            with self._changed:
                self.error = error
                self._answered = self._answered if self._closed else asked
                self._changed.notify_all()

    def _next(self) -> int | None:
        with self._changed:
            self._changed.wait_for(lambda: not self._idle or self._closed)
            return None if self._closed else self._asked

    def _fill(self) -> Exception | None:
        try:
            fill(
                self._store,
                self._space,
                self._embedder,
                batch=self._batch,
                stop=lambda: self._closed,
            )
        except Exception as error:  # in a thread of its own nobody else would hear of it
            logger.warning("vectors could not be filled in: %s", type(error).__name__)
            return error
        return None
