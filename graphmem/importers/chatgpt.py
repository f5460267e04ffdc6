"""ChatGPT exports: ``conversations.json`` with its numbered successors, or one conversation.

Kept are the messages that a person saw as said by the user or the assistant. Hidden, system and
tool messages, thoughts, calls of tools and injected profiles are not; the branches run through
them. A weight of 0 alone hides nothing: it means that the model no longer saw a message, not that
the person did not, and what ChatGPT injects itself carries other marks.

Of the rest of an export (account, settings, feedback, moderation) nothing is read.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from graphmem._errors import InvalidInputError
from graphmem._models import Scalar
from graphmem._text import clean_text
from graphmem.importers._conversation import ImportedConversation, Outcome, SkippedConversation
from graphmem.importers._files import ExportFile
from graphmem.importers._json import Unreadable, json_objects, outer_keys
from graphmem.importers._time import instant
from graphmem.importers._tree import Message, Node, link

_Warn = Callable[[str], None]

_SPEAKERS = {"user", "assistant"}
_UNSEEN_TYPES = {
    "user_editable_context",  # the profile: role user, though the user said no such thing
    "model_editable_context",
    "thoughts",
    "reasoning_recap",
}
_UNSEEN_MARKS = ("is_visually_hidden_from_conversation", "is_user_system_message")
_ALWAYS_THERE = {b"title", b"create_time", b"update_time"}
# References stand between private-use characters: U+E200, kind, U+E202, payload, U+E201. Some hold
# words of the sentence itself (daugaard47/ChatGPT_Conversations_To_Markdown#8).
_REFERENCE = re.compile("\ue200([a-z_]+)\ue202?([^\ue200\ue201]*)\ue201")


class ChatGPT:
    """Reads ChatGPT exports with all their branches.

    Turn ids are ``chatgpt/<conversation id>/<node id>``. A conversation without an id gets one from
    its time and its first message, which stays the same while the conversation grows.
    """

    name = "chatgpt"

    def recognises(self, file: ExportFile) -> bool:
        """Tell by the keys of the first conversations, of which a damaged one may lack some."""
        head = file.head()
        return any(
            (b"mapping" in keys and b'"message"' in head)
            or b"current_node" in keys
            or keys >= _ALWAYS_THERE
            for keys in outer_keys(head)
        )

    def read(self, file: ExportFile) -> Iterator[Outcome]:
        """Yield each conversation, or why it could not be read."""
        with file.open() as stream:
            for found in json_objects(stream):
                if isinstance(found, Unreadable):
                    yield SkippedConversation(None, None, found.reason)
                else:
                    yield _outcome(found)


def _outcome(found: dict[str, Any]) -> Outcome:
    native = _string(found.get("conversation_id")) or _string(found.get("id"))
    title = clean_text(_string(found.get("title"))) or None
    skipped_id = f"chatgpt/{clean_text(native)}" if native else None
    warnings: list[str] = []
    mapping = found.get("mapping")
    if not isinstance(mapping, dict):
        return SkippedConversation(skipped_id, title, "it has no messages ('mapping' is missing)")
    nodes = list(_nodes(mapping, warnings.append))
    if not any(node.message for node in nodes):
        reason = f"none of its {len(nodes)} nodes holds a message of the user or the assistant"
        return SkippedConversation(skipped_id, title, reason)
    created_at = _time(found, "the conversation", warnings.append)
    conversation = f"chatgpt/{native or _derived_id(created_at, nodes)}"
    if found.get("is_do_not_remember"):
        warnings.append("ChatGPT was told not to remember this conversation")
    try:
        linked = link(nodes, conversation=conversation, current=_native(found.get("current_node")))
    except InvalidInputError as error:
        return SkippedConversation(skipped_id, title, clean_text(str(error)))
    return ImportedConversation(
        id=conversation,
        title=title,
        created_at=created_at,
        head=linked.head,
        turns=linked.turns,
        warnings=(*warnings, *linked.warnings),
    )


def _derived_id(created_at: datetime | None, nodes: list[Node]) -> str:
    said = [
        (str(node.created_at or "z"), node.id, node.message.text) for node in nodes if node.message
    ]
    digest = hashlib.sha256(json.dumps([str(created_at), min(said)]).encode())
    return f"sha256-{digest.hexdigest()[:32]}"


def _nodes(mapping: dict[str, Any], warn: _Warn) -> Iterator[Node]:
    listed = _listed(mapping)
    for key, value in mapping.items():
        raw = _dict(value)
        message = _dict(raw.get("message"))
        parents = listed[key]
        if "parent" in raw:
            parent = _native(raw["parent"])
        else:  # some old exports list children only
            parent = next(iter(parents)) if len(parents) == 1 else None
        yield Node(
            id=key,
            parent=parent,
            message=_message(message),
            created_at=_time(message, repr(key), warn),
            order=parents.get(parent, math.inf),
        )


def _listed(mapping: dict[str, Any]) -> dict[str, dict[str | None, int]]:
    """Return for each node the nodes that list it as a child, and where in the list it stands."""
    listed: dict[str, dict[str | None, int]] = defaultdict(dict)
    for key, value in mapping.items():
        for position, child in enumerate(_list(_dict(value).get("children"))):
            listed[_string(child)].setdefault(key, position)
    return listed


def _message(raw: dict[str, Any]) -> Message | None:
    role = _string(_dict(raw.get("author")).get("role"))
    if role not in _SPEAKERS or _is_unseen(raw):
        return None
    text = _text(raw.get("content"))
    shown = _shown(raw)
    if not text.strip() and not shown:
        return None
    return Message(role, text, shown | _circumstances(raw))


def _is_unseen(raw: dict[str, Any]) -> bool:
    metadata = _dict(raw.get("metadata"))
    return (
        raw.get("recipient") not in (None, "", "all")
        or _string(_dict(raw.get("content")).get("content_type")) in _UNSEEN_TYPES
        or any(metadata.get(mark) for mark in _UNSEEN_MARKS)
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return _REFERENCE.sub(_readable, content)
    parts = [_part_text(part) for part in _list(_dict(content).get("parts"))]
    text = "\n".join(part for part in parts if part) or _string(_dict(content).get("text"))
    return _REFERENCE.sub(_readable, text)


def _part_text(part: Any) -> str:
    if isinstance(part, dict) and part.get("content_type") == "audio_transcription":
        return _string(part.get("text"))
    return _string(part)


def _readable(reference: re.Match[str]) -> str:
    """Return what ChatGPT shows for a reference: a name, a link's text, nothing for a citation."""
    kind, payload = reference.groups()
    if kind == "entity":
        return _entity_name(payload)
    return payload.partition("\ue202")[0] if kind in ("url", "link_title") else ""


