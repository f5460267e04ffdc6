"""Linking: from the nodes of an export to turns, the same for every format.

Parents are the truth. Nodes that are not kept (hidden, tools, empty) are transparent: what hangs on
them hangs on the nearest kept node above. A parent that is not in the file is never guessed: the
turn becomes a root and says so in its property ``parentMissing``. The nodes of a cycle have no
place in a tree and are left out. Nothing recurses: chats of 10,000 turns in a row exist.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from graphmem._models import Scalar, Turn

_NEVER = datetime.min.replace(tzinfo=UTC)
_LATER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Message:
    """What a node says, when it is kept."""

    role: str
    text: str
    properties: dict[str, Scalar | list[Scalar]] = field(default_factory=dict)


@dataclass(frozen=True)
class Node:
    """A node by its native id. ``message`` is None for a transparent one.

    ``order`` is the place among its siblings, where the format tells it; then time and id decide.
    The order in the file decides nothing, because another export of the same chat may change it.
    """

    id: str
    parent: str | None
    message: Message | None = None
    created_at: datetime | None = None
    order: float = math.inf


@dataclass(frozen=True)
class Linked:
    """A conversation's turns, every parent before its children, and the turn its host shows."""

    turns: tuple[Turn, ...]
    head: str | None
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class _Place:
    node: Node
    parent: str | None
    """The nearest kept node above."""
    missing: str | None
    """The parent that could not be followed on the way up, if any."""

    @property
    def nearest(self) -> str | None:
        return self.node.id if self.node.message else self.parent


def link(nodes: Iterable[Node], *, conversation: str, current: str | None) -> Linked:
    """Link ``nodes``. ``current`` is the native id of the node that the host shows.

    Turns are named ``<conversation>/<native id>``. Of turns of one role under one parent, the later
    replaces the one before it; so do several first messages. Without a usable ``current`` the head
    is the newest leaf.
    """
    known, warnings = _known(nodes)
    cyclic = _cyclic(known)
    if cyclic:
        warnings.append(f"left out {len(cyclic)} nodes that form a cycle: {_some(cyclic)}")
    places = list(_placed(known, cyclic))
    kept = [place for place in places if place.node.message]
    warnings += [
        f"{place.node.id!r}: its parent {place.missing!r} is not there; it became a root"
        for place in kept
        if place.missing
    ]
    head = next((place.nearest for place in places if place.node.id == current), None)
    if kept and head is None:
        head = _newest_leaf(kept)
        warnings.append(
            f"the current node {current!r} leads to no turn; the head is the newest leaf"
        )
    return Linked(
        turns=tuple(_turns(kept, conversation)),
        head=None if head is None else f"{conversation}/{head}",
        warnings=tuple(warnings),
    )


def _known(nodes: Iterable[Node]) -> tuple[dict[str, Node], list[str]]:
    known: dict[str, Node] = {}
    warnings = []
    for node in nodes:
        if known.setdefault(node.id, node) is not node:
            warnings.append(f"{node.id!r} is there twice; the first counts")
    return known, warnings


def _cyclic(known: dict[str, Node]) -> set[str]:
    members: set[str] = set()
    settled: set[str] = set()
    for start in known:
        trail: dict[str, None] = {}
        at: str | None = start
        while at is not None and at in known and at not in settled and at not in trail:
            trail[at] = None
            at = known[at].parent
        if at in trail:
            steps = list(trail)
            members.update(steps[steps.index(at) :])
        settled.update(trail)
    return members


def _placed(known: dict[str, Node], cyclic: set[str]) -> Iterator[_Place]:
    """Walk all trees from their roots, siblings in their order, each branch to its end."""
    children: dict[str | None, list[Node]] = defaultdict(list)
    for node in known.values():
        if node.id not in cyclic:
            reachable = node.parent in known and node.parent not in cyclic
            children[node.parent if reachable else None].append(node)
    stack = [_Place(node, None, node.parent) for node in _last_first(children[None])]
    while stack:
        place = stack.pop()
        yield place
        missing = None if place.node.message else place.missing
        below = _last_first(children[place.node.id])
        stack.extend(_Place(child, place.nearest, missing) for child in below)


def _last_first(siblings: list[Node]) -> list[Node]:
    return sorted(siblings, key=_rank, reverse=True)


def _rank(node: Node) -> tuple[float, datetime, str]:
    return node.order, node.created_at or _LATER, node.id


def _turns(kept: list[_Place], conversation: str) -> Iterator[Turn]:
    latest: dict[tuple[str | None, str], str] = {}
    for place in kept:
        message = place.node.message
        assert message is not None
        siblings = (place.parent, message.role)
        # Two turns without their parents may come from anywhere: neither replaces the other.
        replaced = None if place.missing else latest.get(siblings)
        if not place.missing:
            latest[siblings] = place.node.id
        yield Turn(
            id=f"{conversation}/{place.node.id}",
            role=message.role,
            text=message.text,
            parent=None if place.parent is None else f"{conversation}/{place.parent}",
            replaces=None if replaced is None else f"{conversation}/{replaced}",
            conversation=conversation,
            created_at=place.node.created_at,
            properties=message.properties
            | ({"parentMissing": place.missing} if place.missing else {}),
        )


def _newest_leaf(kept: list[_Place]) -> str:
    parents = {place.parent for place in kept}
    leaves = (place.node for place in kept if place.node.id not in parents)
    return max(leaves, key=lambda node: (node.created_at or _NEVER, node.id)).id


def _some(ids: set[str]) -> str:
    shown = sorted(ids)[:5]
    return ", ".join(map(repr, shown)) + (" …" if len(ids) > len(shown) else "")
