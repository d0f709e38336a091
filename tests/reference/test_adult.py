"""The built-in example beside a second evaluation of all its 17,920 nodes by numpy alone, and its searches
beside each other."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import paretonym
from paretonym.study.study import Study
from paretonym.tables.source import example_data as examples
from tests.naive import adult_twin
from tests.naive.comparing import same_vectors

FOLDER = Path(examples.__file__).parent
LIMITS = (
    ("0", "limit", Fraction(0)),
    ("0.01", "limit", Fraction(1, 100)),
    ("0.1", "limit", Fraction(1, 10)),
    ("any:0.05", "any", Fraction(5, 100)),
    ("any:0.1", "any", Fraction(1, 10)),
)
QUESTIONS = (
    (("k", "loss"), ("0", "0.01", "0.1", "any:0.1")),
    (("k", "discernibility"), ("0", "0.01", "any:0.1")),
    (("k", "l", "loss"), ("0", "0.01")),
    (("k", "t", "loss"), ("0", "0.01")),
    (("l-distinct", "loss", "sl"), ("0.01",)),
)
ASKED = [(objectives, suppress) for objectives, rules in QUESTIONS for suppress in rules]


@pytest.fixture(scope="module")
def study() -> Study:
    return paretonym.example("adult")


@pytest.mark.slow
def test_adult_equals_a_second_evaluation(study: Study) -> None:
    """One test, so that all limits share one evaluation of the nodes."""
    second = adult_twin.adult(FOLDER)
    assert (study.cube.rows, len(second.nodes)) == (second.rows, 17_920)
    for suppress, rule, fraction in LIMITS:
        expected = adult_twin.frontier(second, rule, fraction)
        for search in ("exact", "exhaustive"):
            front = study.explore("k", "loss", suppress=suppress, search=search)
            assert front.search.complete
            assert same_vectors(front.vectors().tolist(), expected), (search, suppress)


@pytest.mark.slow
@pytest.mark.parametrize(("objectives", "suppress"), ASKED)
def test_exact_equals_exhaustive(study: Study, objectives: tuple[str, ...], suppress: str) -> None:
    require_same(study, objectives, suppress)


@pytest.mark.slow
@pytest.mark.parametrize("suppress", ["0", "0.01", "any:0.1"])
def test_exact_equals_exhaustive_with_a_class(suppress: str) -> None:
    """Seven quasi-identifiers: income is what a recipient wants to predict."""
    with_class = Study(paretonym.example("adult").table, schema_with_class())
    require_same(with_class, ("k", "classification-error"), suppress)


@pytest.mark.slow
@pytest.mark.parametrize("suppress", ["0", "0.01", "0.05"])
def test_exact_equals_exhaustive_on_a_larger_lattice(suppress: str) -> None:
    """Nine quasi-identifiers, 107,520 nodes: too many values to look up at once what no prefix holds."""
    larger = Study(paretonym.example("adult").table, schema_with_hours())
    assert math.prod(axis.steps + 1 for axis in larger.cube.axes) == 107_520
    require_same(larger, ("k", "loss"), suppress)


@pytest.mark.slow
def test_every_point_is_found_under_its_own_loss(study: Study) -> None:
    front = study.explore("weighted-k", "loss", suppress=0, space="lattice")
    assert len(front) == 142
    for point in front:
        again = study.explore(
            "weighted-k", "loss", suppress=0, at_most={"loss": point["loss"]}, space="lattice"
        )
        assert again[0].values == point.values
        assert front.ask(at_most={"loss": point["loss"]}, best="weighted-k").id == point.id


@pytest.mark.slow
def test_exact_evaluates_little(study: Study) -> None:
    """(k, loss) at limits 0, 1 % and 10 %."""
    for suppress, share in (("0", 0.02), ("0.01", 0.06), ("0.1", 0.15)):
        record = study.explore("k", "loss", suppress=suppress, space="lattice").record
        assert record is not None
        assert record.evaluated < share * 17_920, suppress


def require_same(study: Study, objectives: tuple[str, ...], suppress: str) -> None:
    exact, every = (study.explore(*objectives, suppress=suppress, search=s) for s in ("exact", "exhaustive"))
    assert exact.search.complete
    assert every.search.complete
    assert exact.vectors().tolist() == every.vectors().tolist()
    assert len(exact) > 1


def schema_with_class() -> Mapping[str, Any]:
    return schema_with("income", {"role": "class", "kept": "yes"})


def schema_with_hours() -> Mapping[str, Any]:
    hours = {"role": "quasi", "hierarchy": {"intervals": [5, 10, 20, 40]}}
    return schema_with("hours-per-week", hours)


def schema_with(column: str, entry: Mapping[str, Any]) -> Mapping[str, Any]:
    schema = tomllib.loads((FOLDER / "adult.toml").read_text(encoding="utf-8"))
    return {**schema, "columns": {**schema["columns"], column: entry}}
