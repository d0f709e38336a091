"""The loss taken apart by column."""

from __future__ import annotations

from random import Random

import pytest

from paretonym.testing.random_tables import random_table


@pytest.mark.parametrize("seed", range(15))
def test_loss_is_the_weighted_mean_of_its_columns(seed: int) -> None:
    study = random_table(Random(seed), rows=(5, 60)).study()
    weights = {axis.name: float(axis.importance) for axis in study.cube.axes}
    for solution in study.explore("k", "loss", suppress="any:0.3"):
        losses = study.realized(solution.recoding).column_losses()
        mean = sum(losses[name] * weight for name, weight in weights.items()) / sum(weights.values())
        assert mean == pytest.approx(solution["loss"], rel=1e-9, abs=1e-12)
        assert all(solution["sl"] - 1e-9 <= loss <= 1 + 1e-9 for loss in losses.values())
