"""Re-identification risk in numbers and words."""

from __future__ import annotations

from dataclasses import replace

import pyarrow
import pytest
from hypothesis import given, settings

from paretonym.engine.risk.reidentification import THRESHOLDS, Risk
from paretonym.research.exams.random_tables import RandomTable
from paretonym.study.study import Study
from paretonym.tables.schema.row_unit import ROWS
from tests.strategies import tables

# Three groups of 2, 2 and 5 people.
SIZES = Risk(rows=9, classes=3, smallest=2, in_smallest=4, sizes=((2, 2), (5, 1)))


def test_by_hand() -> None:
    assert (SIZES.prosecutor, SIZES.journalist, SIZES.marketer) == (1 / 2, 1 / 2, 3 / 9)
    assert [tuple(part) for part in SIZES.bins()] == [(2, 3, 2, 4), (4, 7, 1, 5)]
    assert [SIZES.below(k) for k in (2, 3, 5, 6)] == [0, 4, 4, 9]
    assert str(SIZES) == (
        "Everybody looks the same as at least 1 other; the 2 smallest equivalence classes have 2 people "
        "each. "
        "Somebody who knows a person's quasi-identifiers and that the person is in the table picks the right "
        "row with a probability of at most 1 in 2 (50 %; prosecutor risk; the journalist risk is assumed to "
        "be the same, since no table of the population is given). Somebody who searches for everybody finds "
        "33 % of the people on average (marketer risk)."
    )


def test_rows_that_are_not_people_have_no_risk() -> None:
    rows = replace(SIZES, unit=ROWS)
    assert str(rows) == (
        "Every row looks the same as at least 1 other; the 2 smallest equivalence classes have 2 rows each. "
        "The re-identification risk is unknown: all rows of an equivalence class may belong to one "
        "person."
    )
    alone = Risk(rows=3, classes=2, smallest=1, in_smallest=1, sizes=((1, 1), (2, 1)), unit=ROWS)
    assert str(alone).startswith("1 row looks like no other row. The re-identification risk")


def test_who_is_alone() -> None:
    text = str(Risk(rows=3, classes=2, smallest=1, in_smallest=1, sizes=((1, 1), (2, 1))))
    assert text.startswith("1 person looks like nobody else. Somebody who knows ")
    assert "at most 1 in 1 (100 %; prosecutor risk" in text


def test_from_a_table() -> None:
    columns = {"age": ["21"] * 3 + ["35"] * 4 + ["61"], "sex": list("ffmmmfff")}
    flat, twenties = {"flat": True}, {"intervals": [20]}
    schema = {
        "columns": {
            "age": {"role": "quasi", "hierarchy": twenties},
            "sex": {"role": "quasi", "hierarchy": flat},
        }
    }
    front = Study(pyarrow.table(columns), schema).explore("k", "loss", suppress=0.2, space="lattice")
    solution = next(s for s in front if s.recoding.as_json()["levels"] == {"age": 1, "sex": 0})
    assert solution.risk() == Risk(rows=7, classes=2, smallest=3, in_smallest=3, sizes=((3, 1), (4, 1)))
    described = solution.describe()
    # One row of 8 is left out: lost in both columns. 7 rows show one of 3 ages as 2 of them: a half is lost.
    assert [(c.name, str(c.words), c.loss) for c in described.columns] == [
        ("age", "in steps of 20", 0.5625),
        ("sex", "unchanged", 0.125),
    ]
    assert (
        str(described)
        == "age in steps of 20; sex unchanged. 1 row is suppressed (12.5 %): equivalence classes of fewer "
        "than 3 rows."
    )


@settings(max_examples=10)
@given(tables(rows=(5, 60)))
def test_risk_agrees_with_the_measures(table: RandomTable) -> None:
    study = table.study()
    for solution in study.explore("k", "risk-average", "uniques", suppress="30%", space="lattice"):
        risk = solution.risk()
        assert risk.smallest == solution["k"]
        assert risk.marketer == pytest.approx(solution["risk-average"], rel=5.1e-10)
        assert risk.rows == study.cube.rows - solution.suppressed
        assert sum(size * classes for size, classes in risk.sizes) == risk.rows
        assert sum(part.rows for part in risk.bins()) == risk.rows
        assert sum(part.classes for part in risk.bins()) == risk.classes


def test_thresholds_rise_and_have_sources() -> None:
    sizes = [threshold.k for threshold in THRESHOLDS]
    assert sizes == sorted(sizes) == [3, 5, 11, 20]
    assert all("20" in threshold.source and threshold.who for threshold in THRESHOLDS)
