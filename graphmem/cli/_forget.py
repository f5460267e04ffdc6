"""The commands that forget: revoke and restore, purge, and forget for a whole space."""

from __future__ import annotations

from typing import Annotated

import typer

from graphmem._errors import InvalidInputError
from graphmem._forgetting import Forgotten, Purged
from graphmem.cli._app import DEFAULT_SPACE, Json, Space, Yes, open_memory
from graphmem.cli._output import (
    ask,
    count,
    count_progress,
    note,
    on_a_terminal,
    print_json,
    say,
    shown,
)

Turns = Annotated[
    list[str] | None, typer.Option("--turn", help="A turn; can be given several times.")
]
Records = Annotated[
    list[str] | None, typer.Option("--record", help="A record; can be given several times.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Count only.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (revoke, restore, purge, forget):
        app.command()(command)


def revoke(
    turn: Turns = None,
    record: Records = None,
    space: Space = DEFAULT_SPACE,
    json: Json = False,
) -> None:
    """Hide turns or records with all that was derived from them, until they are restored."""
    with open_memory(space) as memory:
        done = memory.revoke(turns=turn or (), records=record or ())
    _report(done, "hidden", json)


def restore(
    turn: Turns = None,
    record: Records = None,
    space: Space = DEFAULT_SPACE,
    json: Json = False,
) -> None:
    """Take a revoke back: everything is again as it was."""
    with open_memory(space) as memory:
        done = memory.restore(turns=turn or (), records=record or ())
    _report(done, "brought back", json)


def purge(
    turn: Turns = None,
    record: Records = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    space: Space = DEFAULT_SPACE,
    json: Json = False,
) -> None:
    """Remove turns or records for good, with every record that depends on them.

    An id without content stays in their place. This cannot be taken back; `revoke` can.
    """
    asks = _must_ask(yes or dry_run)
    turns, records = turn or (), record or ()
    with open_memory(space) as memory:
        if asks:
            foreseen = memory.purge(turns=turns, records=records, dry_run=True)
            _ask("purge", foreseen)
        done = memory.purge(turns=turns, records=records, dry_run=dry_run)
    _report(done, "would be removed for good" if dry_run else "removed for good", json)


def forget(
    space: Annotated[
        str, typer.Option("--space", help="The space. No setting stands in for this option.")
    ],
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Delete all that a space holds, for good. Nothing is left of it, not even ids."""
    asks = _must_ask(yes or dry_run)
    with open_memory(space) as memory:
        if asks:
            _ask(f"forget space {shown(space)}", memory.forget_space(dry_run=True))
        with count_progress("Forgetting") as progress:
            done = memory.forget_space(dry_run=dry_run, progress=progress)
    if not any(dict(done).values()) and not json:
        say(f"space '{shown(space)}' holds nothing")
        return
    _report(done, "would be deleted for good" if dry_run else "deleted for good", json)


def _must_ask(sure: bool) -> bool:
    """Say whether the user is to be asked; InvalidInputError when there is none to ask."""
    if sure:
        return False
    if not on_a_terminal():
        raise InvalidInputError(
            "this removes for good and there is no terminal to ask on: add --yes, or --dry-run to "
            "see how much it is"
        )
    return True


def _ask(what: str, foreseen: Purged) -> None:
    note(f"{what}: {_counted(foreseen)}, for good")
    ask("Go on?")


def _report(done: Forgotten, what: str, json: bool) -> None:
    if json:
        print_json(done)
    else:
        say(f"{_counted(done)} {what}")


def _counted(done: Forgotten) -> str:
    """Return the counts in words; those that are 0 are left out."""
    counts = {_singular(name): number for name, number in done if number}
    return ", ".join(count(number, name) for name, number in counts.items()) or "nothing"


def _singular(name: str) -> str:
    return "entity" if name == "entities" else name.removesuffix("s")
