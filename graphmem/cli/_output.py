"""What goes to the terminal: JSON on stdout, tables for people, progress and errors on stderr."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

out = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


def print_json(value: Any) -> None:
    """Print one JSON document, in UTF-8 and with every character as it is."""
    document = json.dumps(_strict(value), ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.buffer.write(document.encode() + b"\n")
    sys.stdout.buffer.flush()


def _strict(value: Any) -> Any:
    """Return ``value`` as JSON can hold it: NaN and infinities, which it cannot, become null."""
    match value:
        case BaseModel():
            return value.model_dump(mode="json")
        case dict():
            return {str(key): _strict(item) for key, item in value.items()}
        case list() | tuple():
            return [_strict(item) for item in value]
        case float():
            return value if math.isfinite(value) else None
        case None | bool() | int() | str():
            return value
        case _:
            return str(value)


def shown(text: str, width: int = 0) -> str:
    """Return ``text`` as one line that cannot steer the terminal, cut to ``width`` characters."""
    line = _CONTROL.sub(" ", text).strip()
    return line if not width or len(line) <= width else line[: width - 1] + "…"


def say(text: str = "", style: str = "") -> None:
    """Print a line for people."""
    out.print(Text(text, style=style))


def note(text: str) -> None:
    """Print a remark on stderr."""
    err.print(Text(text, style="yellow"))


def fail(message: str) -> None:
    """Print an error on stderr."""
    lines = "\n".join(map(shown, message.splitlines()))
    err.print(Text("error: ", style="bold red") + Text(lines))


def count(number: int, what: str) -> str:
    """Return a number with its noun: 1 turn, 2 turns."""
    if number == 1:
        return f"1 {what}"
    return f"{number:,} {what[:-1]}ies" if what.endswith("y") else f"{number:,} {what}s"


def table(*columns: str) -> Table:
    """Return an empty table whose cells wrap, but for ids, which are there to be copied."""
    empty = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        empty.add_column(column, overflow="fold", no_wrap=column == "id")
    return empty


def on_a_terminal() -> bool:
    """Say whether there is someone to ask."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask(question: str) -> None:
    """Ask on the terminal; a no ends the command with exit code 1."""
    typer.confirm(question, abort=True, err=True)


def _bar(amount: ProgressColumn) -> Progress:
    """Return a bar on stderr that is gone when it is done; none where nobody looks."""
    columns = (TextColumn("{task.description}"), BarColumn(), amount, TimeRemainingColumn())
    return Progress(*columns, console=err, transient=True, disable=not err.is_terminal)


@contextmanager
def jar_progress() -> Iterator[Callable[[int, int], None]]:
    """Show a bar while jars are fetched; nothing when none are."""
    with _bar(MofNCompleteColumn()) as bar:
        task = bar.add_task("Fetching Neo4j (once)", total=None, visible=False)

        def move(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=done < total)

        yield move


@contextmanager
def byte_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar over bytes."""
    with _bar(DownloadColumn()) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def count_progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar over things that are counted."""
    with _bar(MofNCompleteColumn()) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
