"""Times as exports write them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

_NO_SECONDS = 1e11
"""Epoch seconds reach this in the year 5138: a larger number counts milliseconds or less."""


def instant(value: Any) -> datetime | None:
    """Return a time in UTC from epoch seconds (or finer), from either as text, or from ISO 8601.

    Nothing is nothing: None, 0 and empty text give None. Raises ValueError for what is no time.

    >>> instant("1700000000"), instant(1700000000000) == instant("2023-11-14T22:13:20Z")
    (datetime.datetime(2023, 11, 14, 22, 13, 20, tzinfo=datetime.timezone.utc), True)
    """
    if value is None or value == "" or (value == 0 and value is not False):
        return None
    try:
        return _from_number(value) if _is_number(value) else _from_text(value)
    except (TypeError, ValueError, OverflowError, OSError) as error:
        raise ValueError(f"{value!r:.40} is no time") from error


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().replace(".", "", 1).isdecimal()
    return isinstance(value, int | float) and not isinstance(value, bool)


def _from_number(value: Any) -> datetime:
    seconds = float(value)
    for _ in ("milli", "micro", "nano"):
        if seconds > _NO_SECONDS:
            seconds /= 1000
    if not 0 <= seconds <= _NO_SECONDS:
        raise ValueError(value)
    return datetime.fromtimestamp(seconds, UTC)


def _from_text(value: Any) -> datetime:
    if not isinstance(value, str):
        raise TypeError(value)
    time = datetime.fromisoformat(value.strip())
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
