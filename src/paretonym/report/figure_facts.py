"""The facts of figures: every number of a picture, before anything is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from paretonym.base.errors import InputError, did_you_mean
from paretonym.base.language import _
from paretonym.engine.frontier import Frontier, Objective, Scale, Solution
from paretonym.engine.frontier.queries import gain_and_cost, shortlist
from paretonym.engine.measures import CLASS_SIZE, LOSS, SUPPRESSION, is_share, measured
from paretonym.engine.measures.estimates import Interval, Result


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
    """One solution: its position, and its value of what the colour shows."""

    id: str
    across: float
    up: float
    shade: float


class Mark(NamedTuple):
    """A solution with a number, which the legend explains; `chosen` if it is the one chosen."""

    id: str
    across: float
    up: float
    text: str
    chosen: bool = False


class FrontierFigure(NamedTuple):
    """The first two objectives: what is gained over what it costs. The colour shows the third, or else the
    share of suppressed rows. `stepped` if no releases lie between the points. `floor` are costs that no
    generalization by the hierarchies with this gain is below."""

    across: Axis
    up: Axis
    shade: Axis
    points: tuple[Point, ...]
    marks: tuple[Mark, ...]
    stepped: bool
    floor: tuple[tuple[float, float], ...] = ()


class ParallelLine(NamedTuple):
    """One solution over all axes, from 0 (worst) to 1 (best)."""

    id: str
    places: tuple[float, ...]
    text: str


class ParallelFigure(NamedTuple):
    """All objectives side by side; lines of the shortlist have a label."""

    axes: tuple[Axis, ...]
    lines: tuple[ParallelLine, ...]


class Coefficient(NamedTuple):
    """A coefficient of a regression with its interval in the original, and in a release; None where that does
    not have it."""

    name: str
    before: Interval
    after: Interval | None


class CoefficientsFigure(NamedTuple):
    """The coefficients of a declared regression, before and after. Each row has a scale of its own: what
    counts is how far the two intervals overlap, and on which side of 0 they lie."""

    analysis: str
    coefficients: tuple[Coefficient, ...]


Figure: TypeAlias = FrontierFigure | ParallelFigure | CoefficientsFigure


def frontier_figure(
    frontier: Frontier, marked: Iterable[Solution] = (), chosen: Solution | None = None
) -> FrontierFigure:
    """The frontier in its first two objectives, some solutions with numbers."""
    gain, cost = gain_and_cost(frontier)
    third = next((o for o in frontier.objectives if o not in (gain, cost)), Objective(SUPPRESSION, "min"))
    across, up, shade = (axis(frontier, objective) for objective in (cost, gain, third))
    finite = [s for s in frontier if math.isfinite(s.values[cost.name] + s.values[gain.name])]
    points = tuple(
        Point(s.id, s.values[cost.name], s.values[gain.name], s.values.get(third.name, 0.0))
        for s in sorted(finite, key=lambda s: (s.values[cost.name], s.values[gain.name]))
    )
    wanted = {solution.id for solution in (*marked, *([chosen] if chosen else []))}
    marks = tuple(
        Mark(p.id, p.across, p.up, _label(across, up, p), chosen is not None and p.id == chosen.id)
        for p in points
        if p.id in wanted
    )
    drawn = (across.name, up.name) == (LOSS, CLASS_SIZE)
    floor = tuple((least, p.up) for p in points if drawn and (least := frontier.floor(p.up)) is not None)
    return FrontierFigure(across, up, shade, points, marks, len(frontier.objectives) == 2, floor)


def _label(across: Axis, up: Axis, point: Point) -> str:
    values = ((up.name, point.up), (across.name, point.across))
    return f"{point.id}: {', '.join(f'{name} {measured(name, value)}' for name, value in values)}"


def axis(frontier: Frontier, objective: Objective) -> Axis:
    """An axis over the finite values of an objective."""
    values = [solution.values.get(objective.name, 0.0) for solution in frontier]
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


# Every chart by name; a report has those that are about no more objectives than the frontier has.
CHARTS: Mapping[str, tuple[int, Callable[[Frontier, Iterable[Solution], Solution | None], Figure]]] = {
    "frontier": (2, frontier_figure),
    "parallel": (3, parallel_figure),
}


def figure_of(frontier: Frontier, kind: str, chosen: Solution | None = None) -> Figure:
    """The facts of one chart by name, the shortlist marked and the chosen release ringed."""
    if kind not in CHARTS:
        raise InputError.of("figure", f"unknown kind of figure '{kind}'", did_you_mean(kind, CHARTS))
    if len(frontier.objectives) < 2:
        raise InputError.of("figure", "the run has one objective", "explore with at least two")
    return CHARTS[kind][1](frontier, [choice.solution for choice in shortlist(frontier)], chosen)


def figures_of(frontier: Frontier, chosen: Solution | None) -> dict[str, Figure]:
    """The charts of a frontier by name."""
    number = len(frontier.objectives)
    return {name: figure_of(frontier, name, chosen) for name, (least, _) in CHARTS.items() if least <= number}


def coefficients_figure(result: Result) -> CoefficientsFigure | None:
    """The coefficients of a declared regression; None if the analysis has none."""
    coefficients = tuple(
        Coefficient(figure.name, figure.before, figure.after if isinstance(figure.after, Interval) else None)
        for figure in result.figures
        if isinstance(figure.before, Interval)
    )
    return CoefficientsFigure(str(result.analysis), coefficients) if coefficients else None
