"""One question, whatever the space: what is asked, which search answers it, and how it is written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, TypeAlias

from paretonym.counts.cube import Cube
from paretonym.errors import Field, InputError, did_you_mean
from paretonym.measures.objective import Requirement, Settings, requirements, with_seed
from paretonym.papers.four_problems import PaperProblem
from paretonym.recoding.suppression import DEFAULT, Suppression, parse_suppression
from paretonym.search.budget import Limits
from paretonym.search.lattice_frontier import Exploration, explore
from paretonym.search.parameter_sweep import (
    Sweep,
    default_settings,
    maker,
    parse_sweep,
    refuse_for_sweeps,
    refuse_sweep,
    sweep,
)
from paretonym.search.problem import Problem
from paretonym.search.search_options import STANDARD, Tuning
from paretonym.spaces.cuts.cuts_frontier import explore_cuts
from paretonym.spaces.cuts.cuts_problem import CutsProblem

OBJECTIVES = ("k", "loss")
SWEPT_OBJECTIVES = ("privacy-loss", "utility-loss")


@dataclass(frozen=True)
class Question:
    """What is asked of a table. `problem` belongs to cuts, `sweep`, `relaxed` and `buckets` to parts."""

    objectives: tuple[str, ...] = ()
    suppress: str | float | Suppression = DEFAULT
    space: str = "lattice"
    search: str | None = None
    settings: Settings = field(default_factory=dict)
    at_least: Mapping[str, float] = field(default_factory=dict)
    at_most: Mapping[str, float] = field(default_factory=dict)
    problem: PaperProblem | None = None
    sweep: tuple[str, ...] = ()
    relaxed: bool = False
    buckets: str | None = None
    tuning: Tuning = STANDARD

    def __post_init__(self) -> None:
        if self.space not in SPACES:
            raise InputError.of(
                Field("space"), f"there is no space '{self.space}'", did_you_mean(self.space, SPACES)
            )

    @property
    def method(self) -> str:
        return self.search or SPACES[self.space].search

    @property
    def parameters(self) -> Settings:
        """The measures' settings, with the seed of what is drawn at random."""
        return with_seed(self.settings, self.tuning.seed or 0)

    def required(self, cube: Cube) -> tuple[Requirement, ...]:
        return requirements(cube, self.at_least, self.at_most, self.parameters)

    def answered(self, cube: Cube, limits: Limits) -> Exploration:
        """The frontier, and what it took to find it."""
        return SPACES[self.space].explore(self, cube, limits)

    def as_json(self, cube: Cube, found: Exploration) -> dict[str, Any]:
        """How the question is written down; with its default values, as they were used."""
        return {
            "space": self.space,
            "search": self.method,
            "objectives": [objective.name for objective in found.frontier.objectives],
            "suppress": found.frontier.search.suppress,
            "settings": {name: dict(values) for name, values in self.parameters.items()},
            "require": [str(requirement) for requirement in self.required(cube)],
            **({"problem": asdict(self.problem)} if self.problem else {}),
            **({"tuning": self.tuning.as_json()} if self.tuning.given else {}),
            **(_parts(self) if SPACES[self.space].explore is _swept else {}),
        }


def _parts(question: Question) -> dict[str, Any]:
    return {"sweep": list(question.sweep), "relaxed": question.relaxed, "buckets": question.buckets}


def _in_lattice(question: Question, cube: Cube, limits: Limits) -> Exploration:
    refuse_sweep(question.sweep, question.relaxed, question.buckets, question.space)
    problem = Problem.of(
        cube,
        question.objectives or OBJECTIVES,
        parse_suppression(question.suppress),
        question.parameters,
        question.required(cube),
    )
    return explore(problem, question.method, limits, question.tuning)


def _in_cuts(question: Question, cube: Cube, limits: Limits) -> Exploration:
    refuse_sweep(question.sweep, question.relaxed, question.buckets, question.space)
    suppression, required = parse_suppression(question.suppress), question.required(cube)
    if question.problem is None:
        names = question.objectives or OBJECTIVES
        asked = CutsProblem.of(cube, names, suppression, question.parameters, required)
    else:
        asked = question.problem.of(cube, suppression.fraction, question.parameters, required)
    return explore_cuts(asked, question.method, limits, question.tuning)


def _swept(question: Question, cube: Cube, limits: Limits) -> Exploration:
    refuse_for_sweeps(question.search, question.suppress, question.tuning)
    names = question.objectives or (SWEPT_OBJECTIVES if cube.sensitive else OBJECTIVES)
    asked = Sweep(
        cube,
        question.space,
        parse_sweep(question.sweep) or default_settings(cube, question.space),
        maker(question.space, question.relaxed, question.buckets),
        names,
        question.parameters,
        question.required(cube),
        question.tuning.box,
    )
    found = sweep(asked, limits)
    return Exploration(found.frontier, found.evaluated, limits.elapsed)


Explore: TypeAlias = Callable[[Question, Cube, Limits], Exploration]


class Space(NamedTuple):
    """How a space is searched unless a search is named, and what answers questions about it."""

    search: str
    explore: Explore


SPACES: Mapping[str, Space] = {
    "lattice": Space("exact", _in_lattice),
    "cuts": Space("hybrid", _in_cuts),
    "mondrian": Space("sweep", _swept),
    "buckets": Space("sweep", _swept),
}
