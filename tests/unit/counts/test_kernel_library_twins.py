"""Kernels beside their numpy twins, one by one, on random inputs."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from paretonym.arrays import Integers
from paretonym.counts import kernel_library as library
from paretonym.counts.class_statistics import Kind, Statistic, margins_for
from paretonym.counts.kernel_interface import Classes
from paretonym.counts.numpy_rollup import numbered, recoded, sizes_of
from paretonym.counts.numpy_statistics import class_values
from paretonym.counts.rollup import hash_table
from paretonym.counts.tuple_layout import Plan, lay_out
from paretonym.measures.estimates.populations import predicates
from paretonym.measures.estimates.reader_estimates import (
    answers,
    estimates,
    find_populations,
    mean_divergence,
)
from paretonym.measures.estimates.released_regions import Regions, true_regions, tuple_cells
from paretonym.spaces.mondrian.partition import partition
from paretonym.spaces.mondrian.partition_requirement import required_of_parts
from paretonym.testing.random_tables import bounded, random_table

pytestmark = pytest.mark.skipif(not library.available(), reason="nothing is compiled here")
SEEDS = range(40)
EVERY = tuple(Statistic(kind, "s0", False, 3.0) for kind in Kind)


def drawn(seed: int) -> tuple[Plan, Random]:
    generator = Random(f"twins {seed}")
    table = random_table(generator, quasi=(1, 5), rows=(1, 150), sensitive=1)
    cube = (bounded(table, generator) if seed % 3 == 0 else table).study().cube
    return lay_out(cube, [], 0, False, EVERY), generator


def levels_up_to(most: Integers, generator: Random) -> Integers:
    return np.array([generator.randint(0, int(step)) for step in most], dtype=np.int64)


def empty_like(tuples: Classes) -> Classes:
    return Classes.made(length=tuples.length, words=tuples.words, width=tuples.width)


@pytest.mark.parametrize("seed", SEEDS)
def test_grouping(seed: int) -> None:
    plan, generator = drawn(seed)
    tuples, zero = plan.tuples, np.zeros_like(plan.layout.steps)
    high = levels_up_to(plan.layout.steps, generator)
    out, target = empty_like(tuples), np.zeros(tuples.length, dtype=np.int64)
    codes, table = np.zeros_like(tuples.keys), hash_table(tuples.length)
    found = library.call("group", plan.layout, table, zero, high, tuples, out, codes, target)
    keys = recoded(plan.layout, tuples.keys, zero, high)
    wanted, classes = numbered(keys)
    assert codes.tolist() == keys.tolist()
    assert (found, target.tolist()) == (classes, wanted.tolist())
    assert out.counts[:found].tolist() == sizes_of(wanted, classes, tuples.counts).tolist()
    cells = np.zeros((classes, tuples.width), dtype=np.int64)
    np.add.at(cells, wanted, tuples.cells)
    assert out.cells[:found].tolist() == cells.tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_class_statistics(seed: int) -> None:
    plan, _ = drawn(seed)
    table = random_table(Random(f"twins {seed}"), quasi=(1, 5), rows=(1, 150), sensitive=1)
    (margin,) = margins_for(table.study().cube, EVERY)
    reference = plan.requests.totals / plan.requests.totals.sum()
    for which, statistic in enumerate(EVERY):
        found, sorting = np.zeros(plan.tuples.length), np.zeros(plan.tuples.width, dtype=np.int64)
        library.call("class_statistics", plan.requests, which, plan.tuples, sorting, found)
        wanted = class_values(statistic, margin, plan.tuples.cells.astype(np.int64), reference)
        assert found == pytest.approx(wanted, rel=1e-11, abs=1e-11), statistic


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_mondrian(seed: int, relaxed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = Random(f"mondrian {seed}")
    cube = random_table(generator, quasi=(1, 4), rows=(10, 120), sensitive=1).study().cube
    names = [("k", 2.0), ("l-distinct", 1.0), ("t", 0.9), ("t-js", 0.6)]
    drawn = (("k", 3.0), generator.choice(names[1:])) if seed % 2 else (generator.choice(names),)
    asked = required_of_parts(dict(drawn))
    k = generator.choice([0, 2, 5])
    made = [partition(cube, asked, relaxed, k)]
    monkeypatch.setattr(library, "available", lambda: False)
    made.append(partition(cube, asked, relaxed, k))
    for name in ("of_tuple", "low", "high"):
        assert getattr(made[0], name).tolist() == getattr(made[1], name).tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_estimates(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = Random(f"estimates {seed}")
    cube = random_table(generator, quasi=(1, 4), rows=(5, 80), sensitive=1).study().cube
    asked = predicates(cube.axes)
    shown = true_regions(cube, tuple_cells(cube, ["s0"]))
    blurred = Regions(
        np.zeros_like(shown.low), np.repeat(shown.high.max(axis=1)[:, None], cube.tuples, 1), shown.cells
    )
    numbers = np.random.default_rng(seed)
    leaves = [len(axis.hierarchy.leaves) for axis in cube.axes]
    starts = np.concatenate([[0], np.cumsum(leaves)]).astype(np.int64)
    involved, marks = numbers.random((5, len(leaves))) < 0.6, numbers.random((5, shown.cells.shape[1])) < 0.5
    running = np.zeros((5, int(starts[-1]) + 1), dtype=np.int32)
    np.cumsum(numbers.random((5, int(starts[-1]))) < 0.5, axis=1, out=running[:, 1:])

    def everything() -> list[object]:
        found = find_populations(cube, asked.units, max(1, cube.rows // 5), 1 << 14)
        assert found is not None
        assert find_populations(cube, asked.units, 1, 1) is None or len(found[0]) <= 1
        truth, guess = (estimates(asked.leaves, *found, each) for each in (shown, blurred))
        distance = mean_divergence(truth, guess, 0, truth.shape[1]) if len(truth) else 0.0
        guesses = answers(involved, running, starts, marks, blurred)
        arrays = (*found, truth, guess, np.array([distance]), guesses)
        return [each.round(9).tolist() for each in arrays]

    compiled = everything()
    monkeypatch.setattr(library, "available", lambda: False)
    assert everything() == compiled
