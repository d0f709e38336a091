"""A joint search ends within its budgets of evaluations and says what it did not prove."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from paretonym.engine.spaces import exploration
from paretonym.study import Study

COLUMNS = tuple("abcdefghij")
# Lattices of more than six times as many nodes are not searched to the end.
BUDGET = 200


def wide_table() -> Study:
    """Ten columns with three levels each: 59,049 nodes."""
    import pandas

    values = np.random.default_rng(0).integers(0, 20, (60, len(COLUMNS)))
    table = pandas.DataFrame(dict(zip(COLUMNS, values.T, strict=True)))
    table["job"] = np.random.default_rng(1).choice(["x", "y", "z"], len(table))
    quasi = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10]}}
    columns: dict[str, Any] = dict.fromkeys(COLUMNS, quasi)
    return Study(table, {"columns": {**columns, "job": {"role": "sensitive"}}})


@pytest.mark.parametrize("names", [("k", "loss"), ("k", "l", "loss")])
def test_a_large_lattice_is_not_searched_to_the_end(
    names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exploration, "MOST_EVALUATIONS", BUDGET)
    monkeypatch.setattr(exploration, "OF_VALUES", 1)
    study = wide_table()
    run, again = (study.explore(*names, threads=threads) for threads in (1, 2))
    assert run.as_json() == again.as_json()
    lattice = run.search
    assert lattice.space == "lattice"
    assert lattice.size == 59_049
    assert lattice.evaluated <= BUDGET
    assert not lattice.complete
    assert lattice.open > 0
    assert "not proven" in lattice.short
    assert not any(method.complete for method in run.methods)


def test_one_space_alone_is_searched_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploration, "MOST_EVALUATIONS", BUDGET)
    run = wide_table().explore("k", "l", space="lattice")
    assert run.search.complete
    assert run.search.open == 0
