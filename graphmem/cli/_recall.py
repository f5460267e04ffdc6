"""The commands that answer a question: recall and context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, cast

import typer

from graphmem._models import Kind, Scope
from graphmem._recall import Hit, Prefer
from graphmem.cli._app import (
    DEFAULT_SPACE,
    Anchor,
    EmbedderOption,
    Json,
    Kinds,
    ScopeOption,
    Space,
    open_to_search,
)
from graphmem.cli._claims import end_of, turns_of
from graphmem.cli._output import note, out, print_json, say, shown, table

Question = Annotated[str, typer.Argument(help="In plain words.")]
Preference = Annotated[
    str | None,
    typer.Option("--prefer", help="'valued': what came of it counts too; see `credit`."),
]
Excluded = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude", help="A turn that the prompt shows already; can be given several times."
    ),
]
SinceOption = Annotated[
    str | None, typer.Option("--since", help="The prompt shows the path from this turn on.")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (recall, context):
        app.command()(command)


def recall(
    question: Question,
    anchor: Anchor,
    k: Annotated[int, typer.Option("-k", help="At most so many.")] = 10,
    kind: Kinds = None,
    history: Annotated[
        bool, typer.Option("--history", help="Also what no longer holds, and by what.")
    ] = False,
    space: Space = DEFAULT_SPACE,
    scope: ScopeOption = "path",
    prefer: Preference = None,
    exclude: Excluded = None,
    since: SinceOption = None,
    embedder: EmbedderOption = None,
    json: Json = False,
) -> None:
    """Find what a question is answered from, of all that is visible at an anchor."""
    with open_to_search(space, embedder) as memory:
        view = memory.at(anchor, scope=cast(Scope, scope))
        hits = view.recall(
            question,
            k,
            kinds=cast(list[Kind] | None, kind),
            history=history,
            prefer=cast(Prefer | None, prefer),
            exclude_window=exclude,
            since=since,
        )
    if json:
        print_json({"question": question, "anchor": anchor, "scope": scope, "hits": hits})
        return
    _print_hits(hits)
    say(f"{len(hits)} found at {shown(anchor)}", "dim")


def _print_hits(hits: Sequence[Hit]) -> None:
    dated = any(not hit.current for hit in hits)
    rows = table("score", "text", *(["no longer holds"] if dated else []), "from", "id")
    for hit in hits:
        end = [end_of(hit)] if dated else []
        turns = turns_of(hit.sources)
        rows.add_row(f"{hit.score:.3f}", shown(hit.text, 200), *end, turns, shown(hit.id))
    if hits:
        out.print(rows)


def context(
    question: Question,
    anchor: Anchor,
    max_tokens: Annotated[int, typer.Option(help="How long the block may be.")] = 1000,
    kind: Kinds = None,
    space: Space = DEFAULT_SPACE,
    scope: ScopeOption = "path",
    prefer: Preference = None,
    exclude: Excluded = None,
    since: SinceOption = None,
    embedder: EmbedderOption = None,
    json: Json = False,
) -> None:
    """Write the block of a prompt that says what is remembered here about a question."""
    with open_to_search(space, embedder) as memory:
        view = memory.at(anchor, scope=cast(Scope, scope))
        block = view.context(
            question,
            max_tokens,
            kinds=cast(list[Kind] | None, kind),
            prefer=cast(Prefer | None, prefer),
            exclude_window=exclude,
            since=since,
        )
    if json:
        print_json({"question": question, "anchor": anchor, "scope": scope, **block.model_dump()})
        return
    for line in block.text.splitlines():
        say(shown(line))
    if not block.text:
        note(f"nothing is remembered at {shown(anchor)} that fits")
