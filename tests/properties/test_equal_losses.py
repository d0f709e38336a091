"""Equal losses are equal numbers of ten digits, whatever was summed in which order; against 50 digits."""

from __future__ import annotations

import itertools
from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from paretonym.engine.recoding.suppression import parse_suppression
from paretonym.engine.search.node_evaluation import evaluator
from paretonym.engine.search.problem import Problem
from paretonym.research.exams.random_tables import RandomTable
from paretonym.study.study import Study
from tests.naive.rollup import plain_evaluator
from tests.strategies import seeds, tables

# Two numbers of 50 digits that differ by less are equal.
NEAR = Decimal(10) ** -40


def even_table(generator: Random) -> RandomTable:
    """Columns whose values occur about equally often, under trees of two levels: many equal losses."""
    widths = [generator.choice([2, 3, 4, 6, 8]) for _ in range(generator.randint(2, 4))]
    number = generator.choice([24, 36, 48, 60, 72])
    columns: dict[str, Any] = {}
    values: list[list[str]] = []
    for j, width in enumerate(widths):
        column = [f"v{(i * width // number)}" for i in range(number)]
        if generator.random() < 0.4:
            column = [f"v{generator.randrange(width)}" for _ in range(number)]
        generator.shuffle(column)
        values.append(column)
        leaves = [f"v{i}" for i in range(width)]
        half = generator.choice([1, width // 2])
        tree = {"low": leaves[:half], "high": leaves[half:]}
        columns[f"q{j}"] = {"role": "quasi", "hierarchy": {"tree": tree}}
    rows = tuple({f"q{j}": column[i] for j, column in enumerate(values)} for i in range(number))
    return RandomTable(rows, {"columns": columns})


def exact_entropy_losses(study: Study, problem: Problem) -> list[Decimal]:
    """The entropy loss of every node with nothing suppressed, in 50 digits."""
    cube, found = study.cube, []
    with localcontext() as context:
        context.prec = 50
        for node in range(problem.lattice.size):
            total = Decimal(0)
            for axis, level in zip(cube.axes, problem.lattice.levels(node), strict=True):
                rows, leaves = axis.rows(level).tolist(), [f for f in axis.leaf_rows.tolist() if f]
                if len(leaves) < 2:
                    continue
                own = sum((f * Decimal(f).ln() for f in leaves), Decimal(0))
                shown = sum((f * Decimal(f).ln() for f in rows if f), Decimal(0))
                total += (shown - own) / (cube.rows * Decimal(cube.rows).ln() - own)
            found.append(total / len(cube.axes))
    return found


@settings(max_examples=40)
@given(seeds.map(lambda seed: even_table(Random(seed))) | tables(rows=(10, 60)))
def test_entropy_losses_of_all_nodes(table: RandomTable) -> None:
    study = table.study()
    problem = Problem.of(study.cube, ("k", "entropy-loss"), parse_suppression("0"))
    nodes = np.arange(problem.lattice.size)
    wanted = exact_entropy_losses(study, problem)
    for evaluate in (evaluator(problem), plain_evaluator(problem)):
        counted = evaluate(nodes)
        order = np.argsort(counted.nodes)
        losses = problem.values(problem.facts(counted))[order, 1].tolist()
        assert losses == pytest.approx([float(each) for each in wanted], rel=5.1e-10, abs=1e-12)
        ranked = sorted(nodes.tolist(), key=lambda node: wanted[node])
        for left, right in itertools.pairwise(ranked):
            if wanted[right] - wanted[left] < NEAR:
                assert losses[left] == losses[right], (left, right)
            assert losses[left] <= losses[right]


def test_the_table_of_615_rows() -> None:
    """Two releases whose entropy losses are equal: only the one with the greater k is on the frontier."""
    shown = [
        ("v0", "b1", "v0", 3), ("v1", "b1", "v0", 6), ("v0", "b1", "v1", 7), ("v0", "b2", "z", 4),
        ("v1", "b2", "z", 20), ("w", "b3", "w", 5), ("u", "b4", "v1", 19), ("u", "b5", "v0", 5),
    ]  # fmt: skip
    for seed in (290, 460, *range(8)):
        generator = np.random.default_rng(seed)
        many = int(generator.integers(5, 60))
        sizes = generator.integers(6, 60, many).tolist()
        rows = [(a, b, c) for a, b, c, times in shown for _ in range(times)]
        rows += [(f"f{i:03d}",) * 3 for i in range(many) for _ in range(sizes[i])]
        if len(rows) > 700:
            continue
        names = ("A", "B", "C")
        columns = {}
        for j, name in enumerate(names):
            values = sorted({row[j] for row in rows})
            tree = {"V": ["v0", "v1"]} if "v0" in values else {}
            tree |= {value: [] for value in values if value not in ("v0", "v1")}
            columns[name] = {"role": "quasi", "hierarchy": {"tree": tree}}
        table = RandomTable(tuple(dict(zip(names, row, strict=True)) for row in rows), {"columns": columns})
        front = table.study().explore("k", "entropy-loss", suppress=0, space="lattice")
        losses = [solution["entropy-loss"] for solution in front]
        gaps = [abs(one - other) for one, other in itertools.pairwise(losses)]
        assert min(gaps) > 1e-9, (seed, len(rows))


@settings(max_examples=30)
@given(seeds)
def test_generalization_losses_are_exact_fractions(seed: int) -> None:
    """Domains whose sizes have no common factor, and odd weights: the common denominator is long."""
    generator = Random(seed)
    sizes = generator.sample([5, 8, 12, 14, 18, 20, 24, 30, 32, 38, 42, 44, 48, 54, 60], 6)
    columns = {
        f"q{j}": {
            "role": "quasi",
            "importance": generator.choice([1, 1, 2, 0.37, 1.0001]),
            "hierarchy": {"tree": {"a": [f"v{i}" for i in range(3)], "b": [f"v{i}" for i in range(3, size)]}},
        }
        for j, size in enumerate(sizes)
    }
    rows = tuple(
        {f"q{j}": f"v{generator.randrange(size)}" for j, size in enumerate(sizes)} for _ in range(30)
    )
    study = RandomTable(rows, {"columns": columns}).study()
    problem = Problem.of(study.cube, ("k", "loss"), parse_suppression("0"))
    counted = evaluator(problem)(np.arange(problem.lattice.size))
    losses = problem.values(problem.facts(counted))[np.argsort(counted.nodes), 1].tolist()
    weights = sum((axis.importance for axis in study.cube.axes), Fraction(0))
    equal: dict[Fraction, set[float]] = {}
    for node, loss in enumerate(losses):
        exact = Fraction(0)
        for axis, level in zip(study.cube.axes, problem.lattice.levels(node), strict=True):
            shown = axis.hierarchy.levels[level].sizes.tolist()
            spent = sum(n * (size - 1) for n, size in zip(axis.rows(level).tolist(), shown, strict=True))
            exact += axis.importance * Fraction(spent, axis.hierarchy.domain - 1)
        assert loss == pytest.approx(float(exact / (weights * study.cube.rows)), rel=5.1e-10)
        equal.setdefault(exact, set()).add(loss)
    assert all(len(losses) == 1 for losses in equal.values())
