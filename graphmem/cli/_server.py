"""The commands for the local Neo4j: up, down, status."""

from __future__ import annotations

from typing import Any

import typer

from graphmem.cli._app import Json, chosen, store_arguments
from graphmem.cli._output import jar_progress, print_json, say
from graphmem.store import Store, home, settings
from graphmem.store.local import LocalServer


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (up, down, status):
        app.command()(command)


def _server() -> LocalServer:
    return LocalServer(home(chosen.home))


def up(json: Json = False) -> None:
    """Start the local Neo4j, or say where it runs. The first time fetches it (190 MB)."""
    server = _server()
    with jar_progress() as progress:
        state = server.start(progress)
    # Opening it brings the schema up to date, too.
    Store.open(uri=state.uri, username=server.username, password=server.password).close()
    status(json)


def down(json: Json = False) -> None:
    """Stop the local Neo4j. What it holds stays."""
    stopped = _server().stop()
    if json:
        print_json({"stopped": stopped})
    else:
        say("stopped" if stopped else "it was not running")


def status(json: Json = False) -> None:
    """Say whether the store answers and where; nothing is started."""
    address = settings(**{k: v for k, v in store_arguments().items() if k != "home_folder"}).uri
    found = _remote_status(address) if address else _local_status()
    if json:
        print_json(found)
        return
    for name, value in found.items():
        say(f"{name.replace('_', ' '):14} {value}")


def _remote_status(uri: str) -> dict[str, Any]:
    with Store.open(**store_arguments()) as store:
        return {"running": True, "local": False, "uri": uri, "version": store.version}


def _local_status() -> dict[str, Any]:
    server = _server()
    state = server.state()
    where = {"local": True, "home": str(server.home)}
    if state is None:
        return {"running": False, **where}
    return {
        "running": True,
        **where,
        "version": state.version,
        "uri": state.uri,
        "browser": state.browser_url,
        "username": server.username,
        "password_file": str(server.home / "password"),
        "pid": state.pid,
    }
