"""The commands that read: tree, path, facts, explain, diff, cypher, doctor."""

from __future__ import annotations

from typing import Annotated, Any, cast

import typer

from graphmem import _doctor
from graphmem._errors import InvalidInputError
from graphmem._memory import Memory
from graphmem._models import Explanation, Kind, Reason, ReasonCode, Scope, Tree, Turn
from graphmem.cli._app import (
    DEFAULT_SPACE,
    Anchor,
    Json,
    Kinds,
    ScopeOption,
    Space,
    open_memory,
)
from graphmem.cli._claims import claim_json, claim_table, ended_by
from graphmem.cli._drawing import drawing
from graphmem.cli._output import out, print_json, say, shown, table

SPACES_SHOWN = 20

REASONS: dict[ReasonCode, str] = {
    "awaited": "{source} has not arrived yet",
    "revoked": "{source} was revoked",
    "purged": "{source} was purged",
    "lost": "{source} is gone from the graph",
    "other_space": "{source} belongs to another space",
    "no_source": "it has no source",
    "no_anchor": "there is no anchor",
}
"""Why a record is hidden, in words; ``off_path`` needs more than one sentence can say."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (tree, path, facts, explain, diff, cypher, doctor):
        app.command()(command)


def tree(
    conversation: Annotated[str | None, typer.Argument(help="Only this one.")] = None,
    space: Space = DEFAULT_SPACE,
    json: Json = False,
) -> None:
    """Draw the conversations of a space with all their branches."""
    with open_memory(space) as memory:
        trees = [memory.tree(conversation)] if conversation else _all_trees(memory)
    if json:
        print_json({"conversations": [_tree_json(found) for found in trees]})
        return
    if not trees:
        say(
            f"Space '{shown(space)}' has no turns yet. `graphmem demo` shows an example, "
            "`graphmem import` fills it."
        )
    for found in trees:
        say(shown(found.title or found.id or "turns of no conversation"), "bold")
        for line in drawing(found):
            out.print(line)
        say()


def _all_trees(memory: Memory) -> list[Tree]:
    names = [conversation.id for conversation in memory.conversations()]
    trees = [memory.tree(name) for name in (*names, None)]
    return [found for found in trees if found.turns or found.id is not None]


def _tree_json(found: Tree) -> dict[str, Any]:
    return found.model_dump(mode="json")


def path(anchor: Anchor, space: Space = DEFAULT_SPACE, json: Json = False) -> None:
    """Show an anchor's path, from the root."""
    with open_memory(space) as memory:
        turns = memory.at(anchor).path()
    if json:
        print_json({"anchor": anchor, "turns": [turn.model_dump(mode="json") for turn in turns]})
        return
    for turn in turns:
        say(_one_line(turn))


def _one_line(turn: Turn) -> str:
    return f"{shown(turn.role, 12):9} {shown(turn.text, 70)}  {shown(turn.id)}"


def facts(
    anchor: Anchor,
    space: Space = DEFAULT_SPACE,
    scope: ScopeOption = "path",
    kind: Kinds = None,
    history: Annotated[
        bool, typer.Option("--history", help="Also those that no longer hold, and by what.")
    ] = False,
    json: Json = False,
) -> None:
    """Show the facts (or other kinds of records) that hold at an anchor."""
    kinds = cast(list[Kind], kind or ["fact"])
    with open_memory(space) as memory:
        claims = memory.at(anchor, scope=cast(Scope, scope)).visible(kinds)
    claims = [claim for claim in claims if claim.current or history]
    if json:
        print_json(
            {"anchor": anchor, "scope": scope, "facts": [claim_json(claim) for claim in claims]}
        )
        return
    out.print(claim_table(claims))
    say(f"{len(claims)} visible at {shown(anchor)}", "dim")


def explain(
    record: Annotated[str, typer.Argument(help="The record's id.")],
    anchor: Anchor,
    space: Space = DEFAULT_SPACE,
    scope: ScopeOption = "path",
    json: Json = False,
) -> None:
    """Say whether a record is visible at an anchor, and if not, why."""
    with open_memory(space) as memory:
        explanation = memory.at(anchor, scope=cast(Scope, scope)).explain(record)
    if json:
        print_json(explanation)
        return
    for line in explained(explanation, cast(Scope, scope)):
        say(line)


def explained(explanation: Explanation, scope: Scope = "path") -> list[str]:
    """Return an explanation in words."""
    anchor = shown(explanation.anchor or "no anchor")
    if explanation.visible:
        path = "its path" if scope == "path" else "its path, or on that of another tree's head"
        return [f"visible at {anchor}: every source lies on {path}", *_holds(explanation)]
    lines = [f"hidden at {anchor}:"]
    named = explanation.anchor, explanation.record
    lines += [f"  {in_words(reason, *named, scope)}" for reason in explanation.reasons]
    if explanation.unreachable:
        lines.append("  its sources lie on two branches, so no anchor will ever show it")
    return lines


