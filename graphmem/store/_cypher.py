"""The ``.cypher`` files as checked, typed queries.

A file holds one statement. Its first line is a comment with the title, the last comment line before
the statement declares what the loader checks::

    // Records visible at an anchor
    // Why, in three lines or less.
    // @params space, anchor, scope  @mode read
    MATCH ...

``@mode`` is ``read``, ``write`` or ``schema`` and decides where the query is sent. A file with
``@continues record`` goes on where another one ended: `Query.then` puts the two together, the first
as a subquery, so that a rule such as the gate is written once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import LiteralString, cast

from graphmem._errors import InvalidInputError

LANGUAGE = "CYPHER 25"
"""What every statement is sent with. A file says it where Neo4j Browser would need to be told."""
MODES = ("read", "write", "schema")
MAX_DIMENSIONS = 4096
"""Longest vector that the server indexes."""
_DECLARATION = re.compile(r"@(\w+)\s+([^@]*)")
_PARAMETER = re.compile(r"\$(\w+)")
_LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|//[^\n]*")


@dataclass(frozen=True)
class Query:
    """A statement, what it needs and where it may run."""

    name: str
    title: str
    text: LiteralString
    mode: str
    params: frozenset[str]
    continues: tuple[str, ...] = ()
    by_user: bool = False
    """Whether a user wrote its end, so that what the server refuses is the user's to mend."""

    @property
    def statement(self) -> LiteralString:
        """What is sent to the server."""
        return f"{LANGUAGE}\n{self.text}"

    def then(self, continuation: Query) -> Query:
        """Return one query: this one as a subquery, then ``continuation`` on what it returns."""
        return Query(
            name=f"{self.name} + {continuation.name}",
            title=continuation.title,
            text="CALL (*) {\n" + self.text + "\n}\n" + continuation.text,
            mode=continuation.mode,
            params=self.params | continuation.params,
        )

    def for_each(self, rows: Query, then: Query, /, **bound: str) -> Query:
        """Return one query: this one for each row of ``rows``, then ``then`` on all they return.

        ``bound`` names for some parameters the column of ``rows`` that takes their place.
        """
        body = self.text
        for parameter, column in bound.items():
            body = re.sub(rf"\${parameter}\b", column, body)
        each = "CALL (*) {\n" + rows.text + "\n}\nCALL (*) {\n"
        return Query(
            name=f"{self.name} for each {rows.name} + {then.name}",
            title=then.title,
            text=each + body + "\n}\n" + then.text,
            mode=then.mode,
            params=rows.params | (self.params - bound.keys()) | then.params,
        )

    def for_slot(self, slot: int) -> Query:
        """Return this query for one of the two places for vectors; the files are written for 0."""
        if slot not in (0, 1):
            raise AssertionError(f"{self.name}: there are the slots 0 and 1, not {slot!r}")
        text = re.sub(r"\b(vector|record_vector_)0\b", rf"\g<1>{int(slot)}", self.text)
        return replace(self, text=cast(LiteralString, text))

    def with_dimensions(self, dimensions: int) -> Query:
        """Return this query for vectors of a length; the files are written for 384."""
        if type(dimensions) is not int or not 1 <= dimensions <= MAX_DIMENSIONS:
            raise InvalidInputError(
                f"a vector has 1 to {MAX_DIMENSIONS} dimensions, not {dimensions!r}"
            )
        text = re.sub(r"\b384\b", str(dimensions), self.text)
        return replace(self, text=cast(LiteralString, text))

    def then_by_user(self, text: str) -> Query:
        """Return this query going on with a user's own text, which the server lets only read."""
        if self.mode != "read":
            raise AssertionError(f"{self.name} does not only read; no user's text may join it")
        # The one place where text that is not ours reaches the server.
        whole = cast(LiteralString, f"{self.text}\n{text}")
        return replace(self, name=f"{self.name} + user", text=whole, by_user=True)


def parse(name: str, source: str) -> Query:
    """Turn the text of a ``.cypher`` file into a query; InvalidInputError says what is wrong."""
    lines = source.splitlines()
    header = list(_leading_comments(lines))
    if len(header) < 2 or not header[0]:
        raise InvalidInputError(f"{name}: the first lines are a title and '@params … @mode …'")
    declared = {key: _names(value) for key, value in _DECLARATION.findall(header[-1])}
    body = "\n".join(lines[len(header) :]).strip().removeprefix(LANGUAGE).strip()
    mode = " ".join(declared.get("mode", ()))
    params = frozenset(declared.get("params", ()))
    used = frozenset(_PARAMETER.findall(_LITERAL.sub("", body)))
    if mode not in MODES:
        raise InvalidInputError(f"{name}: @mode is one of {', '.join(MODES)}, not {mode!r}")
    if params != used:
        wrong = ", ".join(sorted(params ^ used))
        raise InvalidInputError(f"{name}: parameters declared and used differ in: {wrong}")
    # The loader is where file text becomes query text; nothing else may make it.
    text = cast(LiteralString, body)
    return Query(name, header[0], text, mode, params, tuple(declared.get("continues", ())))


def _leading_comments(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("//"):
            return
        yield line.removeprefix("//").strip()


def _names(declaration: str) -> list[str]:
    return [name.strip() for name in declaration.split(",") if name.strip()]


def directory() -> Path:
    """Return the folder of the ``.cypher`` files: in the wheel, or beside a checkout's package."""
    package = Path(__file__).parents[1]
    inside, beside = package / "cypher", package.parent / "cypher"
    return inside if inside.is_dir() else beside


class Room:
    """The queries of one folder, by name: ``room.add`` is ``add.cypher``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._loaded: dict[str, Query] = {}

    def __getattr__(self, name: str) -> Query:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._loaded:
            path = self._folder / f"{name}.cypher"
            if not path.is_file():
                raise AttributeError(f"there is no query {self._folder.name}/{name}.cypher")
            self._loaded[name] = parse(f"{self._folder.name}/{name}", path.read_text("utf-8"))
        return self._loaded[name]

    def __iter__(self) -> Iterator[Query]:
        return (getattr(self, path.stem) for path in sorted(self._folder.glob("*.cypher")))


class Queries:
    """All queries, by folder: ``queries.turn.add`` is ``cypher/turn/add.cypher``."""

    @cached_property
    def _root(self) -> Path:
        return directory()

    def __getattr__(self, name: str) -> Room:
        folder = self._root / name
        if name.startswith("_") or not folder.is_dir():
            raise AttributeError(f"there is no folder cypher/{name}")
        room = Room(folder)
        setattr(self, name, room)
        return room

    def __iter__(self) -> Iterator[Query]:
        for folder in sorted(path for path in self._root.iterdir() if path.is_dir()):
            yield from getattr(self, folder.name)


queries = Queries()
