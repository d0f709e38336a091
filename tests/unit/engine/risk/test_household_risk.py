"""The risk of households, by hand: at least one member is found, whatever the table is a sample of."""

from __future__ import annotations

from math import log
from typing import Any

import pyarrow as pa
import pytest

from paretonym.engine.risk import HouseholdRisk, household_risk
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.study.study import Study

FLAT = {"role": "quasi", "hierarchy": {"flat": True}}
COLUMNS: dict[str, Any] = {"home": {"role": "household"}, "age": FLAT}
# Home A has somebody who is unique, and one of two people of 30; home B has the other one.
TABLE = {"home": ["A", "A", "B"], "age": ["20", "30", "30"]}


def of_households(study: Study) -> HouseholdRisk:
    answer = household_risk(study.realized(LatticeRecoding.of({"age": 0}, {"k": ">=1"})))
    assert answer is not None
    return answer


def individual(f: int, p: float) -> float:
    """E[1/F] for one and for two people in the sample: integrals of u^(f−1)/(1 + c·u) from 0 to 1."""
    c = (1 - p) / p
    return log(1 + c) / c if f == 1 else (1 - log(1 + c) / c) / c


def test_a_whole_population() -> None:
    answer = of_households(Study(pa.table(TABLE), {"columns": COLUMNS}))
    assert (answer.highest, answer.average) == pytest.approx((1.0, (1.0 + 0.5) / 2))


def test_a_sample() -> None:
    """The risk of the table stays what it is; that of the population stands apart."""
    answer = of_households(Study(pa.table(TABLE), {"columns": COLUMNS}, sampling_fraction="10%"))
    assert answer[:5] == of_households(Study(pa.table(TABLE), {"columns": COLUMNS}))[:5]
    alone, pair = individual(1, 0.1), individual(2, 0.1)
    first = 1 - (1 - alone) * (1 - pair)
    assert (answer.population_highest, answer.population_average) == pytest.approx(
        (first, (first + pair) / 2)
    )
    assert str(answer).startswith(
        "At least one member of a household is found with a probability of at most 100 %"
    )
    assert answer.in_population.startswith(
        "Somebody who searches the population, and does not know who is in"
    )


def test_weights() -> None:
    """The unique person stands for 4 people; the weights of the pair add up to less than the two, so that
    they are all there are."""
    schema = {"columns": {**COLUMNS, "weight": {"role": "weight"}}}
    study = Study(pa.table({**TABLE, "weight": ["4", "0.5", "0.5"]}), schema)
    first = 1 - (1 - individual(1, 0.25)) * (1 - 0.5)
    answer = of_households(study)
    assert answer[:5] == of_households(Study(pa.table(TABLE), {"columns": COLUMNS}))[:5]
    assert answer[5:] == pytest.approx((first, (first + 0.5) / 2))
    table = study.risk().classes.households
    assert table is not None
    assert table.highest == 1
    assert table.population_highest == pytest.approx(first)


def test_the_table_itself_as_a_sample() -> None:
    study = Study(pa.table(TABLE), {"columns": COLUMNS})
    table = study.risk(sampling_fraction="10%").classes.households
    assert table is not None
    assert table.highest == 1
    assert table.population_highest == pytest.approx(1 - (1 - individual(1, 0.1)) * (1 - individual(2, 0.1)))
