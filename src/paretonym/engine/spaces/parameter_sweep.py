"""A parameter sweep: a family of releases over a parameter, each measured; the frontier is the best of
them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np

from paretonym.base.budget import Limits
from paretonym.base.errors import Field, InputError, NoSolution
from paretonym.base.number_text import parse_fraction
from paretonym.base.thread_pool import in_parallel, workers
from paretonym.engine.counts import Cube
from paretonym.engine.frontier import Solution, frontier_places, objective_values
from paretonym.engine.measures import (
    ALWAYS,
    CLASS_SIZE,
    OBJECTIVES,
    SWEPT_OBJECTIVES,
    Limit,
    Objective,
    Realized,
    Requirement,
    Settings,
    card_of,
)
from paretonym.engine.recoding import Recoding
from paretonym.engine.search import STANDARD, Asked, Tuning
from paretonym.engine.spaces.mondrian.partition_requirement import (
    Required,
    as_text,
    requirable_card,
    requirable_names,
)
from paretonym.engine.spaces.space import Question, SearchMethod, SearchResult, with_ids

__all__ = ["DISTANCES", "NOT_SUPPRESSED", "SIZES", "SWEEP", "VARIETIES", "Sweep", "sweep", "sweep_of"]

Maker: TypeAlias = Callable[[Required], Recoding]
# Several recodings that meet one requirement.
Variants: TypeAlias = Callable[[Required], Iterable[Recoding]]

# The default settings: parameters that are common in publications.
SIZES = "k=2,5,10,20,50,100,200,500,1000,2000,5000"
VARIETIES = "l=2,2.5,3,3.5,4,4.5,5,5.5"
DISTANCES = "t-js=0.05,0.075,0.1,0.15,0.2,0.25,0.3,0.35,0.4"


@dataclass(frozen=True, eq=False)
class Sweep(Asked):
    """The settings to try on one table, the recoding of each, and the measures."""

    cube: Cube
    settings: tuple[Required, ...]
    make: Maker
    objectives: tuple[Objective, ...]
    parameters: Settings
    requirements: tuple[Requirement, ...] = ()

    @classmethod
    def of(cls, question: Question, cube: Cube, usual: tuple[str, ...], make: Maker) -> Sweep:
        """The sweep that a question asks for; `usual` settings if it names none."""
        names = question.objectives or (SWEPT_OBJECTIVES if cube.sensitive else OBJECTIVES)
        settings = parse_sweep(question.sweep) or usual_settings(cube, usual)
        objectives = Objective.several(names, cube, question.parameters)
        for limit in (limit for required in settings for limit in required):
            Objective.of(limit.name, cube, place=Field("sweep"))
        return cls(cube, settings, make, objectives, question.parameters, question.required(cube))

    @property
    def size(self) -> int:
        return len(self.settings)

    @property
    def suppressed_by(self) -> str:
        return "0"


def parse_sweep(entries: Iterable[str]) -> tuple[Required, ...]:
    """Read `k=10,50` or, together, `k=5+t-js=0.1,0.2`: one requirement for each combination.

    >>> [as_text(required) for required in parse_sweep(["k=5+t-js=0.1,0.2"])]
    ['k=5 + t-js=0.1', 'k=5 + t-js=0.2']
    """
    settings: list[Required] = []
    for entry in entries:
        families = [_family(part, entry) for part in entry.split("+")]
        if len({family[0].name for family in families}) < len(families):
            raise InputError.of(Field("sweep"), f"'{entry}' names a measure twice", "give each measure once")
        settings.extend(product(*families))
    return tuple(dict.fromkeys(settings))


def _family(text: str, whole: str) -> Required:
    """The limits of one measure, one of which is required at a time."""
    (measure, equals, numbers), place = text.partition("="), Field("sweep")
    name, written = measure.strip(), numbers.split(",") if equals else []
    bounds = [float(parse_fraction(number, place, whole)) for number in written]
    if not bounds or min(bounds) < 0:
        raise InputError.of(
            place,
            f"'{whole}' is not of the form MEASURE=NUMBER,NUMBER,…",
            f"use, for example, k=10,50,100; known: {', '.join(requirable_names())}",
        )
    card = card_of(name) or requirable_card(name)
    limits = [
        Limit.checked(name, card.good_side, bound, place, number)
        for number, bound in zip(written, bounds, strict=True)
    ]
    requirable_card(name)
    return tuple(limits)


def sweep_of(names: Sequence[str], limits: Sequence[Limit]) -> tuple[str, ...]:
    """The sweep that answers a question among others: over sizes, and over the distances and varieties that
    are objectives, each together with what is required of every release and can be required of a part.

    >>> sweep_of(("l", "loss"), (Limit("k", "at-least", 5), Limit("loss", "at-most", 0.5)))
    ('l=2,2.5,3,3.5,4,4.5,5,5.5+k=5',)
    """
    swept = dict(entry.partition("=")[::2] for entry in (SIZES, VARIETIES, DISTANCES))
    required = {
        limit.name: limit for limit in limits if limit.name in requirable_names() and limit.is_good_side
    }
    names = [name for name in names if name in swept] or [CLASS_SIZE]
    entries = []
    for name in names:
        bounds = [
            bound for bound in swept[name].split(",")
            if name not in required or required[name].allows(float(bound))
        ]  # fmt: skip
        if bounds:
            others = [f"{other}={limit.bound:g}" for other, limit in required.items() if other != name]
            entries.append("+".join((f"{name}={','.join(bounds)}", *others)))
    return tuple(entries)


def usual_settings(cube: Cube, entries: tuple[str, ...]) -> tuple[Required, ...]:
    """The default settings that the table has the columns for."""
    settings = parse_sweep(entries if cube.sensitive else (SIZES,))
    return tuple(s for s in settings if s[0].name != CLASS_SIZE or s[0].bound <= cube.rows)


def search_sweep(asked: Sweep, limits: Limits, tuning: Tuning = STANDARD) -> SearchResult:
    """Try every setting, measure the result, and keep the best."""
    return sweep(asked, lambda required: (asked.make(required),), limits)


def sweep(asked: Sweep, variants: Variants, limits: Limits) -> SearchResult:
    """Try the variants of every setting, measure them, and keep the best. Nothing is proven about settings
    that a sweep does not try."""
    tried_settings: dict[int, list[Solution | str]] = {}

    def tried(place: int) -> list[Solution | str]:
        required = asked.settings[place]
        return [_tried(asked, required, recoding) for recoding in variants(required)]

    with workers(limits.threads) as pool:
        for place, results in in_parallel(tried, range(asked.size), pool, limits.threads):
            tried_settings[place] = results
            limits.progress(len(tried_settings), asked.size)
            if limits.over:
                break
    results = [result for place in sorted(tried_settings) for result in tried_settings[place]]
    for text in dict.fromkeys(result for result in results if isinstance(result, str)):
        limits.remark(text)
    candidates = with_ids(result for result in results if isinstance(result, Solution))
    if not candidates:
        raise NoSolution(f"No setting of this sweep gives a release. Require less with {Field('sweep')}.")
    vectors = objective_values(candidates, asked.names)
    best = frontier_places(vectors, asked.directions, np.arange(len(candidates)))
    return SearchResult(
        tuple(candidates[place] for place in best.tolist()),
        len(tried_settings),
        asked.size - len(tried_settings),
        candidates=candidates,
    )


def _tried(asked: Sweep, setting: Required, recoding: Recoding) -> Solution | str:
    """The candidate of a setting, or why there is none."""
    try:
        made = Realized.of(recoding, asked.cube)
    except NoSolution as error:
        return f"{as_text(setting)} is skipped. {error.text}"
    required = (requirement.limit.name for requirement in asked.requirements)
    values = made.measure(*dict.fromkeys((*asked.names, *ALWAYS, *required)), settings=asked.parameters)
    for requirement in asked.requirements:
        if not requirement.limit.allows(values[requirement.limit.name]):
            return f"{as_text(setting)} is skipped: it misses {requirement}."
    stored = {name: values[name] for name in (*asked.names, *ALWAYS)}
    return Solution("", stored, made.suppressed, recoding)


SWEEP = SearchMethod(search_sweep, everywhere=True)
# No space of a sweep suppresses anything.
NOT_SUPPRESSED = "nothing is suppressed in this space: every part meets the requirement"
