"""Improved partitions: every part keeps what is required, none overlaps another, and little is lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings

from paretonym.base.errors import NoSolution
from paretonym.engine.counts.cube import Cube
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.spaces.mondrian.mondrian_space import PartsRecoding
from paretonym.engine.spaces.mondrian.partition import ANYWHERE, Shown, improved_partition, partition, prices
from paretonym.engine.spaces.mondrian.partition_requirement import required_of_parts
from paretonym.research.exams.random_tables import RandomTable, random_table
from paretonym.study.study import Study
from tests.naive import parts as naive
from tests.naive.twin import Table
from tests.strategies import tables
from tests.unit.engine.spaces.mondrian.test_partition import REQUIREMENTS, capped


@settings(max_examples=8)
@given(tables(rows=(5, 60), sensitive=1, bounds=False))
def test_every_part_meets_the_requirement(drawn: RandomTable) -> None:
    cube, table = drawn.study().cube, Table.of(drawn.rows, drawn.schema)
    for seed, requirement in enumerate(REQUIREMENTS):
        if not naive.keeps(table, list(table.rows), requirement):
            with pytest.raises(NoSolution):
                PartsRecoding.of(requirement, seed=seed).classes(cube)
            continue
        made = Realized.of(PartsRecoding.of(requirement, seed=seed), cube)
        measured = made.measure(*requirement)
        for limit in required_of_parts(requirement):
            assert limit.allows(measured[limit.name]), requirement


@settings(max_examples=25)
@given(tables(rows=(5, 60)))
def test_no_part_overlaps_another(drawn: RandomTable) -> None:
    """Every tuple lies in its own region and in no other: new rows find theirs."""
    cube = drawn.study().cube
    try:
        parts = improved_partition(cube, required_of_parts({"k": 2}), 1, Shown(2, 2))
    except NoSolution:
        return
    for row, part in zip(cube.groups, parts.of_tuple.tolist(), strict=True):
        holding = ((parts.low <= row) & (row < parts.high)).all(axis=1)
        assert np.flatnonzero(holding).tolist() == [part]


def cost(cube: Cube, requirement: Mapping[str, float], seed: int | None) -> int:
    """What the rows lose, in the whole numbers of the search, with cuts anywhere."""
    asked = required_of_parts(requirement)
    parts = partition(cube, asked) if seed is None else improved_partition(cube, asked, seed, ANYWHERE)
    sizes = np.stack([axis.unit_ends[parts.high[:, j]] - axis.unit_ends[parts.low[:, j]]
                      for j, axis in enumerate(cube.axes)], axis=1)  # fmt: skip
    rows = np.bincount(parts.of_tuple, weights=cube.counts).astype(np.int64)
    return int((rows * ((sizes - 1) @ prices(cube))).sum())


def test_close_to_the_best_of_all_partitions() -> None:
    """Beside all ways to split small tables recursively: never below the best, often at it, and in
    sum nearer to it than Mondrian."""
    sums, optimal = np.zeros(3, dtype=np.float64), 0
    for seed in range(40):
        generator = Random(f"optimum {seed}")
        drawn = random_table(generator, quasi=(2, 2), rows=(8, 22), missing=0.0, kinds=("intervals", "order"))
        cube = drawn.study().cube
        k = generator.choice([2, 3])
        best, plain = optimum(cube, k), cost(cube, {"k": k}, None)
        improved = min(cost(cube, {"k": k}, each) for each in (0, 1))
        assert best <= improved
        optimal += improved == best
        sums += [best, improved, plain]
    assert optimal >= 25
    assert sums[1] - sums[0] < 0.6 * (sums[2] - sums[0])


def optimum(cube: Cube, k: int) -> int:
    """The least that rows can lose in parts of k rows, by trying every recursive split on lines."""
    price, ends = prices(cube).tolist(), [axis.unit_ends.tolist() for axis in cube.axes]
    known: dict[tuple[tuple[int, int], ...], int] = {}

    def rows_in(region: tuple[tuple[int, int], ...]) -> int:
        inside = np.ones(cube.tuples, dtype=np.bool_)
        for j, (low, high) in enumerate(region):
            inside &= (cube.groups[:, j] >= low) & (cube.groups[:, j] < high)
        return int(cube.counts[inside].sum())

    def halves(region: tuple[tuple[int, int], ...]) -> Iterator[tuple[tuple[tuple[int, int], ...], ...]]:
        for j, (low, high) in enumerate(region):
            for cut in range(low + 1, high):
                yield tuple((*region[:j], run, *region[j + 1 :]) for run in pairwise((low, cut, high)))

    def least(region: tuple[tuple[int, int], ...]) -> int:
        if region not in known:
            spans = zip(price, ends, region, strict=True)
            row = sum(each * (own[high] - own[low] - 1) for each, own, (low, high) in spans)
            found = row * rows_in(region)
            for one, other in halves(region):
                if min(rows_in(one), rows_in(other)) >= k:
                    found = min(found, least(one) + least(other))
            known[region] = found
        return known[region]

    return least(tuple((0, len(own) - 1) for own in ends))


@pytest.fixture(scope="module")
def study() -> Study:
    return random_table(Random("improve"), quasi=(3, 3), rows=(150, 160), sensitive=1).study()


SWEEP = ["k=2,3,5,8", "l=1.5", "t-js=0.2"]


def test_never_worse_than_the_sweep(study: Study) -> None:
    plain = study.explore("k", "loss", space="mondrian", sweep=SWEEP)
    better = study.explore("k", "loss", space="mondrian", search="improve", sweep=SWEEP)
    assert [c.recoding for c in plain.candidates] == [
        c.recoding for c in better.candidates if c.recoding.as_json().get("improved") is None
    ]
    for each in plain:
        assert min(found["loss"] for found in better if found["k"] >= each["k"]) <= each["loss"]
    assert sum(each["loss"] for each in better) < sum(each["loss"] for each in plain)
    assert str(better).endswith("the best of 18 settings")


def test_seeds_and_threads(study: Study) -> None:
    def found(seed: int, threads: int = 1, evaluations: int | None = None) -> dict[str, object]:
        tuning = {"seed": seed, "evaluations": evaluations}
        options = {"space": "mondrian", "search": "improve", "sweep": SWEEP, "threads": threads}
        return study.explore("k", "loss", **tuning, **options).as_json()  # type: ignore[arg-type]

    assert found(0) == found(0, threads=2)
    assert found(0) != found(7)
    assert found(7)["search"]["seed"] == 7  # type: ignore[index]
    more = found(0, evaluations=4)["candidates"]
    assert len(more) == 5 * len(SWEEP) + 15  # type: ignore[arg-type]


def test_stored_and_read_back() -> None:
    recoding = PartsRecoding.of({"k": 2}, seed=3)
    assert recoding.as_json() == {"requirement": {"k": 2}, "improved": {"seed": 3}, "keep": {}}
    assert PartsRecoding.from_json(recoding.as_json()) == recoding
    assert recoding.flat() == {"requirement": "k=2", "improved": "improved, seed 3"}


def test_nothing_is_coarser_than_the_highest_level() -> None:
    for seed in range(8):
        drawn = random_table(
            Random(f"capped {seed}"), rows=(5, 60), kinds=("intervals", "order", "tree", "flat")
        )
        cube = capped(drawn, Random(f"capped {seed}")).study().cube
        parts = improved_partition(cube, required_of_parts({"k": 1}), 0, ANYWHERE)
        for j, axis in enumerate(cube.axes):
            top = axis.mapping(axis.lowest, axis.highest)
            assert (top[parts.low[:, j]] == top[parts.high[:, j] - 1]).all()
