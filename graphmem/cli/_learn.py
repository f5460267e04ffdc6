"""The commands that add to what is remembered: extract, summarise, correct, retract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from graphmem import _extraction
from graphmem._errors import ModelUnavailableError, UnknownTurnError
from graphmem._extraction import Extracted, Failure
from graphmem._memory import Memory
from graphmem._models import Correction
from graphmem._summaries import Summarised
from graphmem.cli._app import (
    DEFAULT_SPACE,
    PARTLY_DONE,
    Anchor,
    Json,
    Space,
    open_memory,
    say_what_waits,
)
from graphmem.cli._output import count, count_progress, note, print_json, say, shown
from graphmem.extract import extractor_named
from graphmem.summarise import summariser_named

FAILURES_SHOWN = 20

RecordId = Annotated[str, typer.Argument(metavar="RECORD", help="The record's id.")]
Sources = Annotated[
    list[str],
    typer.Option("--source", help="The turn that says so; can be given several times."),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (extract, summarise, correct, retract):
        app.command()(command)


def extract(
    extractor: Annotated[
        str, typer.Option(help="sentences (needs no model), openai or openai:<model>.")
    ] = "sentences",
    turn: Annotated[list[str] | None, typer.Option(help="Only this turn, or these.")] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Also the turns that failed before.")
    ] = False,
    lazy: Annotated[
        bool, typer.Option("--lazy", help="Without replaced answers that nobody went on from.")
    ] = False,
    status: Annotated[
        bool, typer.Option("--status", help="Read nothing; say what waits and what failed.")
    ] = False,
    space: Space = DEFAULT_SPACE,
    json: Json = False,
) -> None:
    """Read the turns that were not read yet, and store what they say as facts and relations.

    Cut off, it goes on when it is called again. Exit code 3: some turns could not be read.
    """
    if status:
        _status(extractor, space, json)
        return
    reader = extractor_named(extractor)
    with open_memory(space) as memory:
        for id_ in turn or ():
            memory.turn(id_)  # the library takes unknown ones for turns that need not be read
        try:
            with count_progress("Reading turns") as progress:
                report = memory.extract(
                    reader,
                    turns=turn,
                    retry_failed=retry_failed,
                    lazy=lazy,
                    progress=progress,
                )
        except ModelUnavailableError:
            note("What was read is kept. Call it again to go on, with --retry-failed.")
            raise
        print_json(report) if json else _print_report(report)
        say_what_waits(memory)
    if report.failed:
        raise typer.Exit(PARTLY_DONE)


def _print_report(report: Extracted) -> None:
    say(
        f"{shown(report.extractor)} read {count(report.read, 'turn')}: "
        f"{count(report.records, 'record')}, {count(report.corrections, 'correction')}",
        "bold",
    )
    if report.rejected:
        say(f"{count(report.rejected, 'item')} of the model's answers rejected", "yellow")
    _print_failures(report.failed)


def _print_failures(failed: Sequence[Failure]) -> None:
    if not failed:
        return
    say(f"{count(len(failed), 'turn')} failed; `--retry-failed` reads them again:", "yellow")
    for one in failed[:FAILURES_SHOWN]:
        say(f"  {shown(one.turn)}: {shown(one.reason)}")
    if len(failed) > FAILURES_SHOWN:
        say(f"  and {len(failed) - FAILURES_SHOWN} more")


def _status(extractor: str, space: str, json: bool) -> None:
    name = _name(extractor)
    with open_memory(space) as memory:
        waiting = _extraction.waiting(memory.store, memory.space, name)
        failed = memory.extraction_failures(name)
    if json:
        print_json({"space": space, "extractor": name, "waiting": waiting, "failed": failed})
        return
    say(f"{count(waiting, 'turn')} not read by {name} yet")
    _print_failures(failed)


def _name(extractor: str) -> str:
    """Return the name that an extractor's state is kept under, without asking for its key."""
    kind, _, _ = extractor.partition(":")
    return kind if kind == "openai" else extractor_named(extractor).name


def summarise(
    anchor: Anchor,
    summariser: Annotated[
        str, typer.Option(help="extractive (needs no model), openai or openai:<model>.")
    ] = "extractive",
    space: Space = DEFAULT_SPACE,
    json: Json = False,
) -> None:
    """Sum up an anchor's path in blocks, which the branches that share them share.

    What is summed up already is used again.
    """
    writer = summariser_named(summariser)
    with open_memory(space) as memory:
        with count_progress("Summing up") as progress:
            report = memory.summarise(anchor, writer, progress=progress)
        print_json(report) if json else _print_summaries(report)
        say_what_waits(memory)


def _print_summaries(report: Summarised) -> None:
    if report.awaited:
        say(f"not summed up: {count(len(report.awaited), 'turn')} of the path awaited", "yellow")
    say(
        f"{count(report.made, 'summary')} made, {report.reused} there already; "
        f"{count(len(report.turns), 'turn')} not summed up",
        "bold",
    )
    for one in report.summaries:
        first, last = one.sources[0].turn, one.sources[-1].turn
        say(f"{shown(str(first))} to {shown(str(last))}, level {one.level}:", "dim")
        say(f"  {shown(one.text, 400)}")


def correct(
    record: RecordId,
    new_text: Annotated[str, typer.Argument(help="What holds instead.")],
    source: Sources,
    space: Space = DEFAULT_SPACE,
    json: Json = False,
) -> None:
    """Put a new fact in the place of a record, where its source is on the path."""
    with open_memory(space) as memory:
        correction = memory.correct(record, new_text, source)
        _report_correction(memory, correction, json)


def retract(
    record: RecordId,
    source: Sources,
    space: Space = DEFAULT_SPACE,
    json: Json = False,
) -> None:
    """Say that a record no longer holds, where the source is on the path."""
    with open_memory(space) as memory:
        correction = memory.retract(record, source)
        _report_correction(memory, correction, json)


def _report_correction(memory: Memory, correction: Correction, json: bool) -> None:
    print_json(correction) if json else _print_correction(correction)
    for source in correction.sources:
        _note_awaited(memory, str(source.turn))
    if correction.unreachable:
        note("its sources lie on two branches, so no anchor will ever show it")
    say_what_waits(memory)


def _print_correction(correction: Correction) -> None:
    turns = ", ".join(shown(str(source.turn)) for source in correction.sources)
    verb = "holds" if len(correction.invalidates) == 1 else "hold"
    say(f"where {turns} is on the path, no longer {verb}:")
    for id_ in correction.invalidates:
        say(f"  {shown(id_)}")
    if correction.replacement:
        new = correction.replacement
        say(f"instead: {shown(new.text, 200)}  {shown(new.id)}", "bold")


def _note_awaited(memory: Memory, turn: str) -> None:
    try:
        memory.turn(turn)
    except UnknownTurnError:
        note(f"turn {shown(turn)} has not arrived; until it does, this changes nothing")
