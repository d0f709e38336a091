"""Every kernel beside its twin in numpy, one by one, on random inputs."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings

from paretonym.base.arrays import Integers
from paretonym.base.errors import Bug
from paretonym.base.factorize import starts_of
from paretonym.engine.counts import kernel_library as library
from paretonym.engine.counts.class_statistics import Kind, Statistic
from paretonym.engine.counts.cube import Cube
from paretonym.engine.counts.kernel_interface import (
    FUNCTIONS,
    Bounds,
    Classes,
    Layout,
    Table,
    Waiting,
    Witnesses,
)
from paretonym.engine.counts.rollup import Visits
from paretonym.engine.counts.tuple_layout import Plan
from paretonym.engine.measures.cell_costs import CellCosts, CostRule
from paretonym.engine.measures.estimates.populations import predicates
from paretonym.engine.measures.estimates.reader_estimates import (
    answers,
    estimates,
    find_populations,
    mean_divergence,
)
from paretonym.engine.measures.estimates.released_regions import Regions, true_regions, tuple_cells
from paretonym.engine.measures.objective import Objective
from paretonym.engine.recoding.suppression import parse_suppression
from paretonym.engine.risk.minimal_uniques import minimal_uniques
from paretonym.engine.search import floor as floor_module
from paretonym.engine.search.bounds import best_costs, open_nodes, waiting_nodes
from paretonym.engine.search.floor import least_unions, neighbours
from paretonym.engine.search.witness_bounds import (
    Answers,
    can_improve,
    first_above,
    nobody,
    scratch,
    settle,
    with_witnesses,
)
from paretonym.engine.spaces.cuts.cut_relaxation import Boxes, CutRelaxation
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.genome_classes import candidates_of
from paretonym.engine.spaces.cuts.genome_evaluation import Evaluator
from paretonym.engine.spaces.local.local_table import LocalTable, blocks
from paretonym.engine.spaces.mondrian.partition import (
    MOST_TRIED,
    PartedTable,
    Parts,
    Shown,
    improved_partition,
    partition,
    prices,
)
from paretonym.engine.spaces.mondrian.partition_requirement import Required, conditions, required_of_parts
from paretonym.research.exams.random_tables import RandomTable, random_table
from tests.naive import kernels
from tests.naive.cut_relaxation import plain_bounds
from tests.naive.floors import least_union
from tests.naive.improved_partition import improved_partition as plainly_improved
from tests.naive.kernels import numbered, recoded, sizes_of
from tests.naive.local import Twin as LocalTwin
from tests.naive.node_bounds import drawn_bounds
from tests.naive.partition import partition as plainly_split
from tests.naive.rollup import node_facts
from tests.naive.uniques import plainly_counted
from tests.strategies import generators, tables, wide_tables

EVERY = tuple(Statistic(kind, "s0", False, 3.0) for kind in Kind)
RELEASED = tuple(
    Statistic(kind, "s0", True) for kind in (Kind.VARIATION, Kind.TREE, Kind.ORDERED, Kind.RATIO)
)
LARGEST = 40
Twin: TypeAlias = Callable[[Cube, Random], None]


def numbers_from(generator: Random) -> np.random.Generator:
    return np.random.default_rng(generator.randint(0, 10**6))


def drawn_levels(most: Integers, generator: Random) -> Integers:
    return np.array([generator.randint(0, int(step)) for step in most], dtype=np.int64)


# --- classes -----------------------------------------------------------------------------------------------


def group(cube: Cube, generator: Random) -> None:
    plan = Plan.of(cube, [], 0, False, EVERY)
    tuples, zero = plan.tuples, np.zeros_like(plan.layout.steps)
    high = drawn_levels(plan.layout.steps, generator)
    out = Classes.made(length=tuples.length, words=tuples.words, width=tuples.width)
    target, codes = np.zeros(tuples.length, dtype=np.int64), np.zeros_like(tuples.keys)
    found = library.call(
        "group", plan.layout, Table.for_classes(tuples.length), zero, high, tuples, out, codes, target
    )
    keys = recoded(plan.layout, tuples.keys, zero, high)
    wanted, classes = numbered(keys)
    assert codes.tolist() == keys.tolist()
    assert (found, target.tolist()) == (classes, wanted.tolist())
    assert out.counts[:found].tolist() == sizes_of(wanted, classes, tuples.counts).tolist()
    cells = np.zeros((classes, tuples.width), dtype=np.int64)
    np.add.at(cells, wanted, tuples.cells)
    assert out.cells[:found].tolist() == cells.tolist()


def class_statistics(cube: Cube, generator: Random) -> None:
    plan = Plan.of(cube, [], 0, False, EVERY)
    margin = cube.margin("s0")
    reference = plan.requests.totals / plan.requests.totals.sum()
    for which, statistic in enumerate(EVERY):
        found, sorting = np.zeros(plan.tuples.length), np.zeros(plan.tuples.width, dtype=np.int64)
        library.call("class_statistics", plan.requests, which, plan.tuples, sorting, found)
        wanted = statistic.of_classes(margin, plan.tuples.cells.astype(np.int64), reference)
        assert found == pytest.approx(wanted, rel=5.1e-10, abs=1e-10), statistic


def visit(cube: Cube, generator: Random) -> None:
    units = [CellCosts.of("generalization", cube).units]
    suppressible, every = generator.choice([0, 1, cube.rows // 3, cube.rows - 1]), generator.random() < 0.5
    reaches = tuple(s.reach_from(cube.margin("s0")) for s in EVERY if s.bounded)
    statistics = (*EVERY, *RELEASED, *reaches)
    order = generator.choice([None, cube.jumping_order])
    # Counts of values side by side, and listed.
    plan = Plan.of(cube, units, suppressible, every, statistics, order, listed=generator.random() < 0.5)
    lowest = np.array([axis.lowest for axis in cube.axes])
    most = np.array([axis.steps for axis in cube.axes])
    levels = np.array([drawn_levels(most, generator) for _ in range(4)])
    found = Visits(plan).visit(np.arange(4), levels)
    place = 0
    for node, own in enumerate(levels):
        facts, costs, values = node_facts(
            cube, (own + lowest).tolist(), units, statistics, suppressible, every
        )
        part = found.take(slice(place, place + len(facts)))
        assert part.nodes.tolist() == [node] * len(facts)
        assert part.facts.tolist() == facts.tolist()
        assert part.costs.tolist() == costs.tolist()
        assert part.statistics == pytest.approx(values, rel=5.1e-10, abs=1e-10)
        place += len(facts)
    assert place == len(found.nodes)


# --- bounds and witnesses ----------------------------------------------------------------------------------


def copied(bounds: Bounds) -> Bounds:
    return bounds.replaced(known=bounds.known.copy(), staircase=bounds.staircase.copy())


def drawn_waiting(generator: Random, nodes: Integers, levels: Integers, objectives: int) -> Waiting:
    numbers = numbers_from(generator)
    least = -numbers.integers(0, 30, (len(nodes), objectives)).astype(np.float64)
    return waiting_nodes(nodes, levels, least, numbers.integers(0, 2, least.shape) / 10)


def drawn_best(generator: Random, objectives: int) -> Any:
    return best_costs(-numbers_from(generator).integers(0, 30, (generator.randint(0, 6), objectives)) / 1.0)


def open_twin(cube: Cube, generator: Random) -> None:
    shape = [generator.randint(1, 4) for _ in range(3)]
    table = np.stack(np.unravel_index(np.arange(np.prod(shape)), shape), axis=1)
    nodes = np.flatnonzero(table.sum(axis=1) == generator.randint(0, sum(shape) - 3))
    objectives = generator.randint(1, 3)
    size_place = generator.choice([-1, *range(objectives)])
    bounds = drawn_bounds(generator, len(table), objectives, size_place, shape)
    waiting = drawn_waiting(generator, nodes, table[nodes], objectives)
    best, first = drawn_best(generator, objectives), generator.randint(0, len(nodes))
    evaluated = numbers_from(generator).random(len(table)) < 0.2

    def opened(open_nodes: Callable[..., Integers]) -> Any:
        own = copied(bounds)
        still_open = open_nodes(own, waiting, best, first, len(nodes) - first, evaluated)
        assert not evaluated[waiting.node[still_open]].any()
        return still_open.tolist(), own.known.tolist(), own.staircase.tolist()

    assert opened(open_nodes) == opened(kernels.open_nodes)


def improve(cube: Cube, generator: Random) -> None:
    nodes, objectives = generator.randint(1, 12), generator.randint(1, 3)
    size_place = generator.choice([-1, *range(objectives)])
    bounds = drawn_bounds(generator, nodes, objectives, size_place, [nodes])
    waiting = drawn_waiting(generator, np.arange(nodes), np.arange(nodes)[:, None], objectives)
    best, places = drawn_best(generator, objectives), numbers_from(generator).permutation(nodes)
    compiled, plain = (
        improves(bounds, waiting, best, places) for improves in (can_improve, kernels.can_improve)
    )
    assert compiled.tolist() == plain.tolist()
    with pytest.raises(Bug, match="out of bounds"):
        library.call("improve", bounds, waiting, best, 1, np.array([nodes]), np.empty(1, dtype=np.bool_))


def first_above_twin(cube: Cube, generator: Random) -> None:
    positions = generator.randint(1, 4)
    levels, others = (
        numbers_from(generator).integers(0, 4, (generator.randint(0, 9), positions)) for _ in range(2)
    )
    assert first_above(levels, others).tolist() == kernels.first_above(levels, others).tolist()


def called_at(
    plan: Plan, levels: Integers, wanted: int, most: int, with_witnesses: Any = with_witnesses
) -> tuple[Witnesses, Integers]:
    called: tuple[Witnesses, Integers] = with_witnesses(
        nobody(plan, 1), plan, scratch(plan, LARGEST), levels, wanted, most
    )
    return called


def call(cube: Cube, generator: Random) -> None:
    plan = Plan.of(cube, [], 0, False, generator.choice([(), EVERY]), cube.jumping_order)
    levels = np.array([drawn_levels(plan.layout.steps, generator) for _ in range(3)])
    wanted, length = generator.choice([1, 5, 20, 1000]), plan.tuples.length
    most = generator.choice([length, max(1, length // 3)])
    compiled, holders = called_at(plan, levels, wanted, most)
    plain, plain_holders = called_at(plan, levels, wanted, most, kernels.with_witnesses)
    assert holders.tolist() == plain_holders.tolist()
    assert compiled.starts.tolist() == plain.starts.tolist()
    for name in ("keys", "shown", "rows", "cells"):
        end = int(compiled.starts[-1])
        assert getattr(compiled, name)[:end].tolist() == getattr(plain, name)[:end].tolist()


def settle_twin(cube: Cube, generator: Random) -> None:
    plan = Plan.of(cube, [], 0, False, generator.choice([(), EVERY]), cube.jumping_order)
    above = np.array([drawn_levels(plan.layout.steps, generator) for _ in range(2)])
    called, _ = called_at(plan, above, generator.choice([1, 10, 1000]), plan.tuples.length)
    levels = np.array([drawn_levels(above.min(axis=0), generator) for _ in range(12)])
    bounds = drawn_bounds(generator, 12, 2, 0)
    waiting, best = drawn_waiting(generator, np.arange(12), levels, 2), drawn_best(generator, 2)
    places = np.array(generator.sample(range(12), 8))
    holders = np.array([0, *(generator.choice([0, 1, 1, -1]) for _ in places[1:])])

    def settled(settle: Callable[..., Answers]) -> Any:
        own, space = copied(bounds), scratch(plan, LARGEST)
        answers = settle(plan, called, space, own, waiting, best, places, holders)
        assert answers.still_open[holders < 0].all()
        assert not space.tally.by_size.any()
        closed = ~answers.still_open | (holders < 0)
        assert not np.isfinite(answers.worst[closed]).any()
        sure = answers.still_open.tolist(), answers.counted, own.known.tolist(), own.staircase.tolist()
        return sure, answers.worst

    (compiled, compiled_worst), (plain, plain_worst) = settled(settle), settled(kernels.settle)
    assert compiled == plain
    assert compiled_worst == pytest.approx(plain_worst, rel=5.1e-10, abs=1e-10, nan_ok=True)


# --- cuts and parts ----------------------------------------------------------------------------------------


def count_genomes(cube: Cube, generator: Random) -> None:
    rule = generator.choice(["0", "0.3", "any:0.1", "any:0.3"])
    names = generator.sample(["l", "t", "loss", "entropy-loss", "risk-average", "sl", "uniques"], 3)
    problem = CutsProblem.of(cube, ("k", *names), parse_suppression(rule))
    genomes = problem.space.random(4, numbers_from(generator))
    for genome in genomes:
        tables = Evaluator(problem).evaluate(genome[None]).table, candidates_of(problem, genome)
        fast, slow = (sorted(map(tuple, table.tolist())) for table in tables)
        np.testing.assert_allclose(fast, slow, rtol=1e-9)
        assert [row[-3:] for row in fast] == [row[-3:] for row in slow]


WEAK = (("k", 1.0), ("l-distinct", 1.0), ("t", 0.9), ("t-js", 0.9))


def asked_of(required: Required, cube: Cube) -> SimpleNamespace:
    """A requirement as the twins take it: with the statistics and margins that the arrays are about."""
    _, arrays = conditions(required, cube)
    named = [Objective.of(limit.name, cube) for limit in required]
    statistics = list(dict.fromkeys(s for objective in named for s in objective.statistics))
    margins = cube.margins_of(s.column for s in statistics)
    members = SimpleNamespace(begins=arrays.member_begins, ids=arrays.member, holders=arrays.holder)
    return SimpleNamespace(
        which=arrays.which,
        links=arrays.links,
        at_least=arrays.at_least,
        bounds=arrays.bounds,
        begins=arrays.begins,
        values=arrays.value,
        counts=arrays.counts,
        width=arrays.values,
        statistics=statistics,
        margins=margins,
        starts=starts_of([len(margin.labels) for margin in margins]),
        members=members if arrays.persons else None,
    )


def partition_twin(cube: Cube, generator: Random) -> None:
    required = required_of_parts(dict(generator.sample(WEAK, generator.randint(1, 2))))
    k = generator.choice([0, 2, 5])
    shown, binary = Shown(k, generator.randint(0, k)), generator.random() < 0.5
    table = PartedTable.of(cube, required, binary)
    asked = asked_of(required, cube)
    plain = table.parts(plainly_split(table.trees, asked, table.own, table.waiting, shown))
    same_parts(partition(cube, required, shown, binary), plain)


def improved_partition_twin(cube: Cube, generator: Random) -> None:
    required = required_of_parts(dict([generator.choice(WEAK)]))
    seed, k = generator.randint(0, 5), generator.choice([0, 2, 5])
    shown, binary = Shown(k, generator.randint(0, k)), generator.random() < 0.5
    table = PartedTable.of(cube, required, binary)
    more = SimpleNamespace(seed=seed, most=MOST_TRIED, prices=prices(cube))
    asked = asked_of(required, cube)
    plain = table.parts(plainly_improved(table.trees, asked, table.own, more, table.waiting, shown))
    same_parts(improved_partition(cube, required, seed, shown, binary), plain)


def same_parts(compiled: Parts, plain: Parts) -> None:
    for name in ("of_tuple", "low", "high", "low_kinds", "high_kinds"):
        assert getattr(compiled, name).tolist() == getattr(plain, name).tolist(), name


def divide_twin(cube: Cube, generator: Random) -> None:
    """From everything suppressed, and again from what became of it."""
    local, numbers = LocalTable.of(cube), numbers_from(generator)
    of_tuple, orders = np.full(cube.tuples, -1, dtype=np.int64), local.orders(generator.randrange(9))
    for k, allowed in ((generator.randint(1, 4), 0), (generator.randint(1, 4), 2), (2, cube.rows)):
        together = generator.randint(2, 4)
        members, classes, ends = blocks(of_tuple, orders[generator.randrange(len(orders))], together, numbers)
        slack = numbers.integers(0, 2 + local.table.most // 4, len(ends))
        plain = LocalTwin(local).divide(
            ends.tolist(), slack.tolist(), k, allowed, members.tolist(), classes.tolist()
        )
        library.call(
            "divide", local.table, local.space(), len(ends), ends, slack, k, allowed, members, classes
        )
        assert (members.tolist(), classes.tolist()) == plain
        of_tuple[members] = classes
    members[0] = cube.tuples
    with pytest.raises(Bug, match="out of bounds"):
        library.call("divide", local.table, local.space(), len(ends), ends, slack, 1, 0, members, classes)


def least_unions_twin(cube: Cube, generator: Random) -> None:
    """Exactly; never more, where the evaluations are over or few tuples are looked at."""
    table = neighbours(cube, CostRule.named("generalization", cube))[0]
    every = int(table.sizes.sum())
    sizes = np.array(sorted({1, min(generator.randint(2, 4), every), every}), dtype=np.int64)
    rows = np.array(generator.sample(range(cube.tuples), min(2, cube.tuples)), dtype=np.int64)
    plain = np.array([[least_union(table, row, size) for size in sizes.tolist()] for row in rows.tolist()])
    assert (least_unions(table, rows, sizes, 1 << 30) == plain).all()
    assert (least_unions(table, rows, sizes, generator.randint(0, 30)) <= plain).all()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(floor_module, "NEAREST", generator.randint(1, 4))
        assert (least_unions(table, rows, sizes, 1 << 30) <= plain).all()
    with pytest.raises(Bug, match="out of bounds"):
        least_unions(table, rows + cube.tuples, sizes, 1)


# --- what a reader estimates -------------------------------------------------------------------------------


def shown_and_blurred(cube: Cube) -> tuple[Regions, Regions]:
    shown = true_regions(cube, tuple_cells(cube, ["s0"]))
    whole = np.repeat(shown.high.max(axis=1)[:, None], cube.tuples, 1)
    return shown, Regions(np.zeros_like(shown.low), whole, shown.cells)


def populations_of(cube: Cube) -> tuple[Any, tuple[Integers, Integers]]:
    asked = predicates(cube.axes)
    found = find_populations(cube, asked.units, max(1, cube.rows // 5), 1 << 14)
    assert found is not None
    return asked, found


def find_populations_twin(cube: Cube, generator: Random) -> None:
    least = max(1, cube.rows // generator.choice([1, 3, 5]))
    asked = predicates(cube.axes).units
    compiled, plain = (
        find(cube, asked, least, 1 << 14) for find in (find_populations, kernels.find_populations)
    )
    assert compiled is not None
    assert plain is not None
    assert [array.tolist() for array in compiled] == [array.tolist() for array in plain]
    no_room = kernels.find_populations(cube, asked, 1, 1) is None
    assert (find_populations(cube, asked, 1, 1) is None) == no_room


def estimate(cube: Cube, generator: Random) -> None:
    asked, found = populations_of(cube)
    shown, blurred = shown_and_blurred(cube)
    for regions in (shown, blurred):
        compiled = estimates(asked.leaves, *found, regions)
        plain = kernels.estimates(asked.leaves, *found, regions)
        assert compiled == pytest.approx(plain, rel=1e-9, abs=1e-9)


def mean_divergence_twin(cube: Cube, generator: Random) -> None:
    asked, found = populations_of(cube)
    truth, guess = (estimates(asked.leaves, *found, each) for each in shown_and_blurred(cube))
    if len(truth):
        compiled = mean_divergence(truth, guess, 0, truth.shape[1])
        plain = kernels.mean_divergence(truth, guess, 0, truth.shape[1])
        assert compiled == pytest.approx(plain, rel=1e-9, abs=1e-9)
    else:
        library.call("mean_divergence", 0, 1, 0, 1, np.zeros((0, 1)), np.zeros((0, 1)), np.zeros(1))


def answer(cube: Cube, generator: Random) -> None:
    _, blurred = shown_and_blurred(cube)
    numbers = numbers_from(generator)
    leaves = [len(axis.hierarchy.leaves) for axis in cube.axes]
    starts = np.concatenate([[0], np.cumsum(leaves)]).astype(np.int64)
    involved, marks = (
        numbers.random((5, len(leaves))) < 0.6,
        numbers.random((5, blurred.cells.shape[1])) < 0.5,
    )
    running = np.zeros((5, int(starts[-1]) + 1), dtype=np.int32)
    np.cumsum(numbers.random((5, int(starts[-1]))) < 0.5, axis=1, out=running[:, 1:])
    compiled = answers(involved, running, starts, marks, blurred)
    plain = kernels.answers(involved, running.astype(np.int64), starts, marks, blurred)
    assert compiled == pytest.approx(plain, rel=1e-9, abs=1e-9)


def minimal_uniques_twin(cube: Cube, generator: Random) -> None:
    codes = np.ascontiguousarray(cube.groups.T)
    compiled = minimal_uniques(codes, cube.counts, min(3, len(codes)))
    with plainly_counted():
        plain = minimal_uniques(codes, cube.counts, min(3, len(codes)))
    assert compiled.counts == plain.counts
    assert compiled.rows_by_smallest() == plain.rows_by_smallest()


def bound_cuts(cube: Cube, generator: Random) -> None:
    problem = CutsProblem.of(cube, ("k", "loss"), parse_suppression("0.1"))
    sizes = np.unique(np.array([1, 2, 5, cube.rows], dtype=np.int64))
    relaxation = CutRelaxation.of(problem, sizes)
    drawn = problem.space.random(6, np.random.default_rng(generator.randrange(1000)))
    forced, allowed = drawn[:3] & drawn[3:], drawn[:3] | drawn[3:]
    boxes = Boxes(
        forced, allowed, np.zeros(3, dtype=np.int64), np.full(3, len(sizes), dtype=np.int64),
        np.zeros((3, len(sizes))),
    )  # fmt: skip
    known = np.full(len(sizes), 2.0 * relaxation.whole)
    compiled = relaxation(boxes, known)
    plain = plain_bounds(
        relaxation.table, sizes, relaxation.suppressible, relaxation.most_places, boxes, known
    )
    np.testing.assert_allclose(compiled[0], plain[0], rtol=1e-12)
    assert (compiled[2] == plain[2]).all()


TWINS: dict[str, Twin] = {
    "group": group,
    "class_statistics": class_statistics,
    "visit": visit,
    "open": open_twin,
    "improve": improve,
    "first_above": first_above_twin,
    "call": call,
    "settle": settle_twin,
    "count_genomes": count_genomes,
    "bound_cuts": bound_cuts,
    "partition": partition_twin,
    "improved_partition": improved_partition_twin,
    "divide": divide_twin,
    "least_unions": least_unions_twin,
    "find_populations": find_populations_twin,
    "estimate": estimate,
    "mean_divergence": mean_divergence_twin,
    "answer": answer,
    "minimal_uniques": minimal_uniques_twin,
}
# Those that see packed keys.
KEYED = [name for name, declared in FUNCTIONS.items() if Layout in declared.parameters.values()]


def test_every_kernel_has_a_twin() -> None:
    assert TWINS.keys() == FUNCTIONS.keys()


def compared(name: str, table: RandomTable, generator: Random) -> None:
    """One comparison, in which the kernel was called indeed."""
    called, real = [], library.call

    def noted(name: str, *given: Any) -> int:
        called.append(name)
        return real(name, *given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(library, "call", noted)
        TWINS[name](table.study().cube, generator)
    # A lattice of one node asks nobody.
    assert name in called or all(axis.lowest == axis.highest for axis in table.study().cube.axes)


@pytest.mark.parametrize("name", TWINS)
@given(table=tables(quasi=(1, 4), rows=(1, 40), sensitive=1), generator=generators)
@settings(max_examples=15)
def test_twins(name: str, table: RandomTable, generator: Random) -> None:
    compared(name, table, generator)


# Those that count persons where a column says whose a row is.
OF_PERSONS = ("partition", "improved_partition")


@given(
    table=tables(quasi=(1, 4), rows=(1, 40), sensitive=2, labelled=True, persons=True), generator=generators
)
@settings(max_examples=40)
def test_visits_count_persons_and_their_values(table: RandomTable, generator: Random) -> None:
    """Whether each person has one tuple or several."""
    cube = table.study().cube
    columns = [margin.name for margin in cube.sensitive]
    every = [Statistic(kind, name, False, 3.0) for kind in Kind for name in columns]
    # Labels of a class are counted in rows.
    every += [Statistic(Kind.MAJORITY, margin.name) for margin in cube.classes]
    own = [Statistic(kind, columns[0], True) for kind in (Kind.VARIATION, Kind.TREE, Kind.RATIO)]
    reach = [s.reach_from(cube.margin(s.column)) for s in every if s.bounded]
    statistics = [*every, *own, *reach] if generator.random() < 0.7 else []
    units = [CellCosts.of("generalization", cube).units]
    suppressible, order = (
        generator.choice([0, 1, cube.rows // 3]),
        generator.choice([None, cube.jumping_order]),
    )
    thresholds = generator.random() < 0.5
    plan = Plan.of(cube, units, suppressible, thresholds, statistics, order)
    assert plan.persons
    lowest = np.array([axis.lowest for axis in cube.axes])
    most = np.array([axis.steps for axis in cube.axes])
    levels = np.array([drawn_levels(most, generator) for _ in range(4)])
    found, place = Visits(plan).visit(np.arange(4), levels), 0
    for node in levels:
        facts, costs, values = node_facts(
            cube, (lowest + node).tolist(), units, statistics, suppressible, thresholds
        )
        here = slice(place, place + len(facts))
        assert found.facts[here].tolist() == facts.tolist()
        np.testing.assert_allclose(found.costs[here], costs, rtol=1e-12)
        np.testing.assert_allclose(found.statistics[here], values, rtol=1e-9, atol=1e-9)
        place += len(facts)
    assert place == len(found.facts)


@pytest.mark.parametrize("name", OF_PERSONS)
@given(table=tables(quasi=(1, 4), rows=(1, 40), sensitive=2, persons=True), generator=generators)
@settings(max_examples=25)
def test_twins_that_count_persons(name: str, table: RandomTable, generator: Random) -> None:
    compared(name, table, generator)


@pytest.mark.parametrize("name", KEYED)
@given(table=wide_tables(), generator=generators)
@settings(max_examples=6)
def test_twins_with_keys_wider_than_a_word(name: str, table: RandomTable, generator: Random) -> None:
    assert Plan.of(table.study().cube, [], 0, False, EVERY).layout.words > 1
    compared(name, table, generator)


@pytest.mark.parametrize(
    ("starts", "holder"),
    [([0, 1], 1), ([-1, 1], 0), ([1, 0], 0), ([0, 10**6], 0), ([0, 2**62], 0), ([0, 1], 2**62)],
    ids=["no such holder", "before all", "ends before it begins", "behind all", "far behind", "far holder"],
)
def test_witnesses_that_lie_elsewhere_are_not_asked(starts: list[int], holder: int) -> None:
    generator = Random(0)
    plan = Plan.of(random_table(generator).study().cube, [], 0, False, ())
    called, _ = called_at(plan, plan.layout.steps[None, :], 1, plan.tuples.length)
    damaged = called.replaced(starts=np.array(starts, dtype=np.int64))
    waiting = drawn_waiting(generator, np.arange(1), plan.layout.steps[None, :], 2)
    bounds, best = drawn_bounds(generator, 1, 2, 0), drawn_best(generator, 2)
    with pytest.raises(Bug, match="settle was given something out of bounds"):
        settle(
            plan, damaged, scratch(plan, LARGEST), bounds, waiting, best, np.array([0]), np.array([holder])
        )


@pytest.mark.parametrize(
    "changed",
    [{"first": -1}, {"first": 10**6}, {"most": -1}, {"most": 2**62}, {"levels": 99}, {"levels": -1}],
    ids=str,
)
def test_witnesses_are_called_only_where_there_is_room(changed: dict[str, int]) -> None:
    plan = Plan.of(random_table(Random(0)).study().cube, [], 0, False, ())
    room, space = nobody(plan, plan.tuples.length), scratch(plan, LARGEST)
    given = {"first": 0, "most": plan.tuples.length, "levels": 0} | changed
    levels = np.full((1, plan.layout.positions), given["levels"], dtype=np.int64)
    with pytest.raises(Bug, match="call was given something out of bounds"):
        library.call(
            "call", plan.layout, plan.tuples, space.table, space.tally, room, 1, levels, 1, given["most"],
            given["first"], np.zeros(1, dtype=np.int64),
        )  # fmt: skip
