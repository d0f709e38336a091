"""Small tables that the papers print, through the public interface."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pandas
import pytest

import paretonym
from paretonym.engine.recoding.suppression import keep_as_json

# Dewri et al., POkA, Table 1.
POKA = pandas.DataFrame(
    {
        "ZIP": ["12345", "12346", "12345", "12355", "12355", "12356"],
        "SEX": ["M", "M", "F", "F", "M", "M"],
        "SALARY": ["<50K", "<50K", "<50K", "≥50K", "≥50K", "≥50K"],
    }
)
POKA_SCHEMA: Mapping[str, Mapping[str, Any]] = {
    "ZIP": {"role": "quasi", "hierarchy": {"mask": 5}},
    "SEX": {"role": "quasi", "hierarchy": {"flat": True}},
    "SALARY": {"role": "quasi", "hierarchy": {"flat": True}},
}

# Dewri et al., trade-offs, Section 5.4, Table 1.
MARRIED = pandas.DataFrame(
    {
        "age": [15, 17, 20, 26, 28, 30, 30],
        "marital": ["Never Married"] * 2
        + ["Civ-Spouse", "AF-Spouse", "AF-Spouse", "Civ-Spouse", "AF-Spouse"],
    }
)
MARRIED_SCHEMA: Mapping[str, Mapping[str, Any]] = {
    "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
    "marital": {
        "role": "quasi",
        "hierarchy": {"tree": {"Not Married": ["Never Married"], "Married": ["Civ-Spouse", "AF-Spouse"]}},
    },
}


def at(
    frame: pandas.DataFrame, columns: Mapping[str, Mapping[str, Any]], levels: Mapping[str, int]
) -> paretonym.Solution:
    """The solution at one node, nothing suppressed."""
    held = {name: {**entry, "levels": [levels[name]] * 2} for name, entry in columns.items()}
    front = paretonym.Study(frame, schema={"columns": held}).explore(
        "k", "weighted-k", suppress=0, space="lattice"
    )
    (solution,) = front.solutions
    return solution


def test_poka_table_1_is_3_anonymous() -> None:
    solution = at(POKA, POKA_SCHEMA, {"ZIP": 1, "SEX": 1, "SALARY": 0})
    assert solution["k"] == 3
    assert solution.suppressed == 0
    assert keep_as_json(solution.recoding.keep) == {"k": ">=3"}


def test_poka_table_1_is_on_the_frontier() -> None:
    """Node (1, 1, 0): no other node with k of at least 3 loses less."""
    front = paretonym.Study(POKA, schema={"columns": POKA_SCHEMA}).explore(
        "k", "loss", suppress=0, space="lattice"
    )
    (solution,) = [s for s in front if s["k"] == 3]
    assert solution.recoding.as_json()["levels"] == {"ZIP": 1, "SEX": 1, "SALARY": 0}
    # ZIP: two values of four, (2 − 1)/(4 − 1); SEX: everything; SALARY: nothing.
    assert solution["loss"] == pytest.approx(float((Fraction(1, 3) + 1 + 0) / 3), rel=5.1e-10)
    # ZIP falls from six levels to one, SEX and SALARY have two each.
    assert front.search.size == 6 * 2 * 2


@pytest.mark.parametrize(
    ("age", "weighted", "classes"), [(2, Fraction(29, 7), "T1"), (1, Fraction(17, 7), "T2")]
)
def test_section_5_4_weighted_k(age: int, weighted: Fraction, classes: str) -> None:
    """Both tables are 2-anonymous; T1 protects an average row better."""
    solution = at(MARRIED, MARRIED_SCHEMA, {"age": age, "marital": 1})
    assert solution["k"] == 2
    assert solution["weighted-k"] == pytest.approx(float(weighted), rel=5.1e-10)


def test_section_5_4_needs_everything_hidden_for_3_anonymity() -> None:
    """Never Married and Married meet only at the root: where k is 3 or more, marital is at its top."""
    front = paretonym.Study(MARRIED, schema={"columns": MARRIED_SCHEMA}).explore(
        "k", "loss", suppress=0, space="lattice"
    )
    assert {s.recoding.as_json()["levels"]["marital"] for s in front if s["k"] >= 3} == {2}