def _holds(explanation: Explanation) -> list[str]:
    if explanation.current:
        return ["current: nothing that is visible there takes it back"]
    return ["no longer holds:", *(f"  {ended_by(one)}" for one in explanation.invalidated)]


def in_words(
    reason: Reason, anchor: str | None, record: str | None = None, scope: Scope = "path"
) -> str:
    """Say in words why a source hides a record at an anchor."""
    off_path = reason.code == "off_path"
    words = _off_path(reason.fork, anchor, scope) if off_path else REASONS[reason.code]
    return words.format(source=_source(reason, record), fork=shown(reason.fork or ""))


def _source(reason: Reason, record: str | None) -> str:
    """Return what hides the record: a turn, a record it is built from, or itself."""
    if reason.source:
        return shown(reason.source)
    if reason.record and reason.record != record:
        return f"{shown(reason.record)}, which it is built from,"
    return "the record itself"


def _off_path(fork: str | None, anchor: str | None, scope: Scope) -> str:
    if fork is None:
        off_head = ", where it is not on the path of the head" if scope == "space" else ""
        return f"{{source}} belongs to another tree{off_head}"
    if fork == anchor:
        return "{source} comes after the anchor"
    return "{source} is on another branch, which left this path after {fork}"


def diff(
    a: Annotated[str, typer.Argument(help="One anchor.")],
    b: Annotated[str, typer.Argument(help="The other anchor.")],
    space: Space = DEFAULT_SPACE,
    json: Json = False,
) -> None:
    """Show what is visible at one anchor and not at the other."""
    with open_memory(space) as memory:
        difference = memory.at(a).diff(b)
    if json:
        print_json(
            {
                "a": a,
                "b": b,
                "fork": difference.fork,
                "only_a": [claim_json(claim) for claim in difference.only_a],
                "only_b": [claim_json(claim) for claim in difference.only_b],
            }
        )
        return
    say(f"the paths part after {shown(difference.fork or 'nothing: they are of different trees')}")
    for name, claims in ((a, difference.only_a), (b, difference.only_b)):
        say(f"only at {shown(name)}:", "bold")
        for claim in claims:
            say(f"  {shown(claim.text, 100)}")


def cypher(
    query: Annotated[str, typer.Argument(help="How it goes on, for example 'RETURN fact.text'.")],
    anchor: Anchor,
    space: Space = DEFAULT_SPACE,
    scope: ScopeOption = "path",
    param: Annotated[list[str] | None, typer.Option(help="A parameter: name=value.")] = None,
    json: Json = False,
) -> None:
    """Run your own read-only Cypher on the visible records: fact, anchor and distance are bound."""
    params = dict(_pair(item) for item in param or [])
    with open_memory(space) as memory:
        rows = memory.at(anchor, scope=cast(Scope, scope)).cypher(query, **params)
    if json:
        print_json({"anchor": anchor, "rows": rows})
        return
    lines = table(*(shown(name) for name in (rows[0] if rows else ())))
    for row in rows:
        lines.add_row(*(shown(str(value), 200) for value in row.values()))
    out.print(lines)


def _pair(item: str) -> tuple[str, str]:
    name, equals, value = item.partition("=")
    if not equals or not name.isidentifier():
        raise InvalidInputError(f"{item!r} is no parameter; write name=value")
    return name, value


def doctor(space: Space = DEFAULT_SPACE, json: Json = False) -> None:
    """Look through the store and one space for what is wrong or unfinished."""
    with open_memory(space) as memory:
        spaces = _doctor.spaces(memory.store)
        checkup = _doctor.check(memory.store, memory.space)
        version, where = memory.store.version, memory.store.where
    if json:
        print_json(
            {"store": {"uri": where, "version": version}, "spaces": spaces, "checkup": checkup}
        )
        return
    say(f"Neo4j {version} at {where}")
    for row in spaces[:SPACES_SHOWN]:
        counts = (
            f"{row['conversations']} conversations, {row['turns']} turns, {row['records']} records"
        )
        say(f"  space {shown(str(row['space']), 60)}: {counts}")
    if len(spaces) > SPACES_SHOWN:
        say(f"  and {len(spaces) - SPACES_SHOWN} more spaces")
    problems = {
        "turns that others name and that never arrived": checkup.awaited,
        "records on two branches, which nothing can ever show": checkup.unreachable,
        "conversations with several leaves and no head": checkup.headless,
        "broken rules": checkup.broken,
    }
    for what, found in problems.items():
        say(f"{what}: {len(found) or 'none'}", "yellow" if found else "green")
        for item in found[:20]:
            say(f"  {shown(item)}")
