"""Stopwatches that take turns, and the rows they fill."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Row:
    """One line of the report.

    ``ours`` and ``bare`` are medians in ``unit`` (``s`` or ``ms``). ``target`` says what ``ratio``
    divides; without a target the row is information and ``ok`` is None.
    """

    name: str
    unit: str
    ours: float
    bare: float | None = None
    ratio: float | None = None
    target: str = ""
    ok: bool | None = None
    note: str = ""


@dataclass(frozen=True)
class Timing:
    """The median, the lowest and the highest of some times, all in one unit."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, times: Sequence[float]) -> Self:
        """Sum up ``times``."""
        return cls(statistics.median(times), min(times), max(times))

    def __str__(self) -> str:
        return f"{self.low:.3g}–{self.high:.3g}"


def seconds(work: Callable[[], object]) -> float:
    """Return how long ``work`` takes, in seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def times(
    works: Mapping[str, Callable[[], object]], *, rounds: int, warm_up: int = 5
) -> dict[str, list[float]]:
    """Run ``works`` in turn (A B A B …) and return all times of each, in milliseconds.

    What else the machine does falls on all of them alike. The first ``warm_up`` rounds, in which
    the server plans and compiles, are not counted.
    """
    found: dict[str, list[float]] = {name: [] for name in works}
    for counted in [False] * warm_up + [True] * rounds:
        for name, work in works.items():
            taken = seconds(work) * 1000
            if counted:
                found[name].append(taken)
    return found


def interleaved(
    works: Mapping[str, Callable[[], object]], *, rounds: int, warm_up: int = 5
) -> dict[str, Timing]:
    """Sum up the `times` of some works."""
    taken = times(works, rounds=rounds, warm_up=warm_up)
    return {name: Timing.of(found) for name, found in taken.items()}
