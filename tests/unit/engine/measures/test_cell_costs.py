"""Costs in whole numbers: the same in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from paretonym.engine.measures.cell_costs import RULES, CellCosts
from paretonym.research.exams.random_tables import RandomTable
from tests.strategies import tables


@pytest.mark.parametrize("name", RULES)
@settings(max_examples=20)
@given(table=tables())
def test_costs_are_whole(name: str, table: RandomTable) -> None:
    """Sums of whole numbers are exact in any order, as long as they do not overflow."""
    cube = table.study().cube
    costs = CellCosts.of(name, cube)
    rule = costs.rule
    for axis, levels in zip(cube.axes, costs.units, strict=True):
        assert len(levels) == axis.steps + 1
        assert all(level.dtype == np.int64 for level in levels)
    assert abs(rule.base) < 1 << 62
    assert sum(abs(total).max() for total in costs.totals) < 1 << 62
    assert (rule.most * cube.rows - rule.base) / rule.whole <= 1.0 + 1e-12


def test_a_column_of_one_value_costs_nothing_in_any_loss() -> None:
    """`one` has one value and a hierarchy above it: whatever is shown, it says the same."""
    rows = ({"one": "x", "two": "a"}, {"one": "x", "two": "b"})
    columns: dict[str, dict[str, Any]] = {
        "one": {"role": "quasi", "hierarchy": {"tree": {"letters": ["x"]}}, "levels": [1, 1]},
        "two": {"role": "quasi", "hierarchy": {"flat": True}},
    }
    for loss in ("precision-loss", "loss", "entropy-loss"):
        front = (
            RandomTable(rows, {"columns": columns}).study().explore("k", loss, suppress=0, space="lattice")
        )
        assert [(each["k"], each[loss]) for each in front] == [(2, 0.5), (1, 0)]


def test_a_column_of_one_value_costs_nothing_but_weighs() -> None:
    rows = ({"one": "x", "two": "a"}, {"one": "x", "two": "b"})
    columns = {name: {"role": "quasi", "hierarchy": {"flat": True}} for name in ("one", "two")}
    (top, *_) = (
        RandomTable(rows, {"columns": columns}).study().explore("k", "gl", suppress=0, space="lattice")
    )
    assert (top["k"], top["gl"]) == (2, 0.5)
