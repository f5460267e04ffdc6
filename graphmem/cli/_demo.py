"""The command that shows in a minute what graphmem is for."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

import typer

from graphmem._memory import Memory
from graphmem._models import Explanation
from graphmem.cli._app import chosen, open_memory
from graphmem.cli._drawing import drawing
from graphmem.cli._output import out, say, shown
from graphmem.cli._read import explained
from graphmem.store import home, queries
from graphmem.store.local import LocalServer

SPACE = "demo"


@dataclass(frozen=True)
class Dialogue:
    """A chat in which the user edits a message after the assistant has answered it.

    Turns never change, so a new text here needs a new id.
    """

    conversation: str
    title: str
    question: str
    turns: tuple[tuple[str, str | None, str, str | None], ...]
    """Id, parent, text, the turn it replaces. The assistant's ids hold an ``a``."""
    facts: tuple[tuple[str, str, str], ...]
    """Id, text, turn."""
    before: str
    old: str
    new: str


ENGLISH = Dialogue(
    conversation="moving",
    title="Moving house",
    question="Where am I moving, and what do I need for it?",
    turns=(
        ("en-u1", None, "Hi! I have a cat called Mochi and hate early flights.", None),
        ("en-a1", "en-u1", "Noted. What are you planning?", None),
        ("en-u2", "en-a1", "I'm moving to Chengdu next month.", None),
        ("en-a2", "en-u2", "Chengdu it is: I'd look at flats near Tongzilin.", None),
        ("en-u3", "en-a2", "My budget there is 3,000 a month.", None),
        ("en-a3", "en-u3", "That is enough for two rooms.", None),
        ("en-u2b", "en-a1", "I'm moving to Hangzhou next month.", "en-u2"),
        ("en-a2b", "en-u2b", "Hangzhou, then: Binjiang is quiet and well connected.", None),
        ("en-u3b", "en-a2b", "I can pay 4,500 a month.", None),
    ),
    facts=(
        ("en-cat", "has a cat called Mochi", "en-u1"),
        ("en-flights", "hates early flights", "en-u1"),
        ("en-chengdu", "moves to Chengdu next month", "en-u2"),
        ("en-3000", "has a budget of 3,000 a month", "en-u3"),
        ("en-hangzhou", "moves to Hangzhou next month", "en-u2b"),
        ("en-4500", "has a budget of 4,500 a month", "en-u3b"),
    ),
    before="en-a1",
    old="en-a3",
    new="en-u3b",
)

CHINESE = Dialogue(
    conversation="晚饭",
    title="周末的晚饭",
    question="周末做什么菜？要注意什么？",
    turns=(
        ("zh-u1", None, "周六晚上我请五个朋友来家里吃饭。", None),
        ("zh-a1", "zh-u1", "好的,有什么忌口吗？", None),
        ("zh-u2", "zh-a1", "小林对花生过敏。", None),
        ("zh-a2", "zh-u2", "那就不做宫保鸡丁,改做清蒸鲈鱼。", None),
        ("zh-u2b", "zh-a1", "小林对虾过敏。", "zh-u2"),
        ("zh-a2b", "zh-u2b", "那就不做油焖大虾,做红烧肉。", None),
    ),
    facts=(
        ("zh-guests", "周六晚上请五个朋友吃饭", "zh-u1"),
        ("zh-peanut", "小林对花生过敏", "zh-u2"),
        ("zh-fish", "打算做清蒸鲈鱼", "zh-a2"),
        ("zh-shrimp", "小林对虾过敏", "zh-u2b"),
        ("zh-pork", "打算做红烧肉", "zh-a2b"),
    ),
    before="zh-a1",
    old="zh-a2",
    new="zh-a2b",
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(demo)


def demo() -> None:
    """Store two forked chats, ask the same on each branch, and show what is hidden and why."""
    with open_memory(SPACE) as memory:
        for dialogue in (ENGLISH, CHINESE):
            plant(memory, dialogue)
            _show(memory, dialogue)
        _invite(memory)


def plant(memory: Memory, dialogue: Dialogue) -> None:
    """Store a dialogue. Doing it again changes nothing."""
    memory.add_conversation(dialogue.conversation, title=dialogue.title)
    memory.add_turns(
        {
            "id": id_,
            "role": "assistant" if "-a" in id_ else "user",
            "text": text,
            "parent": parent,
            "replaces": replaces,
            "conversation": dialogue.conversation,
        }
        for id_, parent, text, replaces in dialogue.turns
    )
    memory.remember_all(
        {"id": id_, "text": text, "sources": [turn]} for id_, text, turn in dialogue.facts
    )
    memory.set_head(dialogue.conversation, dialogue.new)


def _show(memory: Memory, dialogue: Dialogue) -> None:
    say(f"\n{dialogue.title}", "bold")
    for line in drawing(memory.tree(dialogue.conversation)):
        out.print(line)
    say(f"\n{dialogue.question}", "bold")
    _answer(memory, dialogue, dialogue.before, "before the fork")
    _answer(memory, dialogue, dialogue.old, "on the branch that was left")
    _answer(memory, dialogue, dialogue.new, "on the branch that was kept")
    _answer(
        memory, dialogue, dialogue.old, "switched back: nothing was written, all of it is there"
    )


def _answer(memory: Memory, dialogue: Dialogue, anchor: str, where: str) -> None:
    say(f"\n  at {anchor} ({where})", "cyan")
    view = memory.at(anchor)
    for fact in view.facts():
        say(f"    ✓ {shown(fact.text)}", "green")
    for id_, text, _ in dialogue.facts:
        explanation = view.explain(id_)
        if not explanation.visible:
            say(f"    ✗ {shown(text)} – {_why(explanation)}", "dim")


def _why(explanation: Explanation) -> str:
    return explained(explanation)[1].strip()


def _invite(memory: Memory) -> None:
    query = queries.browser.demo.text
    say("\nSee the first of these trees in Neo4j Browser:", "bold")
    state = LocalServer(home(chosen.home)).state()
    if state is not None and state.uri == memory.store.where:
        link = urlencode({"dbms": state.uri, "cmd": "edit", "arg": query})
        say(f"  {state.browser_url}?{link}")
        say(f"  user neo4j, password in {home(chosen.home) / 'password'}")
    say("  or paste there:")
    say("\n".join(f"    {line}" for line in query.splitlines()))
    say(f"\nGo on: graphmem tree --space {SPACE}; graphmem facts --anchor en-u3b --space {SPACE}")