def _entity_name(payload: str) -> str:
    """Return the name from ``["city","Chengdu",…]``; older exports write the bare name."""
    try:
        entity = json.loads(payload)
    except (ValueError, RecursionError):
        return payload
    return "".join(map(_string, entity[1:2])) if isinstance(entity, list) else payload


def _shown(raw: dict[str, Any]) -> dict[str, Scalar | list[Scalar]]:
    """Count what a message shows besides its text."""
    parts = [_dict(part) for part in _list(_dict(raw.get("content")).get("parts"))]
    counts = {
        "images": sum(part.get("content_type") == "image_asset_pointer" for part in parts),
        "attachments": len(_list(_dict(raw.get("metadata")).get("attachments"))),
    }
    return {name: count for name, count in counts.items() if count}


def _circumstances(raw: dict[str, Any]) -> dict[str, Scalar | list[Scalar]]:
    status = _string(raw.get("status"))
    model = _string(_dict(raw.get("metadata")).get("model_slug"))
    said = {"status": "" if status == "finished_successfully" else status, "model": model}
    return {name: value for name, value in said.items() if value}


def _time(raw: dict[str, Any], whose: str, warn: _Warn) -> datetime | None:
    try:
        return instant(raw.get("create_time"))
    except ValueError as error:
        warn(f"{whose}: {error}; it is kept without a time")
        return None


def _native(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
