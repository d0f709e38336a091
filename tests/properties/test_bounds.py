"""What exact relies on holds: every bound, over random pairs of nodes of random tables and of Adult."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from random import Random

import numpy as np
import pytest

import paretonym
from paretonym.base.arrays import Floats, Integers
from paretonym.base.rounding import rounded
from paretonym.engine.counts.cube import Cube
from paretonym.engine.frontier.dominance import as_costs
from paretonym.engine.measures.registry import MEASURES
from paretonym.engine.recoding.equivalence_classes import Classes
from paretonym.engine.recoding.suppression import parse_suppression
from paretonym.engine.search.bounds import (
    MOST_STAIRS,
    Inheritance,
    floored_below,
    floors,
    has_floor,
    inherited,
    is_capped,
    is_monotone,
    is_reached,
    stairs,
)
from paretonym.engine.search.node_evaluation import evaluator
from paretonym.engine.search.problem import Problem
from paretonym.research.exams.random_tables import bounded, random_table
from tests.naive.rollup import plain_evaluator

SEEDS = 40
PAIRS = 200
ADULT_PAIRS = 300
LIMITS = ("0", "0.01", "0.1", "0.3")
ANY = ("any:0.01", "any:0.1", "any:0.3", "any:0.99")
# Their values with nothing suppressed are their floors.
FLOORED = ("loss", "precision-loss", "entropy-loss")
# What is estimated from the classes themselves has no bounds but its range.
COUNTED = [name for name, card in MEASURES.items() if card.counted.from_classes is None]
# With these beside k, every threshold is one on k.
BY_SIZE = [name for name in COUNTED if name == "k" or not MEASURES[name].algebra.classwise]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Nodes, rising, and pairs of places among them: `above` generalizes `below`."""

    nodes: Integers
    below: Integers
    above: Integers


@dataclass(frozen=True, eq=False)
class Measured:
    """Every candidate: the place of its node, its smallest class, its suppressed rows, and its objectives as
    costs."""

    places: Integers
    smallest: Integers
    gone: Integers
    costs: Floats

    def best(self, nodes: int) -> Floats:
        """The least cost of each node."""
        result = np.full((nodes, self.costs.shape[1]), np.inf)
        np.minimum.at(result, self.places, self.costs)
        return result

    def rows_below(self, nodes: int, size: int, rows: int) -> Integers:
        """For each node the rows in classes smaller than a size; all rows where no threshold is so high."""
        result = np.full(nodes, rows, dtype=np.int64)
        enough = self.smallest >= size
        np.minimum.at(result, self.places[enough], self.gone[enough])
        return result


@cache
def drawn_cube(seed: int) -> Cube:
    generator = Random(f"bounds {seed}")
    table = random_table(generator, rows=(1, 80), sensitive=1 + seed % 2, labelled=True)
    return (bounded(table, generator) if generator.random() < 0.3 else table).study().cube


def drawn_pairs(problem: Problem, number: int, seed: int) -> Pairs:
    generator = np.random.default_rng(seed)
    shape = np.array(problem.lattice.shape)
    weights = np.array(problem.lattice.weights)
    low = generator.integers(0, shape, size=(number, len(shape)))
    high = generator.integers(low, shape)
    below, above = low @ weights, high @ weights
    nodes = np.unique(np.concatenate([below, above]))
    return Pairs(nodes, np.searchsorted(nodes, below), np.searchsorted(nodes, above))


def measured(problem: Problem, nodes: Integers) -> Measured:
    facts = problem.facts(evaluator(problem)(nodes))
    costs = as_costs(problem.values(facts), problem.directions)
    return Measured(np.searchsorted(nodes, facts.node), facts.smallest, facts.gone, costs)


def problem_of(cube: Cube, names: list[str], rule: str) -> Problem:
    return Problem.of(cube, tuple(names), parse_suppression(rule))


def check_floors(problem: Problem, pairs: Pairs, found: Measured) -> None:
    """No candidate costs less than the floor of its node and what its suppressed rows cost more at least."""
    floor = floors(problem, pairs.nodes)
    assert (floor.per_row >= 0).all()
    bound = floor.least[found.places] + floor.per_row[found.places] * found.gone[:, None]
    for place, objective in enumerate(problem.objectives):
        assert (rounded(bound[:, place]) <= found.costs[:, place]).all(), objective.name


