"""Sweep: a family of releases over a parameter, each measured; the frontier is the best of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np

from paretonym.counts import kernel_library as library
from paretonym.counts.cube import Cube
from paretonym.errors import Field, InputError, NoSolution, Place
from paretonym.frontier.dominance import frontier_places
from paretonym.frontier.epsilon_dominance import Grid, thinned
from paretonym.frontier.pareto_frontier import Frontier, Objective, SearchFacts, TableFacts
from paretonym.frontier.solution import Solution
from paretonym.measures.bounds_on_measures import check_bound
from paretonym.measures.objective import Requirement, Settings, objectives
from paretonym.measures.recoded_counts import realize
from paretonym.recoding.recoding_contract import Recoding, digest, short_ids
from paretonym.recoding.suppression import DEFAULT, Suppression, parse_fraction
from paretonym.search.budget import Limits
from paretonym.search.node_evaluation import in_parallel, workers
from paretonym.search.problem import ALWAYS
from paretonym.search.search_options import EVERYWHERE, Tuning
from paretonym.spaces.buckets.buckets_recoding import BucketsRecoding
from paretonym.spaces.mondrian.mondrian_recoding import PartsRecoding, written
from paretonym.spaces.mondrian.partition_requirement import REQUIRED, Bounds, check_required

Maker: TypeAlias = Callable[[Bounds], Recoding]

# What is tried where nobody says what: parameters as they are found in publications.
SIZES = "k=2,5,10,20,50,100,200,500,1000,2000,5000"
VARIETIES = "l=2,2.5,3,3.5,4,4.5,5,5.5"
DISTANCES = "t-js=0.05,0.075,0.1,0.15,0.2,0.25,0.3,0.35,0.4"
DEFAULTS: Mapping[str, tuple[str, ...]] = {
    "mondrian": (SIZES, VARIETIES, DISTANCES),
    "buckets": (VARIETIES, DISTANCES),
}


@dataclass(frozen=True, eq=False)
class Sweep:
    """What is asked of one table: which settings to try in which space, and what to measure."""

    cube: Cube
    space: str
    settings: tuple[Bounds, ...]
    make: Maker
    measured: tuple[str, ...]
    parameters: Settings
    required: tuple[Requirement, ...] = ()
    box: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Swept:
    """The frontier with all candidates, and how many settings were tried."""

    frontier: Frontier
    evaluated: int


def parse_sweep(entries: Iterable[str], place: Place = Field("sweep")) -> tuple[Bounds, ...]:
    """Read `k=10,50` or, together, `k=5+t-js=0.1,0.2`: one requirement for each combination.

    >>> parse_sweep(["k=5+t-js=0.1,0.2"])
    ((('k', 5.0), ('t-js', 0.1)), (('k', 5.0), ('t-js', 0.2)))
    """
    found: list[Bounds] = []
    for entry in entries:
        families = [_family(part, place, entry) for part in entry.split("+")]
        names = [name for name, _ in families]
        if len(set(names)) < len(names):
            raise InputError.of(place, f"'{entry}' names a measure twice", "name each measure once")
        combined = product(*([(name, bound) for bound in bounds] for name, bounds in families))
        found.extend(tuple(each) for each in combined)
    return tuple(dict.fromkeys(found))


def _family(text: str, place: Place, whole: str) -> tuple[str, list[float]]:
    name, equals, numbers = text.strip().partition("=")
    given = numbers.split(",") if equals else []
    bounds = [float(parse_fraction(number, place, whole)) for number in given]
    if not bounds or min(bounds) < 0:
        raise InputError.of(
            place,
            f"'{whole}' is not of the form MEASURE=NUMBER,NUMBER,…",
            f"give for example k=10,50,100; known: {', '.join(REQUIRED)}",
        )
    for number, bound in zip(given, bounds, strict=True):
        check_bound(name.strip(), bound, place, number)
    return name.strip(), bounds


def default_settings(cube: Cube, space: str) -> tuple[Bounds, ...]:
    """What is tried where nobody says what: as far as the table has what it takes."""
    entries = DEFAULTS[space] if cube.sensitive else (SIZES,)
    return tuple(s for s in parse_sweep(entries) if s[0][0] != "k" or s[0][1] <= cube.rows)


def maker(space: str, relaxed: bool, way: str | None) -> Maker:
    """What makes a recoding of a space from a requirement."""
    if space == "mondrian":
        if way is not None:
            raise InputError.of(Field("buckets"), "the space is mondrian", f"use {Field('space', 'buckets')}")
        return lambda bounds: PartsRecoding(bounds, relaxed)
    if relaxed and way not in (None, "relaxed"):
        raise InputError.of(Field("relaxed"), f"buckets come by way of {way}", "leave one of both out")
    return lambda bounds: BucketsRecoding.of(dict(bounds), "relaxed" if relaxed else way or "mondrian")


def sweep(asked: Sweep, limits: Limits) -> Swept:
    """Try every setting, measure what it gives, and keep the best."""
    grid = _grid(asked)
    for bounds in asked.settings:
        for name, _ in bounds:
            check_required(name, asked.cube)
    if text := library.missing():
        limits.remark(text)
    found: dict[int, Solution | str] = {}
    batches = (np.array([i], dtype=np.int64) for i in range(len(asked.settings)))
    with workers(limits.threads) as pool:
        for batch, result in in_parallel(lambda b: _tried(asked, int(b[0])), batches, pool, limits.threads):
            found[int(batch[0])] = result
            limits.progress(len(found), len(asked.settings))
            if limits.over:
                break
    results = [found[i] for i in sorted(found)]
    for text in (result for result in results if isinstance(result, str)):
        limits.remark(text)
    candidates = _named([result for result in results if isinstance(result, Solution)])
    return Swept(_frontier(asked, grid, candidates, len(asked.settings) - len(found)), len(found))


def _grid(asked: Sweep) -> Grid:
    """The boxes that are asked for. What cannot be measured is said here, before anything is tried."""
    cards = objectives(asked.measured, asked.cube, asked.parameters)
    return Grid.of(asked.measured, [card.direction for card in cards], dict(asked.box))


def _tried(asked: Sweep, place: int) -> Solution | str:
    """A candidate, or why there is none."""
    recoding = asked.make(asked.settings[place])
    try:
        made = realize(recoding, asked.cube)
    except NoSolution as error:
        return f"{written(asked.settings[place])} is left out. {error}"
    required = {r.objective.name: r for r in asked.required}
    values = made.measure(*dict.fromkeys((*asked.measured, *ALWAYS, *required)), settings=asked.parameters)
    for requirement in asked.required:
        if not requirement.holds(values[requirement.objective.name]):
            return f"{written(asked.settings[place])} is left out: it misses {requirement}."
    shown = {name: values[name] for name in (*asked.measured, *ALWAYS)}
    return Solution("", shown, made.suppressed, recoding)


def _named(candidates: Sequence[Solution]) -> tuple[Solution, ...]:
    ids = short_ids([digest(each.recoding) for each in candidates])
    return tuple(
        Solution(name, each.values, each.suppressed, each.recoding)
        for name, each in zip(ids, candidates, strict=True)
    )


def _frontier(asked: Sweep, grid: Grid, candidates: tuple[Solution, ...], untried: int) -> Frontier:
    if not candidates:
        raise NoSolution(f"No setting of this sweep gives a release. Ask for less with {Field('sweep')}.")
    vectors = np.array([[each.values[name] for name in asked.measured] for each in candidates])
    best = frontier_places(vectors, grid.directions, np.arange(len(candidates)))
    if asked.box:
        best = best[thinned(vectors[best], grid)]
    cube = asked.cube
    return Frontier(
        TableFacts(
            cube.rows,
            cube.read,
            tuple(axis.name for axis in cube.axes),
            tuple(margin.name for margin in cube.sensitive),
        ),
        SearchFacts(asked.space, len(asked.settings), "sweep", False, None, "0", untried, dict(asked.box)),
        tuple(Objective(*each) for each in zip(asked.measured, grid.directions, strict=True)),
        tuple(candidates[i] for i in best.tolist()),
        candidates=candidates,
    )


def refuse_for_sweeps(search: str | None, suppress: str | float | Suppression, tuning: Tuning) -> None:
    """Refuse what has no meaning in the spaces that are swept."""
    if search not in (None, "sweep"):
        wrong = f"'{search}' does not search this space"
        raise InputError.of(Field("search"), wrong, f"leave {Field('search')} out: it is sweep")
    if str(suppress) not in (DEFAULT, "0"):
        wrong = "nothing is suppressed in this space: every part keeps the requirement"
        raise InputError.of(Field("suppress"), wrong, "leave it out")
    for name in tuning.given:
        if name not in EVERYWHERE:
            raise InputError.of(Field(name), "a sweep has no such option", "leave it out")


def refuse_sweep(sweep: Sequence[str] | str, relaxed: bool, buckets: str | None, space: str) -> None:
    """Refuse what only the spaces have that are swept."""
    given = {"sweep": bool(sweep), "relaxed": relaxed, "buckets": buckets is not None}
    for option in (name for name, there in given.items() if there):
        wrong = f"the space {space} has no such option"
        remedy = f"use {Field('space', 'mondrian')} or {Field('space', 'buckets')}"
        raise InputError.of(Field(option), wrong, remedy)
