"""A comparison of runs: every release measured again by the same measures, the joint frontier, and which
method is best where."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats
from paretonym.budget import Progress
from paretonym.errors import Field, InputError
from paretonym.frontier import (
    Frontier,
    Microdata,
    Solution,
    as_costs,
    frontier_places,
    hypervolume,
)
from paretonym.measures import MeasureName, Settings, known_measure, measured
from paretonym.notebook_view import NotebookView, one_line
from paretonym.number_text import number_to_json
from paretonym.recoding import Recoding, digest
from paretonym.report.spread_index import SpreadIndex, spread_index
from paretonym.spaces import part_limits
from paretonym.thread_pool import in_parallel, workers

Vector: TypeAlias = tuple[float, ...]
FORMAT = "paretonym.comparison/1"
# Releases of the joint frontier that are compared person by person with the next one.
MOST_SPREADS = 10


class Measured(NamedTuple):
    """One release: of which run and which method, what it does, its values, and whether it is on the joint
    frontier. On the joint frontier, every method that reaches a vector has one release."""

    run: str
    method: str
    id: str
    recoding: str
    values: tuple[float, ...]
    joint: bool


class Stretch(NamedTuple):
    """Neighbours on the joint frontier that one method reaches: how many, and the range of the first measure.
    Vectors that several methods reach are in stretches of each."""

    method: str
    releases: int
    start: float
    end: float


class Share(NamedTuple):
    """The part of one method in the joint frontier: how many of its releases are on it, the volume that its
    releases cover as a share of the joint one, the share that only it covers, and how far it is behind the
    joint frontier in the second measure on average, at equal values of the first (None with more than two
    measures, or if the ranges do not overlap)."""

    method: str
    releases: int
    joint: int
    covered: float
    alone: float
    behind: float | None


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """All releases of several runs on the same measures; `points` by run, `stretches` best first; `spreads`
    from one release to the next, of a few spread evenly over the joint frontier."""

    measures: tuple[str, ...]
    directions: tuple[str, ...]
    points: tuple[Measured, ...]
    stretches: tuple[Stretch, ...]
    shares: tuple[Share, ...]
    spreads: tuple[SpreadIndex, ...] = ()

    @property
    def joint(self) -> tuple[Measured, ...]:
        """The joint frontier, best in the first measure first."""
        points = [point for point in self.points if point.joint]
        sign = -1 if self.directions[0] == "max" else 1
        return tuple(sorted(points, key=lambda p: (sign * p.values[0], p.values[1:], p.method)))

    def __repr__(self) -> str:
        return one_line(self)

    def __str__(self) -> str:
        methods = len(self.shares)
        return f"{len(self.points)} releases of {methods} methods, {len(self.joint)} on the joint frontier"

    def _repr_html_(self) -> str:
        rows = [(point.method, point.id, *map(measured, self.measures, point.values)) for point in self.joint]
        return NotebookView([f"{self}:"], ("method", "release", *self.measures), rows).html()

    def as_json(self) -> dict[str, Any]:
        """As JSON, the way files hold it."""
        return {
            "format": FORMAT,
            "audience": "publisher",
            "measures": [
                {"name": name, "direction": direction}
                for name, direction in zip(self.measures, self.directions, strict=True)
            ],
            "releases": [self._entry(point) for point in self.points],
            "stretches": [stretch._asdict() for stretch in self.stretches],
            "methods": [share._asdict() for share in self.shares],
            "spreads": [spread._asdict() for spread in self.spreads],
        }

    def _entry(self, point: Measured) -> dict[str, Any]:
        numbers = map(number_to_json, point.values)
        return {**point._asdict(), "values": dict(zip(self.measures, numbers, strict=True))}


def compare_frontiers(
    runs: Mapping[str, Frontier],
    data: Microdata,
    measures: Sequence[str],
    settings: Settings | None,
    threads: int,
    progress: Progress,
) -> Comparison:
    """Measure every release of every run again, and compare all of them by the same measures.

    A run of a sweep counts with all its candidates. All runs must be of the same table, `data`, with the same
    schema: otherwise the same name would measure different things.
    """
    check_one_table(runs)
    releases = [
        (run, solution) for run, front in runs.items() for solution in front.candidates or front.solutions
    ]
    directions = [
        known_measure(wanted.measure, Field("measures")).direction
        for wanted in map(MeasureName.parsed, measures)
    ]

    # A release that several runs found is measured once.
    digests = [digest(solution.recoding) for _, solution in releases]
    recodings = {name: solution.recoding for name, (_, solution) in zip(digests, releases, strict=True)}
    different = list(recodings.values())

    def measured(place: npt.NDArray[np.int64]) -> list[float]:
        realized = data.realized(different[int(place[0])])
        return list(realized.measure(*measures, settings=settings).values())

    places = {name: place for place, name in enumerate(recodings)}
    once = _in_order(measured, len(different), threads, progress)
    values = once[[places[name] for name in digests]]
    methods = _methods(releases)
    front_places = frontier_places(values, directions, np.arange(len(releases)))
    best = [tuple(row) for row in values[front_places].tolist()]
    reached = [(tuple(row), method) for row, method in zip(values.tolist(), methods, strict=True)]
    joint = _representatives(best, reached, [solution.id for _, solution in releases])
    points = tuple(
        Measured(run, method, solution.id, _words(solution.recoding), tuple(row), place in joint)
        for place, ((run, solution), method, row) in enumerate(
            zip(releases, methods, values.tolist(), strict=True)
        )
    )
    comparison = Comparison(
        tuple(measures),
        tuple(directions),
        points,
        _stretches(points, best),
        _shares(points, directions),
    )
    recoding_of = {solution.id: solution.recoding for _, solution in releases}
    ids = list(dict.fromkeys(point.id for point in comparison.joint))
    few = [ids[place] for place in np.unique(np.linspace(0, len(ids) - 1, MOST_SPREADS).round().astype(int))]
    realized = [(name, data.realized(recoding_of[name])) for name in few]
    return replace(comparison, spreads=tuple(spread_index(*pair) for pair in pairwise(realized)))


def _representatives(
    best: Sequence[Vector], reached: Sequence[tuple[Vector, str]], ids: list[str]
) -> set[int]:
    """Places of the releases that represent a method at each vector of the joint frontier: those with the
    lowest id, so that the order of the runs does not matter."""
    chosen: dict[tuple[Vector, str], int] = {}
    for place in sorted(range(len(ids)), key=lambda place: ids[place]):
        chosen.setdefault(reached[place], place)
    wanted = set(best)
    return {place for (vector, _), place in chosen.items() if vector in wanted}


def _in_order(
    work: Callable[[npt.NDArray[np.int64]], list[float]], number: int, threads: int, progress: Progress
) -> Floats:
    rows: dict[int, list[float]] = {}
    batches = (np.array([place], dtype=np.int64) for place in range(number))
    with workers(threads) as pool:
        for batch, row in in_parallel(work, batches, pool, threads):
            rows[int(batch[0])] = row
            progress(len(rows), number)
    return np.array([rows[place] for place in range(number)])


def check_one_table(runs: Mapping[str, Frontier]) -> None:
    """Refuse runs that do not come from one table and schema."""
    (first, front), *others = runs.items()
    if front.record is None:
        raise InputError.of(first, "the table of this run is not known", "load it from its folder")
    for name, other in others:
        if other.record is None or not other.record.is_of_same_data(front.record):
            raise InputError.of(
                name, f"this run was made from other data than {first}", "compare runs of one table"
            )
        if other.record.schema.digest() != front.record.schema.digest():
            raise InputError.of(
                name,
                f"this run was made with another schema than {first}",
                "explore again with one schema: the measures depend on its hierarchies",
            )


def _methods(releases: Sequence[tuple[str, Solution]]) -> list[str]:
    """The method of each release: its run, and what was required if a run has several requirements."""
    families: dict[str, set[str]] = {}
    for run, solution in releases:
        families.setdefault(run, set()).add(family(solution.recoding))
    return [
        f"{run} {family(solution.recoding)}" if len(families[run]) > 1 else run for run, solution in releases
    ]


def family(recoding: Recoding) -> str:
    """What was required of its parts, without the bounds; nothing for other recodings."""
    return " + ".join(limit.name for limit in part_limits(recoding))


def _words(recoding: Recoding) -> str:
    return " ".join(str(value) for value in recoding.flat().values())


def _stretches(points: Sequence[Measured], best: Sequence[Vector]) -> tuple[Stretch, ...]:
    """The stretches of all methods along the joint frontier, whose vectors are `best` in their order."""
    order = {vector: place for place, vector in enumerate(best)}
    reached: dict[str, list[int]] = {}
    for point in points:
        if point.joint:
            reached.setdefault(point.method, []).append(order[point.values])
    stretches = []
    for method, places in reached.items():
        # Neighbours differ from their rank among the method's own by the same number.
        ranked = groupby(enumerate(sorted(places)), key=lambda pair: pair[1] - pair[0])
        for group in ([place for _, place in pairs] for _, pairs in ranked):
            ends = best[group[0]][0], best[group[-1]][0]
            stretches.append((group[0], Stretch(method, len(group), *ends)))
    return tuple(stretch for _, stretch in sorted(stretches))


def _shares(points: Sequence[Measured], directions: Sequence[str]) -> tuple[Share, ...]:
    values = np.array([point.values for point in points])
    methods = np.array([point.method for point in points])
    reference = _worst(values, directions)
    whole = hypervolume(values, directions, reference)
    shares = []
    for method in dict.fromkeys(methods.tolist()):
        part, rest = values[methods == method], values[methods != method]
        covered = hypervolume(part, directions, reference)
        others = hypervolume(rest, directions, reference) if len(rest) else 0.0
        joint = sum(point.joint for point in points if point.method == method)
        behind = _behind(part, values, directions) if values.shape[1] == 2 else None
        shares.append(
            Share(method, len(part), joint, _part(covered, whole), _part(whole - others, whole), behind)
        )
    return tuple(shares)


def _part(part: float, whole: float) -> float:
    return float(np.clip(part / whole, 0.0, 1.0)) if whole > 0 else 1.0


def _worst(values: Floats, directions: Sequence[str]) -> list[float]:
    """A corner a little beyond the worst finite values, so that the worst release covers something too."""
    costs = as_costs(values, directions)
    finite = np.where(np.isfinite(costs), costs, np.nan)
    low, high = np.nanmin(finite, axis=0), np.nanmax(finite, axis=0)
    corner = high + np.where(high > low, 0.01 * (high - low), 1.0)
    return as_costs(corner[None, :], directions)[0].tolist()  # type: ignore[no-any-return]


def _behind(part: Floats, every: Floats, directions: Sequence[str]) -> float | None:
    """The mean distance of two staircases in the second measure, over the range of the first in which this
    method and some release of all are there."""
    mine, all_of_them = _stairs(part, directions), _stairs(every, directions)
    start = max(mine[0, 0], all_of_them[0, 0])
    end = max(mine[-1, 0], all_of_them[-1, 0])
    edges = np.unique(np.concatenate([mine[:, 0], all_of_them[:, 0], [start, end]]))
    edges = edges[(edges >= start) & (edges <= end)]
    if len(edges) < 2:
        return None
    heights = [
        stairs[np.searchsorted(stairs[:, 0], edges[:-1], side="right") - 1, 1]
        for stairs in (mine, all_of_them)
    ]
    widths = np.diff(edges)
    return float(((heights[0] - heights[1]) * widths).sum() / widths.sum())


def _stairs(values: Floats, directions: Sequence[str]) -> Floats:
    """The best of a set as costs, by the first measure: what a cost buys, any higher one buys too."""
    costs = as_costs(values, directions)
    costs = costs[np.isfinite(costs).all(axis=1)]
    costs = costs[np.lexsort((costs[:, 1], costs[:, 0]))]
    lowest = np.minimum.accumulate(costs[:, 1])
    return np.stack([costs[:, 0], lowest], axis=1)
