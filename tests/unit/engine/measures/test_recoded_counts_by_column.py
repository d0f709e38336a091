"""The loss taken apart by column."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from paretonym.research.exams.random_tables import RandomTable
from tests.strategies import tables


@settings(max_examples=15)
@given(tables(rows=(5, 60), bounds=False))
def test_loss_is_the_weighted_mean_of_its_columns(table: RandomTable) -> None:
    study = table.study()
    weights = {axis.name: float(axis.importance) for axis in study.cube.axes}
    for solution in study.explore("k", "loss", suppress="any:0.3", space="lattice"):
        losses = study.realized(solution.recoding).column_losses()
        mean = sum(losses[name] * weight for name, weight in weights.items()) / sum(weights.values())
        assert mean == pytest.approx(solution["loss"], rel=1e-9, abs=1e-12)
        assert all(solution["sl"] - 1e-9 <= loss <= 1 + 1e-9 for loss in losses.values())