def check_floors_rise(problem: Problem, pairs: Pairs, found: Measured) -> None:
    """A floor never falls when a node is generalized, and is the value with nothing suppressed, or a hair
    lower: never above it."""
    least = floors(problem, pairs.nodes).least
    whole = found.gone == 0
    for place, objective in enumerate(problem.objectives):
        if objective.name in FLOORED:
            assert has_floor(objective)
            column = rounded(least[:, place])
            assert (column[pairs.above] >= column[pairs.below]).all(), objective.name
            floor, value = column[found.places[whole]], found.costs[whole, place]
            assert (floor <= value).all(), objective.name
            assert floor == pytest.approx(value, rel=3e-9, abs=2e-12), objective.name


def check_floors_from_below(problem: Problem, pairs: Pairs) -> None:
    """No candidate costs less than a more specific node with nothing suppressed, and what its suppressed rows
    cost more at least; compiled and in numpy."""
    inheritance = Inheritance(problem, from_below=True)
    found, more = measured(problem, pairs.nodes), floors(problem, pairs.nodes).per_row
    for evaluate in (evaluator(inheritance.problem), plain_evaluator(inheritance.problem)):
        counted = evaluate(pairs.nodes)
        starts = np.unique(counted.nodes, return_index=True)[1]
        least = inheritance.reach(counted).least[starts]
        for column, place in enumerate(inheritance.below):
            for below, above in zip(pairs.below, pairs.above, strict=True):
                here = found.places == above
                bound = least[below, column] + more[above, place] * found.gone[here]
                assert (rounded(bound) <= found.costs[here, place]).all(), problem.objectives[place].name


def check_inherited(problem: Problem, pairs: Pairs, found: Measured) -> None:
    """What is inherited is nowhere better at a specialization than the general node lets it be: what it is
    there, or what is known to be out of reach."""
    best = found.best(len(pairs.nodes))
    reach, caps = reachable(problem, pairs.nodes), capped(problem, pairs.nodes)
    for place in inherited(problem):
        objective = problem.objectives[place]
        name = objective.name
        known = best[:, place] if is_monotone(problem, objective) else {**reach, **caps}[name]
        assert not (best[pairs.below, place] < known[pairs.above]).any(), objective.name
        assert not (best[:, place] < known).any(), objective.name


def reachable(problem: Problem, nodes: Integers) -> dict[str, Floats]:
    """As costs: the best that objectives can be at any specialization of each node, compiled and in numpy."""
    own = [o for o in problem.objectives if not problem.every_threshold and is_reached(problem, o)]
    if not own:
        return {}
    asked = replace(problem, objectives=tuple(own), with_reaches=True)
    found: list[dict[str, Floats]] = []
    for evaluate in (evaluator(asked), plain_evaluator(asked)):
        facts = asked.facts(evaluate(nodes))
        found.append(
            {o.name: as_costs(asked.reachable(facts, o)[:, None], (o.direction,))[:, 0] for o in own}
        )
    for name, costs in found[0].items():
        assert costs == pytest.approx(found[1][name], rel=1e-9), name
    return found[0]


def capped(problem: Problem, nodes: Integers) -> dict[str, Floats]:
    """As costs: the bound of each capped objective, counted in numpy from the classes of each node."""
    sums: dict[str, list[float]] = {o.name: [] for o in problem.objectives if is_capped(problem, o)}
    for levels in problem.lattice.level_table(nodes).tolist() if sums else ():
        classes = Classes.at_levels(problem.cube, problem.lattice.named(tuple(levels)))
        for name, found in sums.items():
            cells = [classes.sizes] if name == "spread-k" else value_counts(problem.cube, classes)
            found.append(-min(float((each.astype(np.int64) ** 2).sum()) for each in cells))
    return {name: rounded(np.array(found)) for name, found in sums.items()}


def value_counts(cube: Cube, classes: Classes) -> list[Integers]:
    """For each sensitive column, how often each value occurs in each class."""
    tables = []
    for margin in cube.sensitive:
        table = np.zeros((len(classes), len(margin.labels)), dtype=np.int64)
        np.add.at(table, (classes.of_tuple[margin.tuples], margin.values), margin.counts)
        tables.append(table)
    return tables


