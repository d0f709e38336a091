"""Risk in numbers and words, and the loss taken apart by column."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pyarrow
import pytest

from paretonym.measures.column_losses import column_losses
from paretonym.measures.formatting import apart, measured, rounded_out, written
from paretonym.risk.published_thresholds import THRESHOLDS, reached
from paretonym.risk.reidentification import Risk
from paretonym.run.study import Study
from paretonym.schema.row_unit import ROWS
from paretonym.sentence_parts import percent, percentage
from paretonym.testing.random_tables import random_table

# Three groups of 2, 2 and 5 people.
SIZES = Risk(rows=9, classes=3, smallest=2, in_smallest=4, sizes=((2, 2), (5, 1)))


def test_by_hand() -> None:
    assert (SIZES.prosecutor, SIZES.journalist, SIZES.marketer) == (1 / 2, 1 / 2, 3 / 9)
    assert SIZES.cumulative() == ((2, 4), (5, 9))
    assert [tuple(part) for part in SIZES.bins()] == [(2, 3, 2, 4), (4, 7, 1, 5)]
    assert [SIZES.below(k) for k in (2, 3, 5, 6)] == [0, 4, 4, 9]
    assert str(SIZES) == (
        "Everybody looks the same as at least 1 other; 4 people are in a smallest group of 2. "
        "Somebody who knows all quasi-identifiers of a person and that the person is in the table finds the "
        "right row with a chance of at most 1 in 2 (50 %; prosecutor risk; the journalist risk is taken to "
        "be the same, since no table of the population is given). Somebody who looks for everybody finds "
        "33 % of the people on average (marketer risk)."
    )


def test_rows_that_are_not_people_have_no_risk() -> None:
    rows = replace(SIZES, unit=ROWS)
    assert str(rows) == (
        "Every row looks the same as at least 1 other; 4 rows are in a smallest group of 2. How likely a "
        "person is found cannot be computed from this: all rows of a group may be one person's."
    )
    alone = Risk(rows=3, classes=2, smallest=1, in_smallest=1, sizes=((1, 1), (2, 1)), unit=ROWS)
    assert str(alone).startswith("1 row looks like no other row. How likely")


def test_one_number_is_written_one_way() -> None:
    """3.25 % was 3.2 % in one place and 3.3 % in another."""
    assert measured("sl", 0.0325) == percentage(0.0325) == percent(0.0325) == "3.3 %"
    assert percentage(0.0115) == "1.2 %"  # in binary a little less than 1.15 %
    assert (percentage(1), percentage(0), percentage(1 / 3, 0)) == ("100.0 %", "0.0 %", "33 %")


def test_two_values_are_written_apart() -> None:
    assert apart("loss", 0.04414, 0.04438) == ("4.41 %", "4.44 %")
    assert apart("loss", 0.25, 0.3) == ("25.0 %", "30.0 %")
    assert apart("l", 2.00011, 2.00012) == ("2.00011", "2.00012")
    assert apart("k", 5, 5) == ("5", "5")


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
    front = Study(pyarrow.table(columns), schema).explore("k", "loss", suppress=0.2)
    solution = next(s for s in front if s.recoding.as_json()["levels"] == {"age": 1, "sex": 0})
    assert solution.risk() == Risk(rows=7, classes=2, smallest=3, in_smallest=3, sizes=((3, 1), (4, 1)))
    described = solution.describe()
    # One row of 8 is left out: lost in both columns. 7 rows show one of 3 ages as 2 of them: a half is lost.
    assert [(c.name, str(c.words), c.loss) for c in described.columns] == [
        ("age", "in twenties", 0.5625),
        ("sex", "as it is", 0.125),
    ]
    assert (
        str(described) == "age in twenties; sex as it is. 1 row is left out (12.5 %): groups of fewer than 3."
    )


@pytest.mark.parametrize("seed", range(15))
def test_loss_is_the_weighted_mean_of_its_columns(seed: int) -> None:
    study = random_table(Random(seed), rows=(5, 60)).study()
    weights = {axis.name: float(axis.importance) for axis in study.cube.axes}
    for solution in study.explore("k", "loss", suppress="any:0.3"):
        losses = column_losses(study.realized(solution.recoding))
        mean = sum(losses[name] * weight for name, weight in weights.items()) / sum(weights.values())
        assert mean == pytest.approx(solution["loss"], rel=1e-9, abs=1e-12)
        assert all(solution["sl"] - 1e-9 <= loss <= 1 + 1e-9 for loss in losses.values())


@pytest.mark.parametrize("seed", range(10))
def test_risk_agrees_with_the_measures(seed: int) -> None:
    study = random_table(Random(seed), rows=(5, 60)).study()
    for solution in study.explore("k", "risk-average", "uniques", suppress="30%"):
        risk = solution.risk()
        assert risk.smallest == solution["k"]
        assert risk.marketer == pytest.approx(solution["risk-average"], rel=1e-11)
        assert risk.rows == study.cube.rows - solution.suppressed
        assert risk.cumulative()[-1] == (risk.sizes[-1][0], risk.rows)
        assert sum(part.rows for part in risk.bins()) == risk.rows
        assert sum(part.classes for part in risk.bins()) == risk.classes


def test_thresholds_rise_and_have_sources() -> None:
    sizes = [threshold.k for threshold in THRESHOLDS]
    assert sizes == sorted(sizes) == [3, 5, 11, 20]
    assert all("20" in threshold.source and threshold.who for threshold in THRESHOLDS)
    assert [threshold.k for threshold in reached(10)] == [3, 5]


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [("k", 12345, "12,345"), ("sl", 0.0843, "8.4 %"), ("t", 0.12345, "0.1235"), ("delta", float("inf"), "∞")],
)
def test_numbers_that_people_can_read(name: str, value: float, text: str) -> None:
    assert measured(name, value) == text


@pytest.mark.parametrize("seed", range(50))
def test_rounded_bounds_let_pass_what_they_should(seed: int) -> None:
    generator = Random(seed)
    value = generator.random()
    stop = value + generator.choice((1e-7, 1e-4, 0.01, 0.3))
    assert value <= rounded_out("loss", value, True, stop) < stop
    assert -stop < rounded_out("l", -value, False, -stop) <= -value
    assert written("loss", rounded_out("loss", value, True)).endswith(" %")
