"""The command that imports what people have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphmem.cli._app import DEFAULT_SPACE, PARTLY_DONE, Json, Space, open_memory, say_what_waits
from graphmem.cli._output import byte_progress, print_json, say, shown
from graphmem.importers import ConversationReport, ImportReport, import_export


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("import")(import_)


def import_(
    path: Annotated[Path, typer.Argument(exists=True, help="A file, a folder or a zip.")],
    space: Space = DEFAULT_SPACE,
    format: Annotated[
        str | None, typer.Option(help="The format, where the content does not tell.")
    ] = None,
    json: Json = False,
) -> None:
    """Import chats with all their branches (ChatGPT exports); their sentences become facts.

    Importing the same file again changes nothing. Exit code 3: some conversation was skipped.
    """
    with open_memory(space) as memory:
        with byte_progress(f"Importing {shown(path.name)}") as progress:
            report = import_export(memory, path, importer=format, progress=progress)
        print_json(_report_json(report, space)) if json else _print_report(report, space)
        say_what_waits(memory)
    if not report.complete:
        raise typer.Exit(PARTLY_DONE)


def _report_json(report: ImportReport, space: str) -> dict[str, Any]:
    return {
        "space": space,
        "imported": report.imported,
        "skipped": len(report.conversations) - report.imported,
        **report.model_dump(mode="json"),
    }


def _print_report(report: ImportReport, space: str) -> None:
    for one in report.conversations:
        say(_conversation_line(one), "yellow" if one.skipped else "")
        for warning in one.warnings:
            say(f"    warning: {shown(warning)}", "yellow")
    new = sum(one.new for one in report.conversations)
    facts = sum(one.facts for one in report.conversations)
    say(
        f"{report.imported} of {len(report.conversations)} conversations are in space '{space}': "
        f"{new} new turns, {facts} facts. `graphmem tree --space {space}` draws them.",
        "bold",
    )


def _conversation_line(one: ConversationReport) -> str:
    name = shown(one.title or one.id or "(no name)", 60)
    if one.skipped:
        return f"{name}: skipped, {shown(one.skipped)}"
    turns = f"{one.new} new and {one.known} known turns" if one.known else f"{one.new} turns"
    return f"{name}: {turns}, {one.branches} branches, {one.facts} facts"
