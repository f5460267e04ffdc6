"""Where an export lies: a file, a folder or a zip, read without unpacking."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from graphmem._errors import ImportFormatError

_SUFFIX = ".json"
_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06")
_ENCRYPTED = 0x1
_HEAD = 256 * 1024


@dataclass(frozen=True)
class ExportFile:
    """One file of an export, on disk or inside a zip. ``size`` is in bytes, unpacked."""

    name: str
    size: int
    open: Callable[[], IO[bytes]]

    def head(self, size: int = _HEAD) -> bytes:
        """Return the first bytes, enough to tell the format by."""
        with self.open() as stream:
            return stream.read(size)

    def counted(self, count: Callable[[int], object]) -> ExportFile:
        """Return the same file, which calls ``count`` with the size of each block that is read."""
        return replace(self, open=lambda: io.BufferedReader(_Counted(self.open(), count)))


class _Counted(io.RawIOBase):
    def __init__(self, stream: IO[bytes], count: Callable[[int], object]) -> None:
        self._stream = stream
        self._count = count

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._count(len(data))
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def open_exports(path: Path) -> list[ExportFile]:
    """List the files that may hold conversations, in the order of their names.

    A folder gives its ``*.json`` at any depth, a zip its ``*.json`` members, and a file itself,
    whatever it is called.
    """
    if path.is_dir():
        return [
            _on_disk(file)
            for file in sorted(path.rglob("*"))
            if _is_json(file.name, file.is_file())
        ]
    file = _on_disk(path)
    return _in_zip(path) if file.head(4) in _ZIP_STARTS else [file]


def _is_json(name: str, is_file: bool) -> bool:
    return is_file and name.lower().endswith(_SUFFIX)


def _on_disk(path: Path) -> ExportFile:
    return ExportFile(str(path), path.stat().st_size, lambda: path.open("rb"))


def _in_zip(path: Path) -> list[ExportFile]:
    try:
        with ZipFile(path) as archive:
            members = sorted(archive.infolist(), key=lambda member: member.filename)
    except BadZipFile as error:
        message = f"{path} is a broken zip ({error}); download the export again"
        raise ImportFormatError(message) from error
    return list(_members(path, members))


def _members(path: Path, members: list[ZipInfo]) -> Iterator[ExportFile]:
    for member in members:
        if not _is_json(member.filename, not member.is_dir()):
            continue
        if member.flag_bits & _ENCRYPTED:
            raise ImportFormatError(f"{path} is encrypted; unpack it with its password first")
        yield ExportFile(f"{path}/{member.filename}", member.file_size, _opener(path, member))


def _opener(path: Path, member: ZipInfo) -> Callable[[], IO[bytes]]:
    def opened() -> IO[bytes]:
        # The open member keeps the archive's file alive, and closes it when it is closed itself.
        with ZipFile(path) as archive:
            return archive.open(member)

    return opened
