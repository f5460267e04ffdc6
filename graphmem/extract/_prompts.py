"""Prompts, kept as files beside the code."""

from __future__ import annotations

from importlib.resources import files
from string import Template


def prompt(name: str, **values: str) -> str:
    """Return the prompt ``prompts/<name>.md`` with its ``$places`` filled in."""
    text = (files("graphmem.extract") / "prompts" / f"{name}.md").read_text("utf-8")
    return Template(text).substitute(values).strip()
