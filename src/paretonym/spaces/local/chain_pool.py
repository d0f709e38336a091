"""The releases to draw one from near a chosen one: what the search of a run evaluates, dominated or not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from paretonym.budget import Limits
from paretonym.counts import Cube
from paretonym.frontier import Solution
from paretonym.measures import Realized
from paretonym.recoding import short_ids
from paretonym.spaces.lattice.lattice_space import solutions_near
from paretonym.spaces.local.chain_enumeration import exhaustive_near
from paretonym.spaces.local.chain_search import as_chain, greedy_near
from paretonym.spaces.local.local_problem import LocalProblem
from paretonym.spaces.space import Pool, Question, Vicinity


def chain_pool(problem: LocalProblem, question: Question, cube: Cube, near: Vicinity, limits: Limits) -> Pool:
    """The chains that the search evaluates if no time limit stops it, all candidates of the lattice, and the
    chosen release. So the same question, choice and limits always give the same pool."""
    search = exhaustive_near if question.search == "exhaustive" else greedy_near
    chains = [each.solution for each in search(problem, near, limits, question.tuning)]
    nodes = solutions_near(question, cube, near, Limits(threads=limits.threads))
    alike = (as_chain(problem, each).solution for each in nodes)
    found = _distinct([near.chosen, *chains, *alike], cube)
    return Pool(len(found), lambda place: _named(found[place]))


def _distinct(solutions: Iterable[Solution], cube: Cube) -> list[Solution]:
    """One of those that are the same release: levels may share labels, and a class may be suppressed by one
    condition or by another. Only releases with equal measures can be the same."""
    alike: dict[str, dict[str, Solution]] = {}
    for each in solutions:
        values = sorted((name, float(value)) for name, value in each.values.items())
        own = alike.setdefault(f"{each.suppressed} {values}", {})
        own.setdefault(str(each.recoding.as_json()), each)
    found: list[Solution] = []
    for key in sorted(alike):
        own = alike[key]
        ordered = [own[text] for text in sorted(own)]
        found += {_shown(each, cube): each for each in ordered}.values() if len(own) > 1 else ordered
    return found


def _shown(solution: Solution, cube: Cube) -> tuple[object, ...]:
    """The tuples that stay, for each the first one that looks the same, and the labels of each class."""
    made = Realized.of(solution.recoding, cube)
    staying = np.flatnonzero(made.stays[made.classes.of_tuple])
    _, first, alike = np.unique(made.classes.of_tuple[staying], return_index=True, return_inverse=True)
    ordered = made.classes.of_tuple[staying[np.sort(first)]]
    labels = tuple(made.classes.labels(place) for place in ordered.tolist())
    return staying.tobytes(), first[alike].tobytes(), labels


def _named(solution: Solution) -> Solution:
    return solution if solution.id else replace(solution, id=short_ids([solution.recoding])[0])