def check_staircase(problem: Problem, pairs: Pairs) -> None:
    """Rows in classes smaller than a never get fewer when a node is specialized. So a candidate below with
    k = a costs at least its floor and what as many rows as are in smaller classes above cost more."""
    found = measured(problem, pairs.nodes)
    sizes, rows = stairs(problem, MOST_STAIRS), problem.cube.rows
    table = np.stack([found.rows_below(len(pairs.nodes), int(size), rows) for size in sizes], axis=1)
    assert (table[pairs.below] >= table[pairs.above]).all()
    floor = floors(problem, pairs.nodes)
    stair = np.searchsorted(sizes, found.smallest, side="right") - 1
    for below, above in zip(pairs.below, pairs.above, strict=True):
        here = np.flatnonzero(found.places == below)
        gone = table[above, stair[here]]
        assert (gone <= found.gone[here]).all()
        bound = floor.least[below] + floor.per_row[below] * gone[:, None]
        assert (rounded(bound) <= found.costs[here]).all()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_floors_and_what_is_inherited(seed: int) -> None:
    for rule in (*LIMITS, *ANY):
        names = COUNTED if rule in LIMITS else BY_SIZE
        problem = problem_of(drawn_cube(seed), names, rule)
        pairs = drawn_pairs(problem, PAIRS, seed)
        found = measured(problem, pairs.nodes)
        check_floors(problem, pairs, found)
        check_inherited(problem, pairs, found)
        if rule in ("0", "any:0.3"):
            check_floors_rise(problem, pairs, found)


@pytest.mark.parametrize("seed", range(0, SEEDS, 2))
def test_floors_from_below(seed: int) -> None:
    for rule in ("0", "0.1", "0.3", "any:0.3"):
        problem = problem_of(drawn_cube(seed), ["k", "discernibility", "classification-error"], rule)
        assert floored_below(problem) == (1, 2)
        check_floors_from_below(problem, drawn_pairs(problem, PAIRS // 8, seed))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_staircase(seed: int) -> None:
    for rule in ANY:
        problem = problem_of(drawn_cube(seed), ["k", *FLOORED, "sl"], rule)
        check_staircase(problem, drawn_pairs(problem, PAIRS // 4, seed))


def test_which_are_inherited() -> None:
    """Diversity and closeness, where rows may go by what is out of reach; sizes under every rule."""
    cube = drawn_cube(0)
    names = ["k", "l", "t", "uniques", "loss", "sl", "gl", "delta", "t-release"]
    assert inherited(problem_of(cube, names, "0")) == (0, 1, 2, 3, 7, 8)
    assert inherited(problem_of(cube, names, "0.3")) == (0, 1, 2, 3, 7)
    assert inherited(problem_of(cube, ["loss", "sl", "k"], "any:0.3")) == (2,)


def test_stairs() -> None:
    cube = drawn_cube(0)
    assert len(stairs(problem_of(cube, ["l", "loss"], "0.1"), MOST_STAIRS)) == 0
    for most in (MOST_STAIRS, 20, 2, 0):
        sizes = stairs(problem_of(cube, ["k", "loss"], "0.1"), most)
        small = max(most // 2, 1)
        assert sizes[:small].tolist() == list(range(1, small + 1))
        assert (np.diff(sizes) > 0).all()
        assert len(sizes) <= max(most, 1)
        assert most <= 2 or sizes[-1] >= cube.rows


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["0", "0.01", "0.1", "any:0.02", "any:0.1"])
def test_adult(rule: str) -> None:
    cube = paretonym.example("adult").cube
    costs = [*FLOORED, "gl", "sl"]
    privacy = ["l", "l-distinct", "t", "t-js"] if rule in LIMITS else []
    problem = problem_of(cube, ["k", "weighted-k", "risk-highest", "uniques", *privacy, *costs], rule)
    pairs = drawn_pairs(problem, ADULT_PAIRS, 1)
    found = measured(problem, pairs.nodes)
    check_floors(problem, pairs, found)
    check_floors_rise(problem, pairs, found)
    check_inherited(problem, pairs, found)
    if rule not in LIMITS:
        check_staircase(problem_of(cube, ["k", *FLOORED, "sl"], rule), pairs)
