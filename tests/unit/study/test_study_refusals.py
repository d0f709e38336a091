"""Questions that nothing can answer: what to do is said, and it helps."""

from __future__ import annotations

import pandas
import pytest

import paretonym as pn
from paretonym.study import SpaceName


def test_more_than_all_rows_is_no_matter_of_suppression() -> None:
    people = pandas.DataFrame({"age": [20 + i % 40 for i in range(300)]})
    study = pn.Study(people, {"columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [10]}}}})
    with pytest.raises(pn.NoSolution) as refused:
        study.explore("k", "loss", at_least={"k": 1000}, space="lattice")
    assert str(refused.value) == (
        "No release of this table has k>=1000: it has only 300 rows. Require k of at most 300."
    )
    assert study.explore("k", "loss", at_least={"k": 300}, space="lattice")[0]["k"] == 300


@pytest.mark.parametrize("space", ["lattice", "local"])
@pytest.mark.parametrize(
    ("role", "measure", "rest"),
    [
        ("household", "k-household", "it has only 3 households. Require k-household of at most 3."),
        ("person", "k", "it has only 3 people. Require k of at most 3."),
        ("drop", "k", "it has only 12 rows. Require k of at most 12."),
    ],
)
def test_more_than_a_table_has_of_what_is_counted(
    space: SpaceName, role: str, measure: str, rest: str
) -> None:
    rows = pandas.DataFrame({"who": [i // 4 for i in range(12)], "age": [20 + i // 4 for i in range(12)]})
    columns = {"who": {"role": role}, "age": {"role": "quasi", "hierarchy": {"intervals": [10]}}}
    asked = ("k", "k-household", "loss") if role == "household" else ("k", "loss")
    with pytest.raises(pn.NoSolution) as refused:
        pn.Study(rows, {"columns": columns}).explore(*asked, space=space, at_least={measure: 50})
    assert str(refused.value) == f"No release of this table has {measure}>=50: {rest}"


def test_a_sum_of_squares_may_exceed_the_rows() -> None:
    """Not every count is one of rows: 80 rows that all look the same are 6,400 pairs."""
    assert (
        ages().explore("spread-k", "loss", suppress=0, at_least={"spread-k": 5000}, space="lattice")[0][
            "spread-k"
        ]
        == 6400
    )


def ages(**entry: object) -> pn.Study:
    people = pandas.DataFrame({"age": [20 + i % 40 for i in range(80)]})
    column = {"role": "quasi", "hierarchy": {"intervals": [10]}, **entry}
    return pn.Study(people, {"columns": {"age": column}})


def test_a_level_that_may_not_be_used_is_named() -> None:
    """Two people of each age: k of 20 takes tens, which the schema does not allow."""
    with pytest.raises(pn.NoSolution) as refused:
        ages(levels=[0, 0]).explore("k", "loss", suppress=0, at_least={"k": 20}, space="lattice")
    assert str(refused.value).startswith("No release of this table has k>=20 with suppression 0")
    assert str(refused.value).endswith("or allow higher levels for age.")
    assert (
        ages(levels=[0, 1]).explore("k", "loss", suppress=0, at_least={"k": 20}, space="lattice")[0]["k"]
        == 20
    )


def test_no_cut_has_what_is_required() -> None:
    study = ages()
    with pytest.raises(
        pn.NoSolution, match=r"^No release with k>=20 and loss<=0 was found among [\d,]+ cuts"
    ):
        study.explore("k", "loss", space="cuts", at_least={"k": 20}, at_most={"loss": 0}, evaluations=50)


def test_a_measure_of_levels_needs_levels() -> None:
    study = ages()
    (solution,) = study.explore("k", "loss", space="mondrian", sweep="k=5")
    with pytest.raises(pn.InputError, match="precision-loss needs levels, but this release has none; omit"):
        study.realized(solution.recoding).measure("precision-loss")


@pytest.mark.parametrize(
    ("misspelled", "meant"),
    [("supress", "suppress"), ("spce", "space"), ("at_mots", "at_most"), ("evaluatons", "evaluations")],
)
def test_a_misspelled_keyword_is_told_which_was_meant(misspelled: str, meant: str) -> None:
    with pytest.raises(pn.InputError) as refused:
        ages().explore("k", "loss", **{misspelled: "1"})  # type: ignore[arg-type]
    assert str(refused.value) == (
        f"'{misspelled}': neither a keyword nor a parameter of a space or search has this name; "
        f"did you mean '{meant}'?"
    )


def test_a_misspelled_keyword_of_best_is_no_limit() -> None:
    front = ages().explore("k", "loss", space="lattice")
    with pytest.raises(pn.InputError, match=r"^'allow_unprovn': .*did you mean 'allow_unproven'"):
        front.best("loss", allow_unprovn=True)
