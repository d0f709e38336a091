"""What analysts can still do with a release: beside the plain rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from paretonym.base.errors import InputError
from paretonym.engine.measures.estimates import declared
from paretonym.study import SpaceName
from paretonym.study.explored_run import Run
from paretonym.study.study import Study

ROWS = 400


def table() -> pa.Table:
    """Pay rises with age and differs by sex; illness depends on age."""
    draw = np.random.default_rng(7)
    age = draw.integers(20, 60, ROWS)
    sex = draw.choice(["f", "m"], ROWS)
    pay = 10 + age // 5 + 3 * (sex == "m") + draw.integers(0, 3, ROWS)
    ill = np.where(age + draw.integers(-4, 5, ROWS) > 40, "flu", "cold")
    return pa.table({"age": age, "sex": sex, "pay": pay, "illness": ill})


SCHEMA: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [5, 10, 20]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "pay": {"role": "sensitive", "type": "integer"},
        "illness": {"role": "sensitive"},
    }
}


@pytest.fixture(scope="module")
def front() -> Run:
    return Study(table(), SCHEMA).explore("k", "loss", suppress="any:0.3", space="lattice")


def test_the_unchanged_table_loses_nothing(front: Run) -> None:
    found = front[-1].utility("illness", "pay ~ age + sex")
    assert front[-1].values["loss"] == 0
    assert found.values == pytest.approx({"marginal-error": 0, "association-error": 0, "pmse": 0}, abs=1e-12)
    assert found.prediction is not None
    assert found.prediction.trained_on_original == found.prediction.trained_on_release > 0.8
    assert found.regression is not None
    assert found.regression.values == {"ci-overlap": 1, "sign-kept": 1}
    assert all(column.before == column.after for column in found.columns)


def test_the_regression_is_that_of_the_rows(front: Run) -> None:
    """Ordinary least squares on the rows themselves."""
    rows = table().to_pydict()
    x = np.column_stack([np.ones(ROWS), rows["age"], [each == "m" for each in rows["sex"]]]).astype(float)
    beta, residual, *_ = np.linalg.lstsq(x, np.array(rows["pay"], dtype=float), rcond=None)
    spread = np.sqrt(np.diagonal(np.linalg.inv(x.T @ x)) * residual[0] / (ROWS - 3)) * 1.959963984540054
    found = front[-1].utility(regression="pay ~ age + sex").regression
    assert found is not None
    assert [each.name for each in found.figures] == ["age", "sex = m"]
    for each, middle, half in zip(found.figures, beta[1:], spread[1:], strict=True):
        assert each.before == pytest.approx((middle, middle - half, middle + half), rel=1e-8)


def test_a_regression_is_that_of_a_purpose(front: Run) -> None:
    """Of categories, and with products, in releases that show intervals."""
    formula = "illness ~ age * sex"
    purpose = {"name": "illness", "regression": formula, "tolerance": {"ci-overlap": 1}}
    (answer,) = declared(Study(table(), {**SCHEMA, "purpose": [purpose]}).cube, ["illness"])
    for solution in front:
        found = solution.utility(regression=formula).regression
        assert found is not None
        assert found.figures == answer.result(solution.known_data.realized(solution.recoding)).figures
        assert "age" in found.analysis.used


def test_the_shares_are_those_of_the_rows(front: Run) -> None:
    found = front[-1].utility()
    sex = next(each for each in found.columns if each.name == "sex")
    texts = table()["sex"].to_pylist()
    assert sex.before == pytest.approx([texts.count("f") / ROWS, texts.count("m") / ROWS], abs=1e-6)


def test_coarser_releases_lose_more(front: Run) -> None:
    coarse, fine = front[0], front[-1]
    lost = coarse.utility("illness", "pay ~ age + sex")
    assert lost.values["pmse"] > fine.utility().values["pmse"]
    assert lost.prediction is not None
    assert lost.prediction.trained_on_release <= lost.prediction.trained_on_original


def test_what_the_release_does_not_show_cannot_be_estimated() -> None:
    schema = {"columns": {**SCHEMA["columns"], "sex": {**SCHEMA["columns"]["sex"], "levels": [1, 1]}}}
    front = Study(table(), schema).explore("k", "loss", suppress=0, space="lattice")
    found = front[-1].utility(regression="pay ~ age + sex").regression
    assert found is not None
    assert [each.after is None for each in found.figures] == [False, True]
    assert found.values["ci-overlap"] <= 0.5
    assert found.remark == "column 'sex' is not shown at all"


def test_an_outcome_that_is_not_shown_has_no_overlap() -> None:
    """It was reported as an overlap of −7.5·10¹³."""
    schema = {"columns": {**SCHEMA["columns"], "age": {**SCHEMA["columns"]["age"], "levels": [0, 4]}}}
    front = Study(table(), schema).explore("k", "loss", suppress=0, space="lattice")
    hidden = next(each for each in front if each.recoding.as_json()["levels"]["age"] == 4)
    found = hidden.utility(regression="age ~ sex").regression
    assert found is not None
    assert [each.after for each in found.figures] == [None]
    assert found.values["ci-overlap"] == 0


def coin(rows: int, values: int) -> Run:
    """A secret that depends on nothing, and columns that make nearly everybody unique."""
    draw = np.random.default_rng(1)
    columns = {name: [f"{name}{n}" for n in draw.integers(0, values, rows)] for name in "abcd"}
    quasi = {"role": "quasi", "hierarchy": {"flat": True}}
    schema = {"columns": {**dict.fromkeys("abcd", quasi), "y": {"role": "sensitive"}}}
    secret = [str(n) for n in draw.integers(0, 2, rows)]
    return Study(pa.table({**columns, "y": secret}), schema).explore("k", "loss", suppress=0, space="lattice")


def test_a_coin_cannot_be_predicted() -> None:
    """Tested on its training rows, a model of unique rows was right for 91.7 %."""
    for solution in coin(400, 40):
        prediction = solution.utility(target="y").prediction
        assert prediction is not None
        assert 0.4 < prediction.trained_on_original < 0.6
        assert 0.4 < prediction.trained_on_release < 0.6
        assert prediction == solution.utility(target="y").prediction


def test_buckets_do_not_tell_a_die() -> None:
    draw = np.random.default_rng(2)
    columns = {name: draw.integers(0, 30, 300) for name in "ab"}
    quasi = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [5]}}
    schema = {"columns": {**dict.fromkeys("ab", quasi), "y": {"role": "sensitive"}}}
    study = Study(pa.table({**columns, "y": draw.integers(0, 3, 300).astype(str)}), schema)
    for solution in study.explore("l", "query-error", space="buckets", sweep=["l=2"]):
        prediction = solution.utility(target="y").prediction
        assert prediction is not None
        assert 0.25 < prediction.trained_on_release < 0.42


@pytest.mark.parametrize("space", ["cuts", "mondrian", "buckets", "local"])
def test_every_space_is_measured(space: SpaceName) -> None:
    options: dict[str, Any] = {"sweep": ["k=5"]} if space in ("mondrian", "buckets") else {}
    if space == "cuts":
        options["evaluations"] = 200
    front = Study(table(), SCHEMA).explore("k", "loss", space=space, **options)
    found = front[0].utility("illness", None if space == "buckets" else "pay ~ age + sex")
    assert 0 <= found.values["pmse"] <= 0.25
    for column in found.columns[:2]:
        assert sum(column.after) == pytest.approx(1, abs=1e-4)


def test_buckets_mix_what_a_regression_explains() -> None:
    front = Study(table(), SCHEMA).explore("k", "loss", space="buckets", sweep=["k=5"])
    with pytest.raises(InputError, match="buckets mix sensitive values"):
        front[0].utility(regression="pay ~ age + sex")


def test_no_sensitive_value_is_shown(front: Run) -> None:
    found = front[0].utility("illness", "pay ~ age + sex")
    assert [each.labels for each in found.columns[2:]] == [(), ()]
    assert "flu" not in str(found)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"target": "ilness"}, "'ilness' is not a sensitive or class column; did you mean 'illness'"),
        ({"regression": "pay"}, "regression is the text 'pay'; give a formula such as"),
        ({"regression": "pay ~ agee"}, "there is no column 'agee'; did you mean 'age'"),
        ({"regression": "age ~ age"}, "it names column 'age' twice"),
    ],
)
def test_refused(front: Run, asked: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as refused:
        front[0].utility(**asked)
    assert message in str(refused.value)
