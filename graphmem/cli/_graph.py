"""The commands that read the graph of entities, and what was held when."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from graphmem._graph_models import Edge, GraphPath
from graphmem._models import Scope
from graphmem.cli._app import DEFAULT_SPACE, Anchor, Json, ScopeOption, Space, open_memory
from graphmem.cli._claims import turns_of
from graphmem.cli._output import out, print_json, say, shown, table

EntityName = Annotated[str, typer.Argument(help="An entity, by a name that is visible there.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (timeline, entities, neighbours, paths):
        app.command()(command)


def timeline(
    subject: Annotated[
        str, typer.Argument(metavar="RECORD_OR_ENTITY", help="A record's id, or an entity's name.")
    ],
    anchor: Anchor,
    space: Space = DEFAULT_SPACE,
    scope: ScopeOption = "path",
    json: Json = False,
) -> None:
    """Show what was held when along an anchor's path, and what took its place."""
    with open_memory(space) as memory:
        moments = memory.at(anchor, scope=cast(Scope, scope)).timeline(subject)
    if json:
        print_json({"subject": subject, "anchor": anchor, "scope": scope, "moments": moments})
        return
    if not moments:
        say(f"nothing of {shown(subject)} is visible at {shown(anchor)}", "dim")
        return
    rows = table("since", "until", "what was held", "then", "id")
    for one in moments:
        until = shown(one.until) if one.until else "(holds)"
        then = shown(one.replacement or "", 60) or ("(retracted)" if one.until else "")
        rows.add_row(shown(one.since), until, shown(one.text, 90), then, shown(one.record))
    out.print(rows)


def entities(
    anchor: Anchor,
    query: Annotated[
        str | None, typer.Argument(help="Only those with a name that holds this.")
    ] = None,
    space: Space = DEFAULT_SPACE,
    scope: ScopeOption = "path",
    json: Json = False,
) -> None:
    """List the entities that visible records mention, the most mentioned first."""
    with open_memory(space) as memory:
        found = memory.at(anchor, scope=cast(Scope, scope)).entities(query)
    if json:
        print_json({"anchor": anchor, "scope": scope, "entities": found})
        return
    rows = table("entity", "type", "records", "also called")
    for one in found:
        name, *others = one.names or (one.key,)
        types, also = ", ".join(one.types), ", ".join(others)
        rows.add_row(shown(name, 60), shown(types, 30), str(one.records), shown(also, 60))
    if found:
        out.print(rows)
    say(f"{len(found)} visible at {shown(anchor)}", "dim")


def neighbours(
    entity: EntityName,
    anchor: Anchor,
    limit: Annotated[int | None, typer.Option(help="At most so many relations.")] = None,
    space: Space = DEFAULT_SPACE,
    scope: ScopeOption = "path",
    json: Json = False,
) -> None:
    """Show the relations of an entity that are current at an anchor, the latest first."""
    with open_memory(space) as memory:
        edges = memory.at(anchor, scope=cast(Scope, scope)).neighbours(entity, limit=limit)
    if json:
        print_json({"entity": entity, "anchor": anchor, "scope": scope, "edges": edges})
        return
    if not edges:
        say(f"no relation of {shown(entity)} is visible at {shown(anchor)}", "dim")
        return
    rows = table("relation", "text", "supports", "from", "id")
    for edge in edges:
        turns, text = turns_of(edge.sources), shown(edge.text, 90)
        rows.add_row(_drawn(edge), text, str(edge.supports), turns, shown(edge.id))
    out.print(rows)


def paths(
    a: EntityName,
    b: Annotated[str, typer.Argument(help="The other one.")],
    anchor: Anchor,
    longest: Annotated[int, typer.Option(help="Relations in a chain, at most.")] = 4,
    limit: Annotated[int, typer.Option(help="At most so many chains.")] = 100,
    space: Space = DEFAULT_SPACE,
    scope: ScopeOption = "path",
    json: Json = False,
) -> None:
    """Show the shortest chains of current relations from one entity to another."""
    with open_memory(space) as memory:
        view = memory.at(anchor, scope=cast(Scope, scope))
        found = view.paths(a, b, longest=longest, limit=limit)
    if json:
        print_json({"a": a, "b": b, "anchor": anchor, "scope": scope, "paths": found})
        return
    if not found:
        say(f"nothing visible at {shown(anchor)} leads from {shown(a)} to {shown(b)}", "dim")
    for path in found:
        say(shown(str(path)))
        for edge in path.edges:
            say(f"    {shown(edge.text, 90)}  {turns_of(edge.sources)}", "dim")


def _drawn(edge: Edge) -> str:
    return shown(str(GraphPath.model_construct(edges=(edge,))))
