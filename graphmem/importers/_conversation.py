"""What every importer gives, and what it has to be able to do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from graphmem._models import Turn
from graphmem.importers._files import ExportFile


@dataclass(frozen=True)
class ImportedConversation:
    """One conversation with all its branches, every turn after its parent.

    ``head`` is the id of the turn that the host shows; ``warnings`` say what was not as it should
    be and what was made of it. They name ids, never text.
    """

    id: str
    title: str | None
    created_at: datetime | None
    head: str | None
    turns: tuple[Turn, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class SkippedConversation:
    """A conversation, or the rest of a file, that could not be read, and why."""

    id: str | None
    title: str | None
    reason: str


Outcome = ImportedConversation | SkippedConversation


class Importer(Protocol):
    """Reads one format. It sees single files and knows nothing of folders, zips and stores."""

    @property
    def name(self) -> str:
        """The format's name, which also begins every id: ``chatgpt``."""

    def recognises(self, file: ExportFile) -> bool:
        """Tell by the first bytes whether the file is of this format."""

    def read(self, file: ExportFile) -> Iterator[Outcome]:
        """Yield the file's conversations one at a time. A bad one is skipped, never raised."""
