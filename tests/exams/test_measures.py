"""Every registered measure keeps what its card declares, equals its slow twin and one case done by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import paretonym
from paretonym.engine.measures.card import Algebra, Measure, Scale
from paretonym.engine.measures.registry import MEASURES
from paretonym.research.exams.candidates import ExamFailed, every_candidate
from paretonym.research.exams.measure_exam import MEASURE_CHECKS, exam_study, exam_table, sit_measure_exam
from paretonym.research.exams.random_tables import RandomTable
from tests.exams.cases import CASES, WEIGHTED, Case
from tests.naive import twin

SEEDS = range(12)
# The others look at what classes show: every candidate is dear, and their twins are in test_estimates.
COUNTED = [name for name, card in MEASURES.items() if card.counted.from_classes is None]


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("check", MEASURE_CHECKS)
def test_card(name: str, check: str) -> None:
    for seed in SEEDS if name in COUNTED else SEEDS[:2]:
        MEASURE_CHECKS[check](MEASURES[name], seed)


@cache
def slow_releases(seed: int) -> list[twin.Release]:
    drawn = exam_table(seed)
    table = twin.Table.of(drawn.rows, drawn.schema)
    almost_all = Fraction(10**9 - 1, 10**9)
    return [r for levels in table.nodes for r in twin.candidates(table, levels, "any", almost_all)]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("name", COUNTED)
def test_equals_the_slow_twin(name: str, seed: int) -> None:
    slow = slow_releases(seed)
    fast = every_candidate(exam_study(seed), MEASURES[name])
    direction, value = twin.VALUES[name]
    assert direction == MEASURES[name].direction
    assert [release.threshold for release in slow] == fast.smallest.tolist()
    assert fast.values.tolist() == pytest.approx(
        [float(value(release)) for release in slow], rel=5.1e-10, abs=1e-10
    )


@pytest.mark.parametrize("name", MEASURES)
def test_nothing_registered_goes_without(name: str) -> None:
    assert CASES.get(name), f"{name} has no case done by hand"
    assert name in twin.VALUES or name not in COUNTED, f"{name} has no slow twin"
    assert "?" in MEASURES[name].question
    assert MEASURES[name].reference


@pytest.mark.parametrize(("name", "case"), [(name, case) for name, cases in CASES.items() for case in cases])
def test_case_done_by_hand(name: str, case: Case) -> None:
    (solution,) = hand_study(case).explore(name, suppress=case.suppress, space="lattice")
    assert solution[name] == pytest.approx(float(case.value), rel=5.1e-10)


@pytest.mark.parametrize(
    ("name", "case"), [(name, case) for name, cases in WEIGHTED.items() for case in cases]
)
def test_case_with_weights_done_by_hand(name: str, case: Case) -> None:
    settings = {name: {"weights": 1}}
    (solution,) = hand_study(case).explore(name, suppress=case.suppress, settings=settings, space="lattice")
    assert solution[name] == pytest.approx(float(case.value), rel=5.1e-10)


def test_every_measure_with_weights_has_a_case() -> None:
    assert set(WEIGHTED) == {name for name, card in MEASURES.items() if "weights" in card.parameters}


def hand_study(case: Case) -> paretonym.Study:
    """A study with the one node of the case."""
    names = ("letter", "digit", "illness", "label")
    rows = [dict(zip(names, cell + "a1x+"[len(cell) :], strict=True)) for cell in case.rows.split()]
    tree = {"first": ["a", "b"], "last": ["c", "d"]}
    illness = {"low": ["x", "y"], "high": ["z"]}
    columns = {
        "letter": {"role": "quasi", "hierarchy": {"tree": tree}, "levels": [case.letter] * 2},
        "digit": {"role": "quasi", "hierarchy": {"flat": True}, "levels": [case.digit] * 2},
        "illness": {"role": "sensitive", "order": ["x", "y", "z"], "hierarchy": {"tree": illness}},
        "label": {"role": "class", "kept": "yes"},
    }
    if case.homes:
        rows = [{**row, "lives": home} for row, home in zip(rows, case.homes, strict=True)]
        columns["lives"] = {"role": "household"}
    if case.wishes:
        rows = [{**row, "wants": wish} for row, wish in zip(rows, case.wishes, strict=True)]
        columns["wants"] = {"role": "required-k"}
    alone = bool(case.homes or case.wishes)
    return RandomTable(tuple(rows), {"columns": columns}).study(with_population=not alone)


def declared(name: str, **algebra: str) -> Measure:
    return replace(MEASURES[name], algebra=Algebra(**algebra))  # type: ignore[arg-type]


FALSE_CARDS = {
    "k falls": declared("k", unsuppressed="falls"),
    "k is constant": declared("k", limited="constant"),
    "gl rises as rows go": declared("gl", suppression="rises"),
    "gl rises under a limit": declared("gl", limited="rises"),
    "loss rises under a limit": declared("loss", limited="rises"),
    "sl falls under a limit": declared("sl", limited="falls"),
    "k is at most 3": replace(MEASURES["k"], scale=Scale("count", 1, 3)),
    "loss is at least 0.2": replace(MEASURES["loss"], scale=Scale("share", 0.2, 1)),
    "no number": replace(MEASURES["k"], value=lambda facts: np.full(len(facts), np.nan)),
}


@pytest.mark.parametrize("which", FALSE_CARDS)
def test_the_exam_finds_a_false_card(which: str) -> None:
    with pytest.raises(ExamFailed):
        sit_measure_exam(FALSE_CARDS[which], seeds=range(60))


def test_the_exam_finds_what_hangs_on_the_order_of_rows() -> None:
    turns = iter(range(100))
    fickle = replace(MEASURES["k"], value=lambda facts: np.full(len(facts), 1.0 + next(turns)))
    for check in ("row order", "renaming"):
        with pytest.raises(ExamFailed, match=f"depends on the {check}"):
            MEASURE_CHECKS[check](fickle, 0)
