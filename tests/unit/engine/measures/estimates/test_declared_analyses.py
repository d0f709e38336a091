"""Declared analyses of releases beside statsmodels and slow twins, on the released files themselves."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from paretonym.engine.measures import Realized
from paretonym.engine.measures.estimates.declared_analyses import DeclaredAnalysis, declared
from paretonym.engine.measures.estimates.regression_model import Interval
from paretonym.engine.spaces.lattice import LatticeRecoding
from paretonym.research.exams.random_tables import text_table
from paretonym.study import Study
from tests.naive import purposes as naive

CATEGORIES = ("area", "sex", "label")
PURPOSES = [
    {"name": "pay", "regression": "pay ~ age*sex + area", "tolerance": {"ci-overlap": 0.5}},
    {"name": "pay", "regression": "label ~ age + age:sex", "tolerance": {"sign-kept": 0.5}},
    {"name": "pay", "regression": "age ~ label + pay", "tolerance": {"sign-kept": 0.5}},
    {"name": "tables", "table": ["area", "sex", "label"], "tolerance": {"table-error": 0.2}},
    {"name": "tables", "mean": "age", "by": ["area"], "tolerance": {"mean-error": 2}},
    {"name": "tables", "mean": "pay", "by": ["sex", "label"], "tolerance": {"mean-error": 2}},
    {"name": "tables", "quantile": ["age", 0.25], "tolerance": {"quantile-error": 2}},
    {"name": "tables", "quantile": ["pay", 0.5], "by": ["area"], "tolerance": {"quantile-error": 2}},
]
SCHEMA: dict[str, Any] = {
    "missing": "value",
    "columns": {
        "age": {
            "role": "quasi",
            "type": "integer",
            "top": 60,
            "domain": [20, 64],
            "hierarchy": {"intervals": [5, 20]},
        },
        "area": {"role": "quasi", "hierarchy": {"tree": {"north": ["a", "b"], "south": ["c", "d"]}}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "pay": {"role": "sensitive", "level": 0},
        "label": {"role": "class", "kept": "yes"},
    },
    "purpose": PURPOSES,
}


def random_study(seed: int) -> Study:
    """A table in which everything depends on everything a little; some ages are missing."""
    columns: dict[str, list[str | None]] = {name: [] for name in SCHEMA["columns"]}
    draw = Random(seed)
    for _ in range(140):
        age, area, sex = draw.randint(20, 64), draw.choice("aaabbcd"), draw.choice("mf")
        pay = round(age / 8 + "abcd".index(area) + (sex == "m") * 2 + draw.gauss(0, 2))
        label = "high" if pay + draw.gauss(0, 4) > 8 else "low"
        cells = (None if draw.random() < 0.05 else str(age), area, sex, str(pay), label)
        for name, cell in zip(columns, cells, strict=True):
            columns[name].append(cell)
    return Study(text_table(columns), SCHEMA)


def analyses(study: Study) -> tuple[DeclaredAnalysis, ...]:
    return declared(study.cube, ["pay", "tables"])


def recodings(study: Study, number: int, seed: int) -> list[LatticeRecoding]:
    draw = Random(seed)
    return [
        LatticeRecoding.of(
            {axis.name: draw.randint(0, axis.hierarchy.height) for axis in study.cube.axes},
            {"k": f">={draw.choice([1, 2, 4])}"},
        )
        for _ in range(number)
    ]


def file_rows(study: Study, recoding: LatticeRecoding) -> list[dict[str, str]]:
    """The released rows as texts."""
    table = study.release(recoding)
    names, rows = (
        table.column_names,
        zip(*(table[name].to_pylist() for name in table.column_names), strict=True),
    )
    return [
        dict(zip(names, ("(missing)" if cell is None else str(cell) for cell in row), strict=True))
        for row in rows
    ]


def original_rows(study: Study) -> list[dict[str, str]]:
    everything = LatticeRecoding.of({axis.name: 0 for axis in study.cube.axes}, {"k": ">=1"})
    return file_rows(study, everything)


def fitted(analysis: Any, rows: naive.Rows, categories: dict[str, list[str]]) -> Any:
    """statsmodels on rows with weights."""
    sm = pytest.importorskip("statsmodels.api")
    x = naive.design(rows, analysis.terms, categories)
    weights = np.array([weight for _, weight in rows])
    outcome = analysis.outcome
    if outcome in categories:
        y = np.array([float(row[outcome] == categories[outcome][1]) for row, _ in rows])
        family = sm.families.Binomial()
    else:
        y, family = np.array([naive.number(row[outcome]) for row, _ in rows]), sm.families.Gaussian()
    return sm.GLM(y, x, family=family, freq_weights=weights).fit(
        tol=1e-13, tol_criterion="params", maxiter=200
    )


def same(ours: Interval, model: Any, place: int) -> None:
    low, high = model.conf_int()[place]
    scale = max(abs(low), abs(high))
    assert tuple(ours) == pytest.approx((model.params[place], low, high), rel=1e-8, abs=1e-8 * scale)


@pytest.mark.parametrize("seed", range(20))
def test_coefficients_and_intervals_equal_statsmodels_on_the_file(seed: int) -> None:
    study = random_study(seed)
    labels, original = naive.meanings(study), original_rows(study)
    present = [row for row in original if row["age"] != "(missing)"]
    categories = {name: sorted({row[name] for row in present}) for name in CATEGORIES}
    compared = 0
    for recoding in recodings(study, 2, seed):
        realized, file = Realized.of(recoding, study.cube), file_rows(study, recoding)
        for declared_one in analyses(study)[:3]:
            analysis, result = declared_one.analysis, declared_one.result(realized)
            before = fitted(analysis, naive.expanded(original, analysis.used, labels), categories)
            rows = naive.expanded(file, analysis.used, labels)
            for place, figure in enumerate(result.figures, 1):
                assert isinstance(figure.before, Interval)
                same(figure.before, before, place)
            if any(figure.after is not None for figure in result.figures):
                after = fitted(analysis, rows, categories)
                for place, figure in enumerate(result.figures, 1):
                    if isinstance(figure.after, Interval):
                        same(figure.after, after, place)
                        compared += 1
    assert compared or seed in (0, 1)


@pytest.mark.parametrize("seed", range(20))
def test_tables_means_and_quantiles_equal_the_slow_twin(seed: int) -> None:
    study = random_study(seed)
    labels, original = naive.meanings(study), original_rows(study)
    for recoding in recodings(study, 4, seed):
        realized, file = Realized.of(recoding, study.cube), file_rows(study, recoding)
        hidden = {
            axis.name
            for axis, (_, level) in zip(study.cube.axes, recoding.levels, strict=True)
            if level == axis.hierarchy.height
        }
        for declared_one in analyses(study)[3:]:
            analysis, values = declared_one.analysis, declared_one.result(realized).values
            ((name, value),) = values.items()
            before = naive.expanded(original, analysis.used, labels)
            after = naive.expanded(file, analysis.used, labels)
            if hidden & {*analysis.used}:
                assert value == (1.0 if name == "table-error" else float("inf"))
                continue
            if name == "table-error":
                expected = naive.table_error(before, after)
            elif name == "mean-error":
                expected = naive.mean_error(before, after, analysis.outcome, analysis.by)
            else:
                share = float(analysis.share)
                expected = naive.quantile_error(before, after, analysis.outcome, analysis.by, share)
            assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)
