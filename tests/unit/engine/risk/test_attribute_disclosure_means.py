"""Means that one row decides: found where they lie far out, and nowhere else."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from paretonym.engine.frontier.cautions import cautions
from paretonym.engine.risk import DominatedMeans, dominated_means
from paretonym.research.microaggregation.microaggregation_space import MeansRecoding
from paretonym.study.study import Study

SCHEMA: dict[str, Any] = {
    "missing": "value",
    "columns": {
        "wage": {"role": "quasi", "hierarchy": {"intervals": [1000]}},
        "place": {"role": "quasi", "hierarchy": {"flat": True}},
    },
}


def study(wages: list[str | None]) -> Study:
    return Study(pa.table({"wage": pa.array(wages, pa.string()), "place": ["x"] * len(wages)}), SCHEMA)


@pytest.mark.parametrize(
    ("wages", "classes"),
    [
        (["1000", "1050", "1100", "1200", "1500", "1600", "1700", "1000000"], 1),
        (["1000", "1050", "1100", "1200", "1500", "1600", "1700", "1800"], 0),
        # Near the middle a mean tells nothing, whatever makes it.
        (["39", "40", "40", "40", "10", "20", "60", "70"], 0),
        # Two are far out: neither makes more than half.
        (["10", "11", "12", "13", "14", "15", "9000", "9000"], 0),
        # A class without a mean tells no number.
        (["10", "11", "12", "13", "14", "15", "9000", None], 0),
    ],
)
def test_a_row_that_decides_a_mean(wages: list[str | None], classes: int) -> None:
    made = study(wages)
    found = dominated_means(made.realized(MeansRecoding.of({"k": 4})))
    assert found == ((DominatedMeans("wage", classes),) if classes else ())


def test_a_release_warns_and_shows_no_value() -> None:
    run = study(["1000", "1050", "1100", "1200", "1500", "1600", "1700", "1000000"]).explore(
        space="microaggregation", sweep="k=4"
    )
    said = [text for text in cautions(run[0], run.data) if "mean of 'wage'" in text]
    assert len(said) == 1
    assert "in 1 class, one row makes more than half of the distance" in said[0]
    assert "1000000" not in said[0]
    lattice = study(["1000", "1050", "1100", "1200"]).explore("k", "loss", space="lattice")
    assert not any("mean of" in text for text in cautions(lattice[0], lattice.data))
