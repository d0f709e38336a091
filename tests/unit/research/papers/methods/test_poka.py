"""POkA: what it refuses, where it begins, and its smallest misses."""

from __future__ import annotations

from random import Random

import pandas
import pytest

from paretonym.base.errors import InputError
from paretonym.research.exams.random_tables import random_table
from paretonym.research.papers.methods.poka import average_depth
from paretonym.study.study import Study

FLAT = {"role": "quasi", "hierarchy": {"flat": True}}


def flat_study(*rows: str) -> Study:
    """Two columns of one character each, shown as they are or not at all."""
    frame = pandas.DataFrame({"letter": [row[0] for row in rows], "digit": [row[1] for row in rows]})
    return Study(frame, {"columns": {"letter": FLAT, "digit": FLAT}})


@pytest.fixture
def study() -> Study:
    return random_table(Random(5), quasi=(3, 3), rows=(40, 40), missing=0, sensitive=1, labelled=True).study()


@pytest.mark.parametrize(
    "objectives",
    [("k",), ("k", "l"), ("k", "loss", "discernibility"), ("loss", "discernibility"), ("k", "gl")],
)
def test_other_objectives_are_refused(study: Study, objectives: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as caught:
        study.explore(*objectives, suppress=0, search="poka")
    assert str(caught.value) == (
        "search: poka trades k against one loss, and these objectives are others; "
        "ask for k and one of loss, discernibility, classification-error, or use search='pbg' or exact"
    )


def test_every_threshold_is_refused(study: Study) -> None:
    with pytest.raises(InputError) as caught:
        study.explore("k", "loss", search="poka")
    assert str(caught.value) == (
        "search: poka knows one k for each node, and suppress='any:0.1' gives several; "
        "give a limit such as suppress=0.01, or use search='exact'"
    )


@pytest.mark.parametrize(
    "loss", ["loss", "discernibility", "classification-error", "classification-error@label"]
)
def test_each_loss_in_either_order(study: Study, loss: str) -> None:
    one = study.explore("k", loss, suppress="0.05", search="poka")
    other = study.explore(loss, "k", suppress="0.05", search="poka")
    assert {tuple(v) for v in one.vectors().tolist()} == {tuple(v[::-1]) for v in other.vectors().tolist()}
    assert not one.search.complete
    assert one.search.seed is None
    assert one.record is not None
    assert one.search.open == one.search.size - one.record.evaluated


def test_the_base_node(study: Study) -> None:
    """From a node that is no solution, solutions with less k are still found (Section 6.1)."""
    whole = study.explore("k", "loss", suppress=0, search="poka", depth=99)
    names = whole.table.quasi
    lowered = study.explore("k", "loss", suppress=0, search="poka", base={names[0]: 0}, depth=99)
    assert lowered.record is not None
    assert lowered.record.options["tuning"] == {"depth": 99, "base": {names[0]: 0}}
    start = lowered[0]
    assert start.recoding.as_json()["levels"][names[0]] == 0
    below = {tuple(v) for v in whole.vectors().tolist() if v[0] < start["k"] and v[1] < start["loss"]}
    assert below <= {tuple(v) for v in lowered.vectors().tolist()}


def test_unknown_base(study: Study) -> None:
    with pytest.raises(
        InputError, match=r"base: 'income' is not a quasi-identifier; the quasi-identifiers are: "
    ):
        study.explore("k", "loss", suppress=0, search="poka", base={"income": 1})
    with pytest.raises(InputError, match=r"base: 'q0' has no level 99; give one from 0 to "):
        study.explore("k", "loss", suppress=0, search="poka", base={"q0": 99})


def test_smallest_miss_by_a_tie() -> None:
    """Two columns that say the same, six rows: hiding one of them costs half and protects nobody. The way
    down goes through such a node, whose k its own specialization does not fall below."""
    study = flat_study(*["a1"] * 3, *["b2"] * 3)
    exact = study.explore("k", "loss", suppress=0, space="lattice")
    poka = study.explore("k", "loss", suppress=0, search="poka")
    assert exact.vectors().tolist() == [[6, 1], [3, 0]]
    assert poka.vectors().tolist() == [[6, 1], [3, 0.5]]


def test_a_miss_by_suppression() -> None:
    """Eight rows, of which one may go. From (2, 0, 1), where nothing is suppressed (k 4, cost 16 + 16), the
    way down to (0, 0, 1) goes through (1, 0, 1): there the row d1 is alone, is suppressed, and costs 8, so
    that less detail is hidden and more is lost (9 + 16 + 8). No k ties there."""
    rows = ["a11", "a11", "a21", "a21", "d11", "b21", "a12", "b22"]
    frame = pandas.DataFrame({name: [row[i] for row in rows] for i, name in enumerate(("x", "y", "z"))})
    tree = {"role": "quasi", "hierarchy": {"tree": {"A": ["a", "b"], "C": ["c", "d"]}}}
    study = Study(frame, {"columns": {"x": tree, "y": FLAT, "z": FLAT}})
    exact = study.explore("k", "discernibility", suppress=0.125, space="lattice")
    poka = study.explore("k", "discernibility", suppress=0.125, search="poka", depth=4)
    assert exact.vectors().tolist() == [[8, 64], [7, 57], [4, 32], [2, 25], [1, 12]]
    assert poka.vectors().tolist() == [[8, 64], [7, 57], [4, 32], [1, 20]]


def test_ties_at_the_top_do_not_end_the_search() -> None:
    """No label changes its majority if one column alone is shown: nothing is found among the neighbours of
    the top, and what lies below them is looked at after all."""
    rows = ["a1-", "a1-", "a1-", "a1-", "b1+", "b1+", "b1+", "b1-", "b1-", "b1-", "a2+", "a2+", "a2+"]
    rows += ["a2-", "a2-", "a2-", "b2+", "b2+", "b2+"]
    frame = pandas.DataFrame({name: [row[i] for row in rows] for i, name in enumerate(("x", "y", "label"))})
    study = Study(frame, {"columns": {"x": FLAT, "y": FLAT, "label": {"role": "class"}}})
    exact = study.explore("k", "classification-error", suppress=0, space="lattice")
    poka = study.explore("k", "classification-error", suppress=0, search="poka", depth=1)
    assert len(exact) > 1
    assert poka.vectors().tolist() == exact.vectors().tolist()


def test_average_depth() -> None:
    assert average_depth((2, 2)) == 1
    assert average_depth((7, 4, 4, 4, 2, 2, 5)) == 3
    assert average_depth((1, 1)) == 1
