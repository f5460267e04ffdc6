"""Storing an export in a memory: conversation by conversation, and a report of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

from graphmem import _extraction
from graphmem._errors import BatchError, ConflictError, UsageError
from graphmem._memory import Memory
from graphmem._models import Model, Stored, Turn
from graphmem._records import NewRecord
from graphmem.extract import mentions, passages
from graphmem.importers._conversation import ImportedConversation, Outcome, SkippedConversation
from graphmem.importers._export import read_export

BATCH = 5000
"""Turns or facts in one transaction: enough for speed, and little to do again after a crash."""

T = TypeVar("T")


class ConversationReport(Model):
    """What the import made of one conversation.

    ``new`` turns were stored, ``known`` ones were there already; ``facts`` are those that its turns
    say now. ``skipped`` says why it was not imported, or not to its end.
    """

    id: str | None
    title: str | None = None
    new: int = 0
    known: int = 0
    facts: int = 0
    branches: int = 0
    head: str | None = None
    warnings: tuple[str, ...] = ()
    skipped: str | None = None


class ImportReport(Model):
    """What an import did, conversation by conversation."""

    conversations: tuple[ConversationReport, ...]

    @property
    def imported(self) -> int:
        """How many conversations were imported."""
        return sum(report.skipped is None for report in self.conversations)

    @property
    def complete(self) -> bool:
        """Whether no conversation was skipped."""
        return self.imported == len(self.conversations)


def import_export(
    memory: Memory,
    path: Path,
    *,
    importer: str | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> ImportReport:
    """Import every conversation of a file, a folder or a zip, with all its branches.

    Every sentence of a user's or an assistant's message becomes a fact, verbatim. Importing again
    changes nothing, and completes an import that was cut off. ``progress`` hears how many bytes of
    how many are read. Errors: `ImportFormatError`; any `StoreError`, after which what was stored
    stays.
    """
    outcomes = read_export(path, importer, progress=progress)
    return ImportReport(conversations=tuple(_stored(memory, outcome) for outcome in outcomes))


def _stored(memory: Memory, outcome: Outcome) -> ConversationReport:
    if isinstance(outcome, SkippedConversation):
        return ConversationReport(id=outcome.id, title=outcome.title, skipped=outcome.reason)
    if not outcome.turns:
        nothing = "; ".join(("no turn of it can be kept", *outcome.warnings))
        return ConversationReport(id=outcome.id, title=outcome.title, skipped=nothing)
    try:
        return _store(memory, outcome)
    except UsageError as error:
        return ConversationReport(id=outcome.id, title=outcome.title, skipped=str(error))


def _store(memory: Memory, conversation: ImportedConversation) -> ConversationReport:
    new = known = facts = 0
    conflicts: list[ConflictError] = []
    for batch in _batches(iter(conversation.turns), BATCH):
        stored, agreed, refused = _add_turns(memory, batch)
        conflicts += refused
        new, known = new + stored.new, known + stored.known
        for records in _batches((fact for turn in agreed for fact in facts_of(turn)), BATCH):
            facts += len(memory.remember_all(records, skip_purged=True))
        _extraction.mark_read(memory.store, memory.space, "sentences", [t.id for t in agreed])
    memory.add_conversation(
        conversation.id, title=conversation.title, created_at=conversation.created_at
    )
    if conversation.head:
        memory.set_head(conversation.id, conversation.head)
    parents = {turn.parent for turn in conversation.turns}
    return ConversationReport(
        id=conversation.id,
        title=conversation.title,
        new=new,
        known=known,
        facts=facts,
        branches=sum(turn.id not in parents for turn in conversation.turns),
        head=conversation.head,
        warnings=(*conversation.warnings, *map(str, conflicts)),
    )


def facts_of(turn: Turn) -> Iterator[NewRecord]:
    """Yield the sentences of a user's or an assistant's turn as facts, each with its passage."""
    for passage in passages(turn):
        text = passage.quote or ""
        yield NewRecord(text=text, sources=(passage,), mentions=tuple(mentions(text)))


def _add_turns(memory: Memory, batch: list[Turn]) -> tuple[Stored, list[Turn], list[ConflictError]]:
    """Store the batch without the turns whose stored version differs, since turns never change."""
    try:
        return memory.add_turns(batch), batch, []
    except (ConflictError, BatchError) as error:
        errors = error.errors if isinstance(error, BatchError) else (error,)
        conflicts = [one for one in errors if isinstance(one, ConflictError)]
        if len(conflicts) < len(errors):
            raise
    refused = {conflict.id for conflict in conflicts}
    agreed = [turn for turn in batch if turn.id not in refused]
    return memory.add_turns(agreed), agreed, conflicts


def _batches(items: Iterator[T], size: int) -> Iterator[list[T]]:
    while batch := list(islice(items, size)):
        yield batch
