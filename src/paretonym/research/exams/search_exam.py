"""The exam of a search: the frontier that it finds on random tables, compared with that of plain counting.

>>> from paretonym.engine.search.exact import search_exact
>>> sit_search_exam(search_exact, seeds=range(3))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import TypeAlias

import numpy as np

from paretonym.base.arrays import Floats
from paretonym.base.budget import Limits
from paretonym.base.rounding import Sense
from paretonym.engine.frontier import as_costs
from paretonym.engine.measures import CLASS_SIZE, LOSS, MEASURES, Limit, Requirement
from paretonym.engine.recoding import parse_suppression
from paretonym.engine.search import Found, Problem, Search, evaluator
from paretonym.research.exams.candidates import require
from paretonym.research.exams.random_tables import bounded, random_table
from paretonym.research.papers.methods import LOSSES

Vector: TypeAlias = tuple[float, ...]
Vectors: TypeAlias = set[Vector]

RULES = ("0", "0.01", "0.05", "0.1", "0.2", "0.3", "any:0.05", "any:0.1", "any:0.3")
# Bounds close nodes where these meet a measure of privacy; one of them is drawn twice as often.
BOUNDED_COSTS = (LOSS, *(name for name, card in MEASURES.items() if card.counted.rule))
MOST_OBJECTIVES = 5
SENSES: tuple[Sense, ...] = ("at-least", "at-most")


@dataclass(frozen=True, slots=True)
class Scope:
    """The questions that a search has answers to, one for each seed, and whether it proves them."""

    problem: Callable[[int], Problem]
    proves: bool = True


def sit_search_exam(search: Search, seeds: Iterable[int] = range(20), scope: Scope | None = None) -> None:
    """Every check, on one random problem for each seed; raises `ExamFailed` at the first that fails."""
    chosen = scope or EVERYTHING
    for seed in seeds:
        one = replace(chosen, problem=cache(chosen.problem))
        for check in SEARCH_CHECKS.values():
            check(search, seed, one)


def random_problem(seed: int) -> Problem:
    """A small table, objectives and a rule of suppression."""
    generator = Random(f"problem {seed}")
    table = random_table(generator, quasi=(2, 3), rows=(1, 60), sensitive=1, labelled=True)
    if generator.random() < 0.3:
        table = bounded(table, generator)
    rule = generator.choice(RULES)
    return Problem.of(table.study().cube, random_objectives(generator, rule), parse_suppression(rule))


def random_trade_off(seed: int) -> Problem:
    """A small table, k and one loss, and a limit of suppression."""
    problem, generator = random_problem(seed), Random(f"trade-off {seed}")
    names = generator.sample([CLASS_SIZE, generator.choice(LOSSES)], 2)
    limit = generator.choice([rule for rule in RULES if not rule.startswith("any")])
    return Problem.of(problem.cube, tuple(names), parse_suppression(limit))


EVERYTHING = Scope(random_problem)
# Searches that are not for every question, or prove nothing.
SCOPES: Mapping[str, Scope] = {
    "poka": Scope(random_trade_off, proves=False),
    "pbg": Scope(random_problem, proves=False),
}
Check: TypeAlias = Callable[[Search, int, Scope], None]


def random_objectives(generator: Random, rule: str) -> tuple[str, ...]:
    """One to five measures, k and the costs that have bounds often among them."""
    classwise = [name for name, card in MEASURES.items() if card.algebra.classwise]
    sized = generator.random() < 0.6
    names = [CLASS_SIZE] if sized else []
    if rule.startswith("any") and not sized:
        names.append(generator.choice(classwise))
    if generator.random() < 0.7:
        names.append(generator.choice(BOUNDED_COSTS))
    # With k the only number of one class, thresholds are on size alone, which bounds need.
    counted = [name for name, card in MEASURES.items() if card.counted.from_classes is None]
    others = [name for name in counted if not (rule.startswith("any") and sized and name in classwise)]
    number = generator.randint(1, MOST_OBJECTIVES)
    drawn = generator.sample(others, MOST_OBJECTIVES)
    names = list(dict.fromkeys([*names, *drawn]))[: max(number, len(names))]
    return tuple(generator.sample(names, len(names)))


def check_frontier(search: Search, seed: int, scope: Scope = EVERYTHING) -> None:
    """A result that is declared complete is the whole frontier; any other consists of candidates of which
    none dominates another."""
    problem = scope.problem(seed)
    _require_honest(problem, search(problem, Limits(threads=1)), seed, scope)


def check_required(search: Search, seed: int, scope: Scope = EVERYTHING) -> None:
    """The frontier is right with bounds that some candidate just meets: what misses them does not count."""
    problem = scope.problem(seed)
    generator = Random(f"required {seed}")
    vector = generator.choice(sorted(every_vector(problem)))
    places = generator.sample(range(len(vector)), generator.randint(1, len(vector)))
    required = tuple(
        Requirement(each := problem.objectives[i], Limit(each.name, generator.choice(SENSES), vector[i]))
        for i in places
    )
    problem = replace(problem, requirements=required)
    _require_honest(problem, search(problem, Limits(threads=1)), seed, scope)


def check_determinism(search: Search, seed: int, scope: Scope = EVERYTHING) -> None:
    """Run again, and with two threads: the same candidates in the same order."""
    problem = scope.problem(seed)
    first = search(problem, Limits(threads=1))
    for threads in (1, 2):
        again = search(problem, Limits(threads=threads))
        # Raw sums of costs may differ in the last bit, which rounding takes away.
        pairs = [(f.best.counted.nodes, f.best.counted.facts, f.best.values) for f in (first, again)]
        same = all(np.array_equal(a, b) for a, b in zip(*pairs, strict=True))
        require(same, f"another result with {threads} threads (seed {seed})")
        counts = [(result.evaluated, result.complete, result.open) for result in (first, again)]
        require(counts[0] == counts[1], f"another number of nodes with {threads} threads (seed {seed})")


def check_progress(search: Search, seed: int, scope: Scope = EVERYTHING) -> None:
    """Progress never goes back and never beyond the whole; no more nodes are evaluated than there are."""
    problem = scope.problem(seed)
    steps: list[tuple[int, int]] = []
    result = search(problem, Limits(threads=1, progress=lambda done, total: steps.append((done, total))))
    done = [entry[0] for entry in steps]
    require(done == sorted(done), f"progress goes back (seed {seed})")
    require(all(0 <= now <= total for now, total in steps), f"progress beyond the whole (seed {seed})")
    require(0 < result.evaluated <= problem.lattice.size, f"evaluated more than there is (seed {seed})")


def check_stopped(search: Search, seed: int, scope: Scope = EVERYTHING) -> None:
    """Without any time: an honest result, and no solution is dominated by more than its rivals could
    reach."""
    problem = scope.problem(seed)
    result = search(problem, Limits(threads=1, seconds=0.0))
    truth = _require_honest(problem, result, seed, scope)
    require(result.evaluated + result.open <= problem.lattice.size, f"more open than there is (seed {seed})")
    if result.unresolved:
        _require_rivals(problem, result, truth, seed)


SEARCH_CHECKS: Mapping[str, Check] = {
    "frontier": check_frontier,
    "required": check_required,
    "determinism": check_determinism,
    "progress": check_progress,
    "stopped": check_stopped,
}


def _require_honest(problem: Problem, found: Found, seed: int, scope: Scope) -> Vectors:
    """The reported values are the true ones. Returns the true frontier."""
    vectors = vectors_found(problem, found)
    every = every_vector(problem)
    truth = non_dominated(every, problem.directions)
    if found.complete:
        case = f"{sorted(vectors)}, not {sorted(truth)}"
        require(vectors == truth, f"not the frontier (seed {seed}): {case}")
    require(vectors <= every, f"a vector is not that of any candidate (seed {seed})")
    require(vectors == non_dominated(vectors, problem.directions), f"a vector beats another (seed {seed})")
    require(len(vectors) == len(found.best.values), f"a vector comes twice (seed {seed})")
    proven = scope.proves and found.open == 0
    require(found.complete == proven, f"complete, but nodes are open, or neither (seed {seed})")
    return truth


def _require_rivals(problem: Problem, found: Found, truth: Vectors, seed: int) -> None:
    values = found.best.values.tolist()
    require(len(values) == len(found.unresolved), f"not one rival for each solution (seed {seed})")
    for vector, rival in zip(values, found.unresolved, strict=True):
        for better in truth:
            if dominates(better, vector, problem.directions):
                require(rival.nodes > 0, f"{vector} has no rival, but {better} beats it (seed {seed})")
                reached, best = as_costs(np.array([better, rival.values]), problem.directions)
                holds = bool((best <= reached).all())
                require(holds, f"{better} beats {vector} by more than its rival could (seed {seed})")


def vectors_found(problem: Problem, found: Found) -> Vectors:
    """Vectors that a search found, as a set, measured again."""
    return _vectors(problem.values(problem.facts(found.best.counted)))


def every_vector(problem: Problem) -> Vectors:
    """The objectives of all candidates that may count, counted at every node."""
    question = (*(objective.name for objective in problem.objectives), problem.suppressed_by)
    nodes = np.arange(problem.lattice.size, dtype=np.int64)
    counted = problem.cube.once(("every node", *question), lambda: evaluator(problem)(nodes))
    facts = problem.facts(counted)
    return _vectors(problem.values(facts)[problem.admissible(facts)])


def non_dominated(vectors: Vectors, directions: tuple[str, ...]) -> Vectors:
    """Those that no other dominates, by comparing every pair."""
    ordered = sorted(vectors)
    costs = as_costs(np.array(ordered).reshape(len(ordered), len(directions)), directions)
    return {v for v, row in zip(ordered, costs, strict=True) if not _beaten(row, costs)}


def _beaten(row: Floats, costs: Floats) -> bool:
    return bool(((costs <= row).all(axis=1) & (costs < row).any(axis=1)).any())


def _vectors(values: Floats) -> Vectors:
    return {tuple(row) for row in values.tolist()}


def dominates(left: Sequence[float], right: Sequence[float], directions: Sequence[str]) -> bool:
    """True if `left` is nowhere worse than `right` and somewhere better.

    >>> dominates([5, 0.2], [5, 0.3], ["max", "min"]), dominates([5, 0.2], [5, 0.2], ["max", "min"])
    (True, False)
    """
    a, b = as_costs(np.array([left, right], dtype=np.float64), directions)
    return bool((a <= b).all() and (a < b).any())
