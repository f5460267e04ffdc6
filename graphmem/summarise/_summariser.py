"""What a summariser is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Summariser(Protocol):
    """Sums texts up. What goes by another ``name`` is another summary of the same turns."""

    @property
    def name(self) -> str:
        """What the summariser is called, with its model if it asks one."""

    def summarise(self, texts: Sequence[str]) -> str:
        """Return what the texts say, whole, or nothing when they say nothing.

        The texts are those of turns, or of summaries, in their order. Errors: `ModelError`, where a
        model is asked.
        """
