"""The outermost objects of a JSON file, one at a time, whatever state the file is in.

Why not ijson: its C backend (3.6.0, yajl2) reads the escape ``\\ud83d`` as ``?``, and with an
escaped letter behind it as another character, without an error. On ``\\udf78``, on bytes that are
no UTF-8 and on a number of 20 digits it gives up the rest of the file, and its memory grows with
the square of the nesting. Its Python backend takes five times as long. Cutting the file at the
outermost braces needs to know strings and braces only. Each piece then goes to ``json``, which gets
all of this right, and a piece that is broken costs no other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

_CHUNK = 1024 * 1024
_STRING = rb'"(?P<inside>[^"\\]*+(?:\\.[^"\\]*+)*+)'
# A string that the chunk cuts ends in nothing, or in the backslash of a cut escape.
_TOKEN = re.compile(_STRING + rb'(?P<end>"|\\?)|[{}]', re.DOTALL)
_KEY = re.compile(_STRING + rb'"(?P<colon>\s*:)?|[{}]', re.DOTALL)
_OPEN, _CLOSE = b"{}"
_BOM = b"\xef\xbb\xbf"
_BETWEEN = b" \t\r\n,[]" + _BOM


@dataclass(frozen=True)
class Unreadable:
    """A stretch of the file that is no JSON object."""

    reason: str


def json_objects(stream: IO[bytes]) -> Iterator[dict[str, Any] | Unreadable]:
    """Yield each outermost object: the items of an array, a lone object, or several in a row.

    Memory is bounded by the largest of them.
    """
    cutter = _Cutter()
    while chunk := stream.read(_CHUNK):
        yield from cutter.feed(chunk)
    yield from cutter.close()


def outer_keys(head: bytes) -> list[set[bytes]]:
    """Return the keys of each outermost object in the first bytes of a file, as far as they go."""
    found: list[set[bytes]] = []
    depth = 0
    if head.removeprefix(_BOM).lstrip()[:1] not in (b"[", b"{"):
        return found
    for token in _KEY.finditer(head):
        if token[0] == b"{":
            if depth == 0:
                found.append(set())
            depth += 1
        elif token[0] == b"}":
            depth = max(depth - 1, 0)
        elif depth == 1 and token["colon"]:
            found[-1].add(token["inside"])
    return found


class _Cutter:
    def __init__(self) -> None:
        self._kept = bytearray()
        """Of the object under way, or of what stands between two."""
        self._depth = 0
        self._arrays = 0
        self._reopen = b""
        """What makes a string that the last chunk cut begin anew in this one."""
        self._passed = 0
        self._begun = 0

    def feed(self, chunk: bytes) -> Iterator[dict[str, Any] | Unreadable]:
        scan, start = self._reopen + chunk, len(self._reopen)
        offset = self._passed - start
        self._reopen = b""
        for token in _TOKEN.finditer(scan):
            first = scan[token.start()]  # token[0] would copy every string
            if first == _OPEN:
                if self._depth == 0:
                    yield from self._between(scan[start : token.start()])
                    start = token.start()
                    self._begun = offset + start
                self._depth += 1
            elif first == _CLOSE:
                self._depth = max(self._depth - 1, 0)
                if self._depth == 0:
                    yield from self._object(scan[start : token.end()])
                    start = token.end()
            elif token["end"] != b'"':
                self._reopen = b'"' + token["end"]
        self._kept += scan[start:]
        self._passed += len(chunk)

    def close(self) -> Iterator[Unreadable]:
        if self._depth or self._reopen:
            yield Unreadable(f"the file breaks off inside the object at byte {self._begun}")
            return
        yield from self._between(b"")
        if self._arrays > 0:
            yield Unreadable(f"the file breaks off at byte {self._passed}, before its list ends")

    def _take(self, end: bytes) -> bytes:
        taken = bytes(self._kept) + end
        self._kept.clear()
        return taken

    def _between(self, end: bytes) -> Iterator[Unreadable]:
        gap = self._take(end)
        self._arrays += gap.count(b"[") - gap.count(b"]")
        if junk := gap.strip(_BETWEEN):
            yield Unreadable(f"{len(junk)} bytes after byte {self._begun} are no JSON object")

    def _object(self, end: bytes) -> Iterator[dict[str, Any] | Unreadable]:
        data = self._take(end)
        if data[:1] != b"{":  # a closing brace that nothing opened
            yield Unreadable(f"{len(data)} bytes after byte {self._begun} are no JSON object")
            return
        try:
            yield json.loads(_decoded(data), strict=False)
        except (ValueError, RecursionError) as error:
            yield Unreadable(f"the object at byte {self._begun} is no valid JSON: {error}")


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")
