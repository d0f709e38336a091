"""Semantic privacy in both readings: beside explicit enumeration, and searches beside exhaustive ones."""

from __future__ import annotations

from math import inf, log
from random import Random

import numpy as np
import pytest

from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.research.exams.random_tables import random_table

INFINITE = {"delta": {"missing": "infinite"}}


@pytest.mark.parametrize("seed", range(6))
def test_what_a_class_lacks(seed: int) -> None:
    cube = random_table(Random(f"delta {seed}"), rows=(20, 60), sensitive=1).study().cube
    (margin,) = cube.sensitive
    for levels in ("lowest", "highest"):
        recoding = LatticeRecoding.of({axis.name: getattr(axis, levels) for axis in cube.axes}, {})
        classes = recoding.classes(cube)
        worst, lacking = 0.0, False
        for cells in margin.cells(classes.of_tuple, len(classes)).tolist():
            for count, q in zip(cells, margin.shares.tolist(), strict=True):
                worst = max(worst, abs(log(count / sum(cells) / q)) if count else 0.0)
                lacking = lacking or (q > 0 and not count)
        realized = Realized.of(recoding, cube)
        assert realized.measure("delta")["delta"] == pytest.approx(worst, abs=1e-9)
        expected = inf if lacking else pytest.approx(worst, abs=1e-9)
        assert realized.measure("delta", settings=INFINITE)["delta"] == expected


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("suppress", ["0", "10%", "any:0.3"])
@pytest.mark.parametrize("settings", [None, INFINITE])
def test_exact_equals_exhaustive(
    seed: int, suppress: str, settings: dict[str, dict[str, float | str]] | None
) -> None:
    study = random_table(Random(f"delta {seed}"), quasi=(2, 3), rows=(10, 60), sensitive=1).study()
    for asked in (("k", "delta", "loss"), ("delta", "loss"), ("k", "delta")):
        if settings and asked[0] == "delta" and suppress.startswith("any"):
            continue
        found = study.explore(*asked, suppress=suppress, settings=settings, space="lattice")
        every = study.explore(*asked, suppress=suppress, settings=settings, search="exhaustive")
        assert found.search.complete
        assert [[s[n] for n in asked] for s in found] == [[s[n] for n in asked] for s in every]


@pytest.mark.parametrize("seed", range(8))
def test_no_specialization_is_better_than_the_upper_side(seed: int) -> None:
    """ln(1 + β) of a node is at most δ of every node below it."""
    cube = random_table(Random(f"delta {seed}"), quasi=(2, 3), rows=(10, 60), sensitive=1).study().cube
    random = Random(seed)
    for _ in range(20):
        high = {axis.name: random.randint(axis.lowest, axis.highest) for axis in cube.axes}
        low = {axis.name: random.randint(axis.lowest, high[axis.name]) for axis in cube.axes}
        above, below = (Realized.of(LatticeRecoding.of(levels, {}), cube) for levels in (high, low))
        bound = np.log1p(above.measure("beta")["beta"])
        assert below.measure("delta")["delta"] >= bound - 1e-9
