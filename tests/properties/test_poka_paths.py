"""POkA beside its recursion; what it finds where nothing ties; and why it misses what it misses."""

from __future__ import annotations

from random import Random
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings

from paretonym.base.budget import Limits
from paretonym.engine.recoding.level_lattice import Lattice
from paretonym.engine.recoding.suppression import parse_suppression
from paretonym.engine.search.problem import Problem
from paretonym.engine.search.search_options import Tuning
from paretonym.research.exams.random_tables import random_table
from paretonym.research.exams.search_exam import every_vector
from paretonym.research.papers.methods.evaluation_cache import Ledger
from paretonym.research.papers.methods.poka import LAST, descend
from tests.naive.made_lattice import MadeLattice, MadeLedger, made_lattice
from tests.naive.poka_twin import Recursion, neighbours
from tests.strategies import seeds

FROM_THE_BOTTOM = 10_000


def found(made: MadeLattice, depth: int) -> tuple[list[int], set[int]]:
    """The path, and what was evaluated."""
    ledger = MadeLedger(made)
    path = descend(cast(Ledger, cast(Any, ledger)), Limits(threads=1), Tuning(depth=depth)).nodes
    return path.tolist(), ledger.seen


@pytest.mark.parametrize("depth", [1, 2, 3, FROM_THE_BOTTOM])
@settings(max_examples=40)
@given(seed=seeds)
def test_layers_do_what_the_recursion_does(seed: int, depth: int) -> None:
    """The same nodes are evaluated and the same are found, where nothing ties."""
    made = made_lattice(seed, ties=False)
    path, seen = found(made, depth)
    twin = Recursion(made, depth)
    assert [made.lattice.number(node) for node in twin.run()] == path
    assert {made.lattice.number(node) for node in twin.evaluated} == seen


@settings(max_examples=80)
@given(seeds)
def test_from_the_bottom_everything_is_found_if_no_two_k_are_equal(seed: int) -> None:
    """Down to where it stops: at the first solution with k of 2 or less."""
    made = made_lattice(seed, ties=False)
    assert len(set(made.table[:, 0].tolist())) == made.lattice.size
    path, _ = found(made, FROM_THE_BOTTOM)
    last = made.table[path[-1], 0]
    assert {tuple(v) for v in made.table[path].tolist()} == {v for v in made.frontier if v[0] >= last}
    assert last <= LAST or last == min(v[0] for v in made.frontier)


@settings(max_examples=150)
@given(seeds)
def test_every_miss_is_explained_by_a_tie(seed: int) -> None:
    made = made_lattice(seed, ties=True)
    path, _ = found(made, FROM_THE_BOTTOM)
    got = {tuple(v) for v in made.table[path].tolist()}
    last = made.table[path[-1], 0]
    for vector in made.frontier - got:
        if vector[0] >= last:
            for node in np.flatnonzero((made.table == vector).all(axis=1)).tolist():
                assert tied(made, path, node), (vector, made.levels(node))


def test_ties_do_hide_solutions() -> None:
    """Otherwise the test before would say nothing."""
    missed = 0
    for seed in range(150):
        made = made_lattice(seed, ties=True)
        path, _ = found(made, FROM_THE_BOTTOM)
        got = {tuple(v) for v in made.table[path].tolist()}
        missed += sum(v[0] >= made.table[path[-1], 0] for v in made.frontier - got)
    assert missed > 10


def test_tables_in_which_no_two_k_are_equal() -> None:
    """The same on tables that are counted: all that have the property among many random ones."""
    tried = 0
    for seed in range(400):
        generator = Random(f"unequal {seed}")
        study = random_table(generator, quasi=(2, 2), rows=(8, 30), missing=0, kinds=("flat",)).study()
        problem = Problem.of(study.cube, ("k", "loss"), parse_suppression("0"))
        sizes = sorted(vector[0] for vector in every_vector(problem))
        if len(set(sizes)) < problem.lattice.size:
            continue
        tried += 1
        for loss in ("loss", "discernibility"):
            exact = study.explore("k", loss, suppress=0, space="lattice").vectors().tolist()
            poka = study.explore("k", loss, suppress=0, search="poka", depth=99).vectors().tolist()
            assert poka == [vector for vector in exact if vector[0] >= poka[-1][0]]
            assert poka[-1][0] <= LAST or poka == exact
    assert tried >= 20


def test_a_deep_lattice_needs_no_recursion() -> None:
    """Far deeper than Python recurses: the paper's functions as they stand would end with an error."""
    lattice = Lattice(("q0", "q1"), (0, 0), (2999, 1))
    table = np.stack([np.ones(6000), np.arange(6000.0)], axis=1)
    table[-1, 0] = 10
    deep = MadeLattice(lattice, table)
    path, seen = found(deep, FROM_THE_BOTTOM)
    assert [deep.levels(node) for node in path] == [(2999, 1), (2998, 1)]
    assert len(seen) == 3
    with pytest.raises(RecursionError):
        Recursion(deep, FROM_THE_BOTTOM).run()


def tied(made: MadeLattice, path: list[int], node: int) -> bool:
    """Whether ties hid a node: it lies two or more steps below the base that it should have been found from,
    and every neighbour of that base on the way has the base's k or loss, or the node's own k. At the very top
    it has the same k as everything hidden."""
    k = made.table[node, 0]
    bases = [base for base in path if made.table[base, 0] > k]
    if not bases:
        return bool(k == made.table[path[0], 0])
    base = min(bases, key=lambda each: float(made.table[each, 0]))
    above, below = made.levels(base), made.levels(node)
    inside = all(b <= a for a, b in zip(above, below, strict=True)) and sum(above) - sum(below) > 1
    between = [
        made.lattice.number(each)
        for each in neighbours(above, -1, made.lattice.highest)
        if all(b <= a for a, b in zip(each, below, strict=True))
    ]
    values = made.table
    return inside and all(
        bool((values[each] == values[base]).any() or values[each, 0] == k) for each in between
    )
