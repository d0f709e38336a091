"""Every chart of a report, in one table: which facts it shows. `report.figures` draws them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeAlias

from paretonym.errors import InputError, did_you_mean
from paretonym.frontier import Description, Frontier, Microdata, Solution, describe
from paretonym.frontier.queries import shortlist
from paretonym.report.figure_facts import (
    Figure,
    frontier_figure,
    losses_figure,
    pairs_figure,
    parallel_figure,
    sizes_figure,
)
from paretonym.report.report_facts import Story
from paretonym.risk import Risk, risk


class OneRelease(Protocol):
    """What the charts of one release are about."""

    @property
    def solution(self) -> Solution: ...
    @property
    def described(self) -> Description: ...
    @property
    def risk(self) -> Risk: ...


class FrontierChart(NamedTuple):
    """A chart of a whole frontier, with some releases marked and perhaps one chosen; a report has it if the
    frontier has at least this many objectives."""

    facts: Callable[[Frontier, list[Solution], Solution | None], Figure]
    objectives: int = 2


ReleaseChart: TypeAlias = Callable[[OneRelease], Figure]

FRONTIER_CHARTS: Mapping[str, FrontierChart] = {
    "frontier": FrontierChart(frontier_figure),
    "pairs": FrontierChart(pairs_figure, objectives=3),
    "parallel": FrontierChart(parallel_figure, objectives=3),
}
RELEASE_CHARTS: Mapping[str, ReleaseChart] = {
    "sizes": lambda release: sizes_figure(release.solution, release.risk),
    "losses": lambda release: losses_figure(release.described),
}
CHARTS = (*FRONTIER_CHARTS, *RELEASE_CHARTS)


def figure_of(frontier: Frontier, data: Microdata | None, kind: str, pick: str | None = None) -> Figure:
    """The facts of one figure by name. `sizes` and `losses` are about one release, which `pick` names; the
    others ring it."""
    if kind not in CHARTS:
        raise InputError.of("figure", f"unknown kind of figure '{kind}'", did_you_mean(kind, CHARTS))
    chosen = frontier.pick(pick) if pick is not None else None
    if kind in FRONTIER_CHARTS:
        return _whole(frontier, kind, [choice.solution for choice in shortlist(frontier)], chosen)
    if chosen is None:
        raise InputError.of("figure", f"'{kind}' is about one release", "choose it with pick")
    return RELEASE_CHARTS[kind](_Picked(chosen, data))


def figures_of(story: Story) -> dict[str, Figure]:
    """All figures that a story has, by name."""
    chosen = story.chosen.solution if story.chosen is not None else None
    marked = [choice.solution for choice in story.shortlist]
    number = max(len(story.frontier.objectives), 2)
    names = [name for name, chart in FRONTIER_CHARTS.items() if chart.objectives <= number]
    figures = {name: _whole(story.frontier, name, marked, chosen) for name in names}
    if story.chosen is not None:
        figures |= {name: facts(story.chosen) for name, facts in RELEASE_CHARTS.items()}
    return figures


def _whole(frontier: Frontier, kind: str, marked: list[Solution], chosen: Solution | None) -> Figure:
    if len(frontier.objectives) < 2:
        raise InputError.of("figure", "the run has one objective", "explore with at least two")
    return FRONTIER_CHARTS[kind].facts(frontier, marked, chosen)


@dataclass(frozen=True, eq=False)
class _Picked:
    """A release that was picked from a frontier, and its data where they are known."""

    solution: Solution
    data: Microdata | None

    @property
    def described(self) -> Description:
        return describe(self.solution, self.data)

    @property
    def risk(self) -> Risk:
        if self.data is None:
            raise InputError.of(
                f"solution {self.solution.id}", "its table is not known", "load its run, or explore again"
            )
        return risk(self.data.realized(self.solution.recoding), self.data.unit)
