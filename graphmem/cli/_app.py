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
from graphmem.cli._output import err, jar_progress
from graphmem.store import Store

app = typer.Typer(
    name="graphmem",
    help="Branch-aware memory on Neo4j: what is true on this branch of the conversation.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@dataclass
class StoreOptions:
    """Where the store is, as the command line says. None leaves it to the environment."""

    uri: str | None = None
    username: str | None = None
    password: str | None = None
    database: str | None = None
    home: Path | None = None


chosen = StoreOptions()

Space = Annotated[
    str,
    typer.Option("--space", envvar="GRAPHMEM_SPACE", help="The user, team or agent it is about."),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, nothing else.")]
Anchor = Annotated[str, typer.Option("--anchor", help="The turn to look from.")]
ScopeOption = Annotated[
    str, typer.Option("--scope", help="'path', or 'space' for the heads of other trees as well.")
]
DEFAULT_SPACE = "default"


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
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say on stderr what is done.")
    ] = False,
) -> None:
    """Set where the store is."""
    chosen.__dict__.update(
        uri=uri, username=username, password=password, database=database, home=home
    )
    handler = RichHandler(console=err, show_path=False, show_time=False)
    logging.basicConfig(
        level=logging.INFO if verbose else logging.WARNING, handlers=[handler], force=True
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
    with jar_progress() as progress, Store.open(**store_arguments(), progress=progress) as store:
        yield store


@contextmanager
def open_memory(space: str) -> Iterator[Memory]:
    """Open the memory of a space."""
    with open_store() as store:
        yield Memory(store, space=space)
