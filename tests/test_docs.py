"""The README and the pages in docs/ say what is so: blocks are run, links lead somewhere."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory
from graphmem.cli._demo import CHINESE, ENGLISH, SPACE, plant

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


@pytest.fixture
def as_user(connection: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a program without any argument find the tests' store."""
    for key, name in (("uri", "URI"), ("username", "USERNAME"), ("password", "PASSWORD")):
        if key in connection:
            monkeypatch.setenv(f"NEO4J_{name}", connection[key])


@pytest.mark.usefixtures("as_user")
def test_the_first_program_prints_what_the_readme_says() -> None:
    (language, program), (_, output) = BLOCK.findall(README)[:2]
    assert language == "python"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, "README.md", "exec"), {})
    assert printed.getvalue() == output
    assert len([line for line in program.splitlines() if line.strip()]) <= 9


def commands() -> list[tuple[str, str]]:
    """Return the commands of the README's transcripts with the output shown below each."""
    found: list[tuple[str, str]] = []
    for language, block in BLOCK.findall(README):
        if language == "console":
            parts = re.split(r"^\$ ", block, flags=re.M)[1:]
            found += [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]
    return [(command, output) for command, output in found if command.startswith("graphmem")]


@pytest.mark.usefixtures("as_user")
@pytest.mark.parametrize(("command", "output"), commands())
def test_the_commands_print_what_the_readme_says(memory: Memory, command: str, output: str) -> None:
    demo = Memory(memory.store, space=SPACE)
    for dialogue in (ENGLISH, CHINESE):
        plant(demo, dialogue)
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        capture_output=True,
        env=os.environ | {"COLUMNS": "100"},
        check=True,
        timeout=60,
    )
    assert trimmed(done.stdout.decode()) == trimmed(output)


def trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    text = BLOCK.sub("", page.read_text("utf-8"))
    for target in re.findall(r"\]\(([^)#]+)", text):
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_the_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in set(re.findall(r"`?make (\w+)", README)):
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_every_command_is_in_the_changelog_and_the_help_names_it() -> None:
    from graphmem.cli import app

    names = {
        command.name or command.callback.__name__
        for command in app.registered_commands
        if command.callback
    }
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert {name for name in names if f"`{name}`" not in changelog} == set()
