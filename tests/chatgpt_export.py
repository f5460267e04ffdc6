"""Building ChatGPT exports for tests, and reading them short."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from graphmem import Turn
from graphmem.importers import ImportedConversation, read_export

Json = dict[str, Any]


def said(role: str, text: str, **message: Any) -> Json:
    content = {"content_type": "text", "parts": [text]}
    return {"author": {"role": role}, "content": content, "recipient": "all"} | message


def tree(*links: str, **messages: Json | None) -> Json:
    """A mapping from ``id<parent``. Children are listed in the order of the links.

    The first letter says what a node holds, unless its message is given: r(oot), u(ser),
    a(ssistant), s(ystem), t(ool), c(all of a tool), h(idden thoughts).
    """
    nodes: Json = {}
    for link in links:
        key, _, parent = link.partition("<")
        message = messages.get(key, BY_LETTER[key[0]])
        nodes[key] = {"id": key, "message": message, "parent": parent or None, "children": []}
    for key, node in nodes.items():
        if node["parent"] in nodes:
            nodes[node["parent"]]["children"].append(key)
    return nodes


def chat(mapping: Json, current: str | None = None, **more: Any) -> Json:
    return {
        "title": "A chat",
        "create_time": 1700000000.5,
        "update_time": 1700000100.0,
        "mapping": mapping,
        "current_node": current,
        "conversation_id": "c1",
    } | more


def one_line(current: str | None = "a1", **more: Any) -> Json:
    return chat(tree("r", "u1<r", "a1<u1"), current, **more)


USER = said("user", "I moved to Chengdu.")
ASSISTANT = said("assistant", "How do you like it?")
SYSTEM = said("system", "Be brief.")
THOUGHTS = said("assistant", "", content={"content_type": "thoughts", "thoughts": []})
CALL = said("assistant", "search('x')", recipient="web")
TOOL = said("tool", "12 results")
BY_LETTER = dict(zip("ruasthc", [None, USER, ASSISTANT, SYSTEM, TOOL, THOUGHTS, CALL], strict=True))


def written(path: Path, *conversations: Json) -> Path:
    path.write_text(json.dumps(conversations))
    return path


def imported(path: Path, *conversations: Json) -> ImportedConversation:
    [outcome] = read_export(written(path / "export.json", *conversations))
    assert isinstance(outcome, ImportedConversation), outcome
    return outcome


def short(id_: str | None) -> str | None:
    return id_ and id_.removeprefix("chatgpt/c1/")


def parents(found: ImportedConversation) -> dict[str, str | None]:
    return {turn.id.removeprefix("chatgpt/c1/"): short(turn.parent) for turn in found.turns}


def replaced(found: ImportedConversation) -> dict[str | None, tuple[str | None, str | None]]:
    pairs = ((turn, short(turn.replaces)) for turn in found.turns if turn.replaces)
    return {short(turn.id): (old, turn.how) for turn, old in pairs}


def texts(found: ImportedConversation) -> list[str]:
    return [turn.text for turn in found.turns]


def only(path: Path, message: Json) -> Turn:
    """The turn of a message that is kept."""
    found = imported(path, chat(tree("u", u=message), "u"))
    [turn] = found.turns
    return turn
