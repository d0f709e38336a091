"""A comparison of runs: every release measured again by the same measures, the joint frontier, and which
method is best where."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats
from paretonym.base.budget import Progress
from paretonym.base.errors import Field, InputError
from paretonym.base.notebook_view import NotebookView, one_line
from paretonym.base.number_text import number_to_json
from paretonym.base.thread_pool import in_parallel, workers
from paretonym.engine.frontier import (
    Frontier,
    Microdata,
    Solution,
    as_costs,
    frontier_places,
    hypervolume,
)
from paretonym.engine.measures import MeasureName, Settings, known_measure, measured
from paretonym.engine.recoding import Recoding, digest
from paretonym.engine.spaces import part_limits

Vector: TypeAlias = tuple[float, ...]
FORMAT = "paretonym.comparison/1"


class Measured(NamedTuple):
    """One release: of which run and which method, what it does, its values, and whether it is on the joint
    frontier. On the joint frontier, every method that reaches a vector has one release."""

    run: str
    method: str
    id: str
    recoding: str
    values: tuple[float, ...]
    joint: bool


class Share(NamedTuple):
    """The part of one method in the joint frontier: how many of its releases are on it, the volume that its
    releases cover as a share of the joint one, and the share that only it covers."""

    method: str
    releases: int
    joint: int
    covered: float
    alone: float


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """All releases of several runs on the same measures; `points` by run. `floor` holds values of the two
    measures beyond which no generalization by the hierarchies lies, where a run knows it."""

    measures: tuple[str, ...]
    directions: tuple[str, ...]
    points: tuple[Measured, ...]
    shares: tuple[Share, ...]
    floor: tuple[Vector, ...] = ()

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
            "methods": [share._asdict() for share in self.shares],
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
    floor = _floor(runs, measures)
    return Comparison(tuple(measures), tuple(directions), points, _shares(points, directions), floor)


def _floor(runs: Mapping[str, Frontier], measures: Sequence[str]) -> tuple[Vector, ...]:
    """The floor of the first run that knows one of these two measures; all runs have the same hierarchies."""
    for front in runs.values():
        bound = front.least_cost
        if bound is not None and sorted(measures) == sorted((bound.by, bound.cost)):
            steps = [(float(size), least) for size, least in bound.steps]
            return tuple(step if measures[0] == bound.by else step[::-1] for step in steps)
    return ()


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
    """Measures that were required of its parts, without the bounds; nothing for other recodings."""
    return " + ".join(limit.name for limit in part_limits(recoding))


def _words(recoding: Recoding) -> str:
    return " ".join(str(value) for value in recoding.flat().values())


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
        shares.append(Share(method, len(part), joint, _part(covered, whole), _part(whole - others, whole)))
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
