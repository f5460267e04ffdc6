"""The commands about what worked and what was learnt: reward, credit, insights, evidence."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from graphmem._credit import GAMMA, TurnCredit
from graphmem._models import Insight, Scope
from graphmem.cli._app import DEFAULT_SPACE, Anchor, Json, ScopeOption, Space, open_memory
from graphmem.cli._output import count, out, print_json, say, shown, table
from graphmem.cli._read import in_words

PARTS_SHOWN = 3


def register(app: typer.Typer) -> None:
    """Add the commands."""
    # A value below zero is no option, though it starts like one.
    app.command(context_settings={"ignore_unknown_options": True})(reward)
    for command in (credit, insights, evidence):
        app.command()(command)


def reward(
    value: Annotated[float, typer.Argument(help="From -1 (a failure) to 1 (a success).")],
    head: Annotated[str, typer.Option("--head", help="The turn at which the feedback is given.")],
    turn: Annotated[
        str | None,
        typer.Option("--turn", help="What it is about (else the last turn of the assistant)."),
    ] = None,
    gamma: Annotated[
        float, typer.Option(help="How much of a value reaches the turn before, 0 to 1.")
    ] = GAMMA,
    space: Space = DEFAULT_SPACE,
    json: Json = False,
) -> None:
    """Say how good an outcome was; it earns the turns of its own path credit, and no others."""
    with open_memory(space) as memory:
        given = memory.reward(value, head=head, turn=turn, gamma=gamma)
    if json:
        print_json(given)
        return
    say(f"{given.reward:+g} at {shown(given.head)}, about {shown(given.refers_to)}")


def credit(anchor: Anchor, space: Space = DEFAULT_SPACE, json: Json = False) -> None:
    """Show what the turns of an anchor's path have earned, and from what."""
    with open_memory(space) as memory:
        earned = memory.at(anchor).credit()
    if json:
        print_json({"anchor": anchor, "turns": earned})
        return
    rows = table("value", "id", "of which")
    for one in earned:
        rows.add_row(f"{one.value:+.5f}", shown(one.turn), _parts(one))
    if earned:
        out.print(rows)
    say(f"{count(len(earned), 'turn')} with credit at {shown(anchor)}", "dim")


def _parts(earned: TurnCredit) -> str:
    told = [
        f"{part.value:+.5f} by {part.reward:+g} at {shown(part.head)}"
        for part in earned.parts[:PARTS_SHOWN]
    ]
    more = len(earned.parts) - PARTS_SHOWN
    return ", ".join(told) + (f" +{more}" if more > 0 else "")


def insights(
    anchor: Anchor,
    space: Space = DEFAULT_SPACE,
    scope: ScopeOption = "path",
    json: Json = False,
) -> None:
    """Show the insights that hold at an anchor, the newest version of each that is visible."""
    with open_memory(space) as memory:
        found = memory.at(anchor, scope=cast(Scope, scope)).insights()
    if json:
        print_json({"anchor": anchor, "scope": scope, "insights": found})
        return
    rows = table("insight", "supports", "version", "id")
    for one in found:
        rows.add_row(_said(one), str(one.support), str(one.version), shown(one.id))
    if found:
        out.print(rows)
    say(f"{count(len(found), 'insight')} at {shown(anchor)}", "dim")


def _said(insight: Insight) -> str:
    text = f"{shown(insight.label, 60)}: {shown(insight.body, 200)}"
    return f"{text} ({shown(insight.kind, 30)}, {insight.confidence:g})"


def evidence(
    insight: Annotated[str, typer.Argument(help="The insight's id; `insights` lists them.")],
    anchor: Anchor,
    space: Space = DEFAULT_SPACE,
    json: Json = False,
) -> None:
    """Show every turn that an insight ever cited: live at an anchor, or revoked, and why."""
    with open_memory(space) as memory:
        found = memory.at(anchor).evidence(insight)
    if json:
        print_json({"insight": insight, "anchor": anchor, "evidence": found})
        return
    rows = table("id", "status", "cited by version", "why")
    for one in found:
        versions = ", ".join(map(str, one.versions))
        why = in_words(one.reason, anchor) if one.reason else ""
        rows.add_row(shown(one.turn), one.status, versions, why)
    out.print(rows)
