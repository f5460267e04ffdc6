"""Reading a whole export: find its files, choose their importers, yield the conversations."""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import BadZipFile

from graphmem._errors import ImportFormatError
from graphmem.importers._conversation import Importer, Outcome, SkippedConversation
from graphmem.importers._files import ExportFile, open_exports
from graphmem.importers.chatgpt import ChatGPT

IMPORTERS: tuple[Importer, ...] = (ChatGPT(),)

_BROKEN = (OSError, EOFError, BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError)
"""What a file or a member of a zip raises when it cannot be read."""


def read_export(
    path: Path,
    importer: str | None = None,
    *,
    progress: Callable[[int, int], object] | None = None,
) -> Iterator[Outcome]:
    """Yield every conversation of a file, a folder or a zip, one at a time.

    The format is told by the content; ``importer`` names it for a single file that is too damaged
    for that. Files that no importer recognises are passed over, unless there is nothing else.
    ``progress`` is called with the bytes read and the bytes there are. Raises ImportFormatError at
    once when nothing in ``path`` can be imported.
    """
    files = open_exports(path)
    chosen = _chosen(files, _candidates(importer), forced=importer is not None)
    if not chosen:
        raise ImportFormatError(
            f"{path} holds no conversations that graphmem can read. It reads "
            f"{_names()} exports: the zip, the folder it unpacks to, or a file of it"
        )
    return _conversations(chosen, progress or (lambda done, total: None))


def _candidates(name: str | None) -> tuple[Importer, ...]:
    found = tuple(importer for importer in IMPORTERS if name in (None, importer.name))
    if not found:
        raise ImportFormatError(f"there is no importer {name!r}; there is {_names()}")
    return found


def _names() -> str:
    return ", ".join(importer.name for importer in IMPORTERS)


def _chosen(
    files: list[ExportFile], candidates: tuple[Importer, ...], *, forced: bool
) -> list[tuple[Importer, ExportFile]]:
    if forced and len(files) == 1:
        return [(candidates[0], files[0])]
    pairs = ((_recogniser(file, candidates), file) for file in files)
    return [(importer, file) for importer, file in pairs if importer]


def _recogniser(file: ExportFile, candidates: tuple[Importer, ...]) -> Importer | None:
    try:
        return next((importer for importer in candidates if importer.recognises(file)), None)
    except _BROKEN as error:
        message = f"{file.name} cannot be read ({error}); download the export again"
        raise ImportFormatError(message) from error


def _conversations(
    chosen: list[tuple[Importer, ExportFile]], progress: Callable[[int, int], object]
) -> Iterator[Outcome]:
    total = sum(file.size for _, file in chosen)
    done = 0

    def count(size: int) -> None:
        nonlocal done
        done += size
        progress(done, total)

    for importer, file in chosen:
        try:
            yield from importer.read(file.counted(count))
        except _BROKEN as error:
            reason = f"{file.name} could not be read to its end: {error}"
            yield SkippedConversation(None, None, reason)
