"""Tables drawn by risk and utility: the releases of a run as a line, everybody else's tables as points."""

from __future__ import annotations

from typing import Any

from paretonym.report.figures.canvas import BLUE, FAINT, GREEN, INK, ORANGE, RED, Drawing, drawn
from paretonym.report.table_comparison import MeasuredTables

LINES = (BLUE, "#CC79A7", "#56B4E9")
POINTS = (RED, ORANGE, "#000000")
SHAPES = "s^Dv<>P*X"


def draw_tables(comparison: MeasuredTables) -> Drawing:
    """The risk of every table with its interval, over what it loses; a line for another sample."""
    title = f"{comparison.risk} over {comparison.cost} of {len(comparison.tables)} tables"

    def fill(figure: Any) -> None:
        axes = figure.add_subplot()
        marks = _sides(axes, comparison)
        sample = comparison.sample.values.get(comparison.cost)
        if sample is not None:
            axes.axvline(sample, color=GREEN, lw=1, ls="--", label="another sample of the population")
        axes.set_xlabel(f"{comparison.cost} (less is better)")
        axes.set_ylabel(f"{comparison.risk}: measured risk in %, 95 % intervals")
        axes.set_ylim(bottom=-0.02 * axes.get_ylim()[1])
        axes.grid(color=FAINT, lw=0.3)
        axes.legend(frameon=False, fontsize=8)
        # Laid out first: labels are compared where they will be.
        figure.draw_without_rendering()
        _name_tables(axes, marks)

    return drawn(title, 7.2, 4.6, fill)


def _sides(axes: Any, comparison: MeasuredTables) -> list[tuple[float, float, str]]:
    """Draw each run and each file; where each table is, and its name."""
    lines, files, marks = 0, 0, list[tuple[float, float, str]]()
    for name, tables in comparison.sides.items():
        tables = sorted(tables, key=comparison.cost_of)
        risks = [comparison.risk_of(table) for table in tables]
        costs = [comparison.cost_of(table) for table in tables]
        heights = [100 * risk.risk for risk in risks]
        around = [
            [100 * (risk.risk - risk.lower) for risk in risks],
            [100 * (risk.upper - risk.risk) for risk in risks],
        ]
        of_run = bool(tables[0].run)
        color = LINES[lines % len(LINES)] if of_run else POINTS[files % len(POINTS)]
        axes.errorbar(
            costs, heights, yerr=around, color=color, lw=1.2 if of_run else 0, elinewidth=0.8, capsize=2,
            marker="o" if of_run else SHAPES[files % len(SHAPES)], ms=4 if of_run else 6,
            label=name, zorder=3,
        )  # fmt: skip
        lines, files = lines + of_run, files + (not of_run)
        texts = [table.name.removeprefix(f"{name} ") for table in tables]
        # Files first: where labels would overlap, theirs stay.
        marks[len(marks) if of_run else 0 : 0] = zip(costs, heights, texts, strict=True)
    return marks


def _name_tables(axes: Any, marks: list[tuple[float, float, str]]) -> None:
    """Write names beside tables; one that would cover another is left to the table."""
    taken: list[Any] = []
    for cost, height, text in marks:
        near = {"textcoords": "offset points", "fontsize": 8, "color": INK}
        label = axes.annotate(text, (cost, height), xytext=(4, 5), **near)
        box = label.get_window_extent(axes.figure.canvas.get_renderer())
        if any(box.overlaps(other) for other in taken):
            label.remove()
        else:
            taken.append(box)
