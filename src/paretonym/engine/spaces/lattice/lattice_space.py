"""The lattice as a space: full-domain generalization, searched exactly or as the papers do. A recoding is
one level of its hierarchy for each quasi-identifier."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from paretonym.base.budget import Limits
from paretonym.base.errors import Field, InputError, NoSolution
from paretonym.base.language import N_
from paretonym.base.number_text import number_to_json
from paretonym.base.rounding import rounded
from paretonym.base.sentence_parts import several
from paretonym.engine.counts import Counted, Cube
from paretonym.engine.frontier import ProvenBound, Rival, Solution
from paretonym.engine.measures import CLASS_SIZE, OBJECTIVES, Requirement
from paretonym.engine.recoding import ClassCondition, Classes, Keep, ShownRelease, keep_as_json, parse_keep
from paretonym.engine.search import Found, Problem, Search, Tuning, search_exact, search_exhaustive
from paretonym.engine.spaces.space import (
    ProblemMaker,
    Question,
    SearchMethod,
    SearchResult,
    Space,
    Wording,
    with_ids,
)

# Nodes have numbers of 64 bits.
MOST_NUMBERED = 2**62


@dataclass(frozen=True, slots=True)
class LatticeRecoding:
    """One level for each quasi-identifier, and what a class must have to stay."""

    levels: tuple[tuple[str, int], ...]
    keep: Keep

    @classmethod
    def of(cls, levels: Mapping[str, int], keep: Mapping[str, str]) -> LatticeRecoding:
        """From conditions as files write them: `{"k": ">=5"}`."""
        return cls(tuple(levels.items()), parse_keep(keep))

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> LatticeRecoding:
        return cls.of(entry["levels"], entry["keep"])

    @property
    def known_levels(self) -> Mapping[str, int]:
        return dict(self.levels)

    def as_json(self) -> dict[str, Any]:
        return {"levels": dict(self.levels), "keep": keep_as_json(self.keep)}

    def flat(self) -> dict[str, Any]:
        return {f"level of {name}": level for name, level in self.levels}

    def manifest(self, shown: ShownRelease) -> dict[str, Any]:
        return {"levels": {shown.names[name]: level for name, level in self.levels}, **shown.keep}

    def classes(self, cube: Cube) -> Classes:
        return Classes.at_levels(cube, dict(self.levels))


# The most columns that a message names.
MOST_NAMED = 20


def lattice_problem(question: Question, cube: Cube) -> Problem:
    """A question to the lattice of a table."""
    problem = Problem.of(
        cube,
        question.objectives or OBJECTIVES,
        question.suppress,
        question.parameters,
        question.required(cube),
    )
    if problem.lattice.size > MOST_NUMBERED:
        raise InputError.of(
            "the lattice",
            f"its {problem.lattice.size:.1e} nodes are more than can be numbered",
            "narrow the levels of some quasi-identifiers in the schema, or generalize fewer columns",
        )
    return problem


def nothing(problem: Problem, found: Found) -> str:
    """The error if there is no solution: why, and what to do."""
    requirements = " and ".join(str(requirement) for requirement in problem.requirements)
    if beyond := beyond_table(requirements, problem.requirements, problem.cube):
        return beyond
    if not found.complete:
        return (
            f"No release with {requirements} was found in this time, and "
            f"{several(found.open, 'node is', 'nodes are')} left that may have it. Give more time with "
            f"{Field('time')}, or require less."
        )
    return (
        f"No release of this table has {requirements} with suppression {problem.suppression}. Require less, "
        f"or allow more suppression{_other_levels(problem)}."
    )


def _other_levels(problem: Problem) -> str:
    """Which other levels could help: finer ones if a requirement gets harder with coarser levels; coarser
    ones if it gets easier and a column may not be generalized to its top."""
    moves = {
        (requirement.limit.sense, requirement.objective.card.algebra.unsuppressed)
        for requirement in problem.requirements
    }
    bounded = [axis.name for axis in problem.cube.axes if axis.highest < axis.hierarchy.height]
    advice = ""
    if moves & {("at-most", "rises"), ("at-least", "falls")}:
        advice += ", or add finer levels to the hierarchies"
    if bounded and moves & {("at-least", "rises"), ("at-most", "falls")}:
        advice += f", or allow higher levels for {', '.join(bounded[:MOST_NAMED])}"
    return advice


def lattice_search(search: Search) -> Callable[[Problem, Limits, Tuning], SearchResult]:
    """A search whose candidates become solutions with their ids and all values."""

    def run(problem: Problem, limits: Limits, tuning: Tuning) -> SearchResult:
        found = search(problem, limits, tuning)
        if len(found.best.counted.nodes) == 0:
            raise NoSolution(nothing(problem, found))
        return SearchResult(
            solved(problem, found.best.counted, lambda place: _rival(problem, found, place)),
            found.evaluated,
            found.open,
            found.complete,
            found.interrupted,
            found.in_part,
            bound=_bound(problem, found),
        )

    return run


def _bound(problem: Problem, found: Found) -> ProvenBound | None:
    """Bound that a stopped search has proven of every k, if that is an objective and a cost has a floor."""
    if found.least_costs is None:
        return None
    cost = problem.objectives[found.least_costs.cost].name
    return ProvenBound(CLASS_SIZE, cost, found.least_costs.steps)


def solved(
    problem: Problem, counted: Counted, rival: Callable[[int], Rival | None] = lambda place: None
) -> tuple[Solution, ...]:
    """Candidates as solutions."""
    facts = problem.facts(counted)
    columns = {measured.name: rounded(measured.value(facts)).tolist() for measured in problem.measured}
    lattice = problem.lattice
    return with_ids(
        Solution(
            "",
            {name: column[place] for name, column in columns.items()},
            int(facts.gone[place]),
            LatticeRecoding(
                tuple(lattice.named(lattice.levels(int(node))).items()), _keep(problem, columns, place)
            ),
            rival(place),
        )
        for place, node in enumerate(facts.node)
    )


def _keep(problem: Problem, columns: Mapping[str, list[float]], place: int) -> Keep:
    """The condition for a class to stay: not worse than the worst class that stays, in each measure that was
    a threshold."""
    limits = problem.thresholds if problem.every_threshold else ()
    if not limits:
        return (ClassCondition.best_side(CLASS_SIZE, "max", number_to_json(columns[CLASS_SIZE][place])),)
    return tuple(o.threshold(columns[o.name][place]) for o in limits)


def _rival(problem: Problem, found: Found, place: int) -> Rival | None:
    if not found.unresolved:
        return None
    rival = found.unresolved[place]
    names = (objective.name for objective in problem.objectives)
    return Rival(rival.nodes, dict(zip(names, rival.values, strict=True)))


def beyond_table(asked: str, requirements: Sequence[Requirement], cube: Cube) -> str | None:
    """Why no release can have what is asked, if it is more than the table has of what is counted: rows,
    people or households."""
    for requirement in requirements:
        most = requirement.most(cube)
        if most is not None and requirement.limit.bound > most.number:
            return (
                f"No release of this table has {asked}: it has only {several(most.number, *most.words)}. "
                f"Require {requirement.objective.name} of at most {most.number:,}."
            )
    return None


LATTICE = Space(
    name="lattice",
    recoding=LatticeRecoding,
    problem=ProblemMaker(lattice_problem),
    searches={
        "exact": SearchMethod(lattice_search(search_exact), everywhere=True, resumes=True),
        "exhaustive": SearchMethod(lattice_search(search_exhaustive), everywhere=True, resumes=True),
    },
    wording=Wording(
        N_("nodes"),
        N_(
            "Full-domain generalization: each quasi-identifier is shown at one level of its hierarchy, from "
            "unchanged to not at all. A release is one choice of levels, and the equivalence classes "
            "that stay."
        ),
        "levels",
        "Levels of {columns}; 0 is unchanged.",
        words=N_("one level per column"),
    ),
    supports={},
)
