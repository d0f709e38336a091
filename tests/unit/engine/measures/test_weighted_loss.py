"""Weighted losses against a table in which every row is repeated, and searches with their floors."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.measures.weighted_loss import WeightedFloors
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.research.exams.random_tables import RandomTable, random_table, text_table
from paretonym.study.study import Study

WEIGHTED = {name: {"weights": 1.0} for name in ("gl", "sl", "loss", "precision-loss")}


def weighted(seed: int) -> tuple[Study, RandomTable, list[int]]:
    """A random table, and whole weights for its rows; half of each is what the study says."""
    table, random = random_table(Random(f"weighted {seed}"), quasi=(2, 3), rows=(5, 20)), Random(seed)
    weights = [random.randint(1, 5) for _ in table.rows]
    schema: dict[str, Any] = {**table.schema, "columns": {**table.schema["columns"], "w": {"role": "weight"}}}
    columns: dict[str, list[str | None]] = {**table.columns, "w": [str(weight / 2) for weight in weights]}
    return Study(text_table(columns), schema), table, weights


@pytest.mark.parametrize("seed", range(6))
def test_a_weight_repeats_its_row(seed: int) -> None:
    """With a row repeated as its weight says, the plain losses are the weighted ones, if the same classes
    stay."""
    own, table, weights = weighted(seed)
    repeated = tuple(row for row, weight in zip(table.rows, weights, strict=True) for _ in range(weight))
    several = RandomTable(repeated, table.schema).study()
    random = Random(seed)
    for _ in range(4):
        levels = {axis.name: random.randint(axis.lowest, axis.highest) for axis in own.cube.axes}
        whole = Realized.of(LatticeRecoding.of(levels, {"k": ">=1"}), own.cube)
        k = int(random.choice(sorted(set(whole.sizes.tolist()))))
        found = Realized.of(LatticeRecoding.of(levels, {"k": f">={k}"}), own.cube)
        classes = LatticeRecoding.of(levels, {"k": ">=1"}).classes(several.cube)
        stays = {found.classes.labels(c) for c in np.flatnonzero(found.stays).tolist()}
        mask = np.array([classes.labels(c) in stays for c in range(len(classes))])
        plain = Realized(several.cube, classes, mask).measure(*WEIGHTED)
        assert found.measure(*WEIGHTED, settings=WEIGHTED) == pytest.approx(plain, rel=5.1e-10)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("suppress", ["0", "10%", "any:0.3"])
def test_exact_equals_exhaustive(seed: int, suppress: str) -> None:
    own = weighted(seed)[0]
    for asked in (("k", "loss"), ("k", "precision-loss", "sl")):
        settings = {name: {"weights": 1} for name in asked[1:]}
        found = own.explore(*asked, suppress=suppress, settings=settings, space="lattice")
        every = own.explore(*asked, suppress=suppress, search="exhaustive", settings=settings)
        assert found.search.complete
        assert [[s[n] for n in asked] for s in found] == [[s[n] for n in asked] for s in every]


@pytest.mark.parametrize("seed", range(3))
def test_no_candidate_is_below_its_floor(seed: int) -> None:
    own = weighted(seed)[0]
    settings = {"loss": {"weights": 1}}
    for solution in own.explore("k", "loss", suppress="any:0.5", search="exhaustive", settings=settings):
        levels = solution.recoding.as_json()["levels"]
        above = np.array([[levels[axis.name] - axis.lowest for axis in own.cube.axes]])
        assert WeightedFloors.of("generalization", own.cube).at(above)[0] <= solution["loss"]
