"""The facts of figures: every number of a picture, before anything is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from paretonym.frontier import Description, Frontier, Objective, Scale, Solution
from paretonym.frontier.queries import gain_and_cost
from paretonym.language import _
from paretonym.measures import CLASS_SIZE, LOSS, SUPPRESSION, is_share, measured
from paretonym.risk import Risk, SizeBin


class Axis(NamedTuple):
    """A measure along an axis; shares are shown as percentages."""

    name: str
    better: str
    percent: bool
    logarithmic: bool
    low: float
    high: float

    @property
    def label(self) -> str:
        """
        >>> Axis("loss", "less", True, False, 0, 1).label
        'loss (%, less is better)'
        """
        better = _("more is better") if self.better == "more" else _("less is better")
        details = [*(["%"] if self.percent else []), better]
        details += [_("logarithmic")] if self.logarithmic else []
        return f"{self.name} ({', '.join(details)})"

    def shown(self, value: float) -> float:
        return 100 * value if self.percent else value


class Point(NamedTuple):
    """One solution: its position, and the share of rows that it suppresses."""

    id: str
    across: float
    up: float
    left_out: float


class Mark(NamedTuple):
    """A solution with a label; `chosen` if it is the one chosen."""

    id: str
    across: float
    up: float
    text: str
    chosen: bool = False


class FrontierFigure(NamedTuple):
    """The first two objectives: what is gained over what it costs. `stepped` if no releases lie between the
    points. `floor` are costs that no generalization by the hierarchies with this gain is below."""

    across: Axis
    up: Axis
    points: tuple[Point, ...]
    marks: tuple[Mark, ...]
    stepped: bool
    floor: tuple[tuple[float, float], ...] = ()


class PairsFigure(NamedTuple):
    """Every pair of objectives."""

    panels: tuple[FrontierFigure, ...]


class ParallelLine(NamedTuple):
    """One solution over all axes, from 0 (worst) to 1 (best)."""

    id: str
    places: tuple[float, ...]
    text: str


class ParallelFigure(NamedTuple):
    """All objectives side by side; lines of the shortlist have a label."""

    axes: tuple[Axis, ...]
    lines: tuple[ParallelLine, ...]


class SizesFigure(NamedTuple):
    """The classes of one release by size: bins, and how many people are in classes of at most a size."""

    id: str
    rows: int
    smallest: int
    bins: tuple[SizeBin, ...]
    cumulative: tuple[tuple[int, int], ...]
    counted: str = "people"


class ColumnLoss(NamedTuple):
    name: str
    words: str
    loss: float


class LossesFigure(NamedTuple):
    """What each column of one release loses."""

    id: str
    columns: tuple[ColumnLoss, ...]
    loss: float | None


Figure: TypeAlias = FrontierFigure | PairsFigure | ParallelFigure | SizesFigure | LossesFigure


def frontier_figure(
    frontier: Frontier, marked: Iterable[Solution] = (), chosen: Solution | None = None
) -> FrontierFigure:
    """The frontier in its first two objectives, some solutions with labels."""
    gain, cost = gain_and_cost(frontier)
    return _panel(frontier, cost, gain, marked, chosen)


def pairs_figure(
    frontier: Frontier, marked: Iterable[Solution] = (), chosen: Solution | None = None
) -> PairsFigure:
    """Every objective over every other one that is named before it."""
    listed, names = list(marked), frontier.objectives
    pairs = [(names[i], names[j]) for j in range(len(names)) for i in range(j)]
    return PairsFigure(tuple(_panel(frontier, up, across, listed, chosen) for across, up in pairs))


def _panel(
    frontier: Frontier, across: Objective, up: Objective, marked: Iterable[Solution], chosen: Solution | None
) -> FrontierFigure:
    horizontal, vertical = axis(frontier, across), axis(frontier, up)
    finite = [s for s in frontier if math.isfinite(s.values[across.name] + s.values[up.name])]
    points = tuple(
        Point(s.id, s.values[across.name], s.values[up.name], s.values.get(SUPPRESSION, 0.0))
        for s in sorted(finite, key=lambda s: (s.values[across.name], s.values[up.name]))
    )
    wanted = {solution.id: solution for solution in (*marked, *([chosen] if chosen else []))}
    marks = tuple(
        Mark(p.id, p.across, p.up, _label(horizontal, vertical, p), chosen is not None and p.id == chosen.id)
        for p in points
        if p.id in wanted
    )
    drawn = (across.name, up.name) == (LOSS, CLASS_SIZE)
    floor = tuple((cost, p.up) for p in points if drawn and (cost := frontier.floor(p.up)) is not None)
    return FrontierFigure(horizontal, vertical, points, marks, len(frontier.objectives) == 2, floor)


def _label(across: Axis, up: Axis, point: Point) -> str:
    values = ((up.name, point.up), (across.name, point.across))
    return ", ".join(f"{name} {measured(name, value)}" for name, value in values)


def axis(frontier: Frontier, objective: Objective) -> Axis:
    """An axis over the finite values of an objective."""
    values = [solution.values[objective.name] for solution in frontier]
    scale = Scale.of(values, straight=is_share(objective.name))
    better = "more" if objective.direction == "max" else "less"
    return Axis(
        objective.name, better, is_share(objective.name), scale.logarithmic, scale.low, scale.high
    )  # fmt: skip


def parallel_figure(
    frontier: Frontier, marked: Iterable[Solution] = (), chosen: Solution | None = None
) -> ParallelFigure:
    """All objectives side by side, the best end of each on top."""
    axes = tuple(axis(frontier, objective) for objective in frontier.objectives)
    named = {solution.id: solution.id for solution in marked}
    if chosen is not None:
        named[chosen.id] = _("{id} (chosen)", id=chosen.id)
    lines = tuple(
        ParallelLine(s.id, tuple(_height(a, s.values[a.name]) for a in axes), named.get(s.id, ""))
        for s in frontier
    )
    return ParallelFigure(axes, lines)


def _height(along: Axis, value: float) -> float:
    place = Scale(along.low, along.high, along.logarithmic).place(value)
    return place if along.better == "more" else 1 - place


def sizes_figure(solution: Solution, risk: Risk) -> SizesFigure:
    """The classes of one release by size."""
    many = risk.unit.many
    return SizesFigure(solution.id, risk.rows, risk.smallest, risk.bins(), risk.cumulative(), many)


def losses_figure(described: Description) -> LossesFigure:
    """What each column of one release loses, if the data are available."""
    columns = tuple(
        ColumnLoss(column.name, column.words.shown, column.loss)
        for column in described.columns
        if column.loss is not None
    )
    return LossesFigure(described.id, columns, described.values.get(LOSS))
