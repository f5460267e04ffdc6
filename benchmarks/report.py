"""The rows of a benchmark as a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from benchmarks.timing import Row


def table(rows: Sequence[Row]) -> Table:
    """Draw the rows."""
    drawn = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    drawn.add_column("measured", max_width=52)
    for heading in ("ours", "bare", "ratio"):
        drawn.add_column(heading, justify="right", no_wrap=True)
    drawn.add_column("target", no_wrap=True)
    drawn.add_column("met", no_wrap=True)
    drawn.add_column("lowest–highest", style="dim", overflow="fold")
    for row in rows:
        drawn.add_row(
            row.name,
            f"{row.ours:.3g} {row.unit}",
            "" if row.bare is None else f"{row.bare:.3g} {row.unit}",
            "" if row.ratio is None else f"{row.ratio:.2f}",
            row.target,
            {True: "[green]yes[/]", False: "[red]NO[/]", None: ""}[row.ok],
            row.note,
        )
    return drawn
