"""Comparisons of anybody's tables: words from figures whose order is known, and tables measured alike."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pandas as pd
import pytest

import paretonym as pn
from paretonym.base.errors import InputError
from paretonym.evidence.criteria import (
    ClassGuarantee,
    Criterion,
    MeasuredCriteria,
    Referee,
    TableUtility,
    table_utility,
)
from paretonym.evidence.criteria.success_rate import SuccessRate
from paretonym.report.table_comparison import MeasuredTable
from paretonym.study.run_comparison import TableComparison

SCHEMA = {
    "columns": {
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [5, 10, 20]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "job": {"role": "sensitive"},
    }
}
JOBS = ("cook", "nurse", "clerk", "baker")


def people(number: int, seed: int) -> pd.DataFrame:
    """Jobs follow from age and sex in half of the cases."""
    draws = random.Random(seed)
    rows = []
    for _ in range(number):
        age, sex = draws.randrange(20, 420), draws.choice("mf")
        usual = JOBS[(age // 20 + (sex == "m")) % 4]
        rows.append((age, sex, usual if draws.random() < 0.5 else draws.choice(JOBS)))
    return pd.DataFrame(rows, columns=["age", "sex", "job"])


def measured(name: str, risk: float, pmse: float, run: str = "", attacks: int = 1000) -> MeasuredTable:
    rates = SuccessRate(risk * attacks, attacks), SuccessRate(0, attacks), SuccessRate(0, attacks)
    criteria = MeasuredCriteria(name, ("age",), (), {}, 0, (Criterion("inference", "job", *rates),))
    guarantee = ClassGuarantee(100, 20, 5, 1.0, 0.5, 0, 100, 0)
    return MeasuredTable(
        name, run, name if run else "", criteria, TableUtility(0.1, 0.1, pmse, {}), guarantee, ""
    )


def comparison(*tables: MeasuredTable) -> TableComparison:
    return TableComparison(tables, TableUtility(0, 0, 0.01, {}), "inference", "pmse")


def test_words_say_who_is_dominated() -> None:
    better, worse = measured("a", 0.1, 0.02), measured("b", 0.4, 0.02)
    assert comparison(better, worse).words == (
        "b is dominated by a: inference 40 % ± 3 % against 10 % ± 1.9 %, pmse 0.02 against 0.02.",
    )
    releases = (measured("r1", 0.1, 0.02, "run"), measured("r2", 0.6, 0.001, "run"))
    assert comparison(*releases, worse).words == (
        "b is dominated by run, for example r1: inference 40 % ± 3 % against 10 % ± 1.9 %, pmse 0.02 against "
        "0.02.",
    )


def test_words_say_what_is_not_decided() -> None:
    assert comparison(measured("a", 0.1, 0.02), measured("b", 0.11, 0.03)).words == (
        "Between a and b it is not decided: their intervals overlap.",
    )
    assert comparison(measured("a", 0.5, 0.02), measured("b", 0.11, 0.03)).words == (
        "a and b are different choices: what one loses less it risks more.",
    )


@pytest.fixture(scope="module")
def tables() -> dict[str, pd.DataFrame]:
    original = people(600, 1)
    arx = original.assign(age=[f"[{age // 20 * 20}, {age // 20 * 20 + 20}[" for age in original.age], sex="*")
    return {"original": original, "control": people(300, 2), "ARX": arx, "synthetic": people(600, 3)}


def test_tables_are_measured_alike(tables: dict[str, pd.DataFrame]) -> None:
    study = pn.Study(tables["original"], SCHEMA)
    run = study.explore("k", "loss", space="lattice", suppress=0)
    found = pn.compare(
        run,
        {"ARX": tables["ARX"], "copy": tables["original"], "synthetic": tables["synthetic"]},
        control=tables["control"],
        stated={"synthetic": "ε = 1"},
    )
    assert isinstance(found, TableComparison)
    by_name = {table.name: table for table in found.tables}
    assert [table.run for table in found.tables][-3:] == ["", "", ""]
    classes = tables["ARX"].groupby(["age", "sex"]).job
    assert by_name["ARX"].guarantee.k == classes.size().min()
    most = classes.value_counts(normalize=True).max()
    assert by_name["ARX"].guarantee.l == pytest.approx(1 / most)
    assert by_name["copy"].guarantee.k == tables["original"].groupby(["age", "sex"]).size().min()
    assert by_name["copy"].utility.pmse == 0
    assert found.risk_of(by_name["copy"]).risk > found.risk_of(by_name["ARX"]).risk + 0.1
    assert "rows are nobody's" in by_name["synthetic"].guaranteed
    assert by_name["synthetic"].guaranteed.endswith("; stated: ε = 1")
    assert (
        found.as_json()
        == pn.compare(
            run,
            {"ARX": tables["ARX"], "copy": tables["original"], "synthetic": tables["synthetic"]},
            control=tables["control"],
            stated={"synthetic": "ε = 1"},
        ).as_json()
    )


def test_a_page_and_a_picture(tables: dict[str, pd.DataFrame], tmp_path: Path) -> None:
    found = pn.compare(
        {"ARX": tables["ARX"], "<b>": tables["synthetic"]},
        original=tables["original"],
        control=tables["control"],
        schema=SCHEMA,
    )
    assert isinstance(found, TableComparison)
    found.save(tmp_path / "c.json")
    assert json.loads((tmp_path / "c.json").read_text())["format"] == "paretonym.table-comparison/1"
    found.save(tmp_path / "c.html")
    page = (tmp_path / "c.html").read_text()
    assert "<svg" in page
    assert "ARX" in page
    assert "<b>" not in page
    assert found.words[0] in page.replace("\u00a0", " ").replace("&lt;b&gt;", "<b>")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"control": None}, "there are no others; keep some of the people out: explore with"),
        ({"measures": ("k", "loss")}, "tables are compared by one measured risk and one figure of utility"),
        ({"measures": ("inference", "pmsee")}, "'pmsee' is no utility of a table; did you mean 'pmse'"),
        ({"measures": ("inference@age", "pmse")}, "cannot both be measured"),
        ({"stated": {"MST": "ε = 1"}}, "no table is called 'MST'"),
        ({"original": None}, "no run says which it is"),
    ],
)
def test_refused(tables: dict[str, pd.DataFrame], options: dict[str, object], text: str) -> None:
    given = {"original": tables["original"], "control": tables["control"], "schema": SCHEMA, **options}
    with pytest.raises(InputError, match=text.replace("'", ".")):
        pn.compare({"ARX": tables["ARX"]}, **given)  # type: ignore[call-overload]


def test_another_original_is_refused(tables: dict[str, pd.DataFrame]) -> None:
    run = pn.Study(tables["original"], SCHEMA).explore("k", "loss", space="lattice", suppress=0)
    with pytest.raises(InputError, match="its releases were made from other rows than the original"):
        pn.compare(run, original=people(600, 9), control=tables["control"])


def test_utility_beside_its_definition(tables: dict[str, pd.DataFrame]) -> None:
    """Shares of single values, counted by hand."""
    tables = {name: tables[name].assign(age=tables[name].age // 10) for name in tables if name != "ARX"}
    referee = Referee.of(tables["original"], tables["control"], SCHEMA)
    found = table_utility(referee.read(tables["synthetic"]))
    errors = []
    for name in ("age", "sex", "job"):
        shares = [tables[of][name].value_counts(normalize=True) for of in ("original", "synthetic")]
        errors.append(shares[0].sub(shares[1], fill_value=0).abs().sum() / 2)
    assert found.marginal_error == pytest.approx(sum(errors) / 3)
    least, most = bayes(tables["synthetic"], tables["control"], tables)
    assert least <= found.prediction["job"] <= most < least + 0.02


def bayes(
    trained: pd.DataFrame, tested: pd.DataFrame, tables: dict[str, pd.DataFrame]
) -> tuple[float, float]:
    """The share of jobs that naive Bayes names rightly, row by row: at least and at most, since it may name
    any of equally likely ones."""
    jobs, every = sorted(JOBS), pd.concat(tables.values())
    alone = among = 0
    for row in tested.itertuples():
        scores = []
        for job in jobs:
            having = trained[trained.job == job]
            score = math.log(len(having) + 1)
            for name in ("age", "sex"):
                alike = int((having[name] == getattr(row, name)).sum())
                # A missing value is one of the values that could be there.
                score += math.log((alike + 1) / (len(having) + every[name].nunique() + 1))
            scores.append(score)
        winners = [job for job, score in zip(jobs, scores, strict=True) if score > max(scores) - 1e-9]
        alone, among = alone + (winners == [row.job]), among + (row.job in winners)
    return alone / len(tested), among / len(tested)


PURPOSES = [
    {"name": "pay", "regression": "pay ~ age + sex + region", "tolerance": {"ci-overlap": 0.7}},
    {"name": "pay", "regression": "sex ~ age + region", "tolerance": {"ci-overlap": 0.5, "sign-kept": 1}},
    {"name": "who", "table": ["sex", "age"], "tolerance": {"table-error": 0.1}},
    {"name": "who", "mean": "pay", "by": ["sex"], "tolerance": {"mean-error": 1}},
    {"name": "who", "quantile": ["age", 0.5], "by": ["job"], "tolerance": {"quantile-error": 0.5}},
]


@pytest.mark.parametrize("space", ["lattice", "local"])
def test_declared_analyses_of_a_release_are_those_of_its_run(
    tables: dict[str, pd.DataFrame], space: str
) -> None:
    """Read back from the released rows alone."""
    draws = random.Random(8)
    original = tables["original"].assign(
        pay=[1000 + 3 * age + 200 * draws.gauss(0, 1) // 1 for age in tables["original"].age],
        region=[draws.choice(["north", "south", "east", ""]) for _ in tables["original"].age],
    )
    columns = {
        **SCHEMA["columns"],
        "region": {
            "role": "quasi",
            "hierarchy": {"tree": {"any": {"sea": ["south", "north"], "land": ["east"]}}},
        },
        "pay": {"role": "other", "kept": "yes"},
    }
    schema = {"missing": "value", "columns": columns, "purpose": PURPOSES}
    measures = ("ci-overlap", "sign-kept", "table-error", "mean-error", "quantile-error", "purpose")
    run = pn.Study(original, schema).explore("k", "loss", *measures, space=space, suppress="5%")  # type: ignore[arg-type]
    referee = Referee.of(original, original, schema)
    for solution in run.solutions[:: max(1, len(run) // 8)]:
        results = table_utility(referee.read(solution.release())).analyses
        for name in measures[:-1]:
            of_measure = [one.values[name] for one in results if name in one.values]
            worst = min(of_measure) if name in ("ci-overlap", "sign-kept") else max(of_measure)
            assert worst == pytest.approx(solution[name], rel=1e-9), (solution.id, name)
        assert sum(one.met for one in results) / len(results) == pytest.approx(solution["purpose"])


def test_a_comparison_says_which_analyses_hold(tables: dict[str, pd.DataFrame], tmp_path: Path) -> None:
    """Those whose columns a table has; the share that fails is a figure of utility like others."""
    purposes = [
        {"name": "jobs", "table": ["sex", "job"], "tolerance": {"table-error": 0.05}},
        {"name": "jobs", "mean": "age", "by": ["sex"], "tolerance": {"mean-error": 0.5}},
    ]
    found = pn.compare(
        {"ARX": tables["ARX"], "copy": tables["original"], "ages": tables["synthetic"][["age", "job"]]},
        original=tables["original"],
        control=tables["control"],
        schema={**SCHEMA, "purpose": purposes},
        measures=("linkability", "pmse"),
    )
    assert isinstance(found, TableComparison)
    errors = [table.utility.values.get("purpose-error") for table in found.tables]
    assert errors == [1.0, 0.0, None]
    lines = {name: outcome for name, _values, outcome in found.analyses()}
    assert lines == {
        "ARX: shares of sex × job": "missed; column 'sex' is not shown at all",
        "ARX: mean of age by sex": "missed; column 'sex' is not shown at all",
        "copy: shares of sex × job": "within tolerance",
        "copy: mean of age by sex": "within tolerance",
    }
    found.save(tmp_path / "c.html")
    assert "Declared analyses" in (tmp_path / "c.html").read_text()
    assert [len(entry.get("analyses", ())) for entry in found.as_json()["tables"]] == [2, 2, 0]


def test_guarantee_beside_brute_force(tables: dict[str, pd.DataFrame]) -> None:
    original = tables["original"].head(60)
    referee = Referee.of(original, tables["control"], SCHEMA)

    def fits(label: str, age: int) -> bool:
        low, high = label.strip("[").split(", ")
        return int(low) <= age < int(high)

    for seed in range(5):
        draws = random.Random(seed)
        table = tables["ARX"].head(60).sample(40, random_state=seed)
        table = table.assign(job=[draws.choice(JOBS) if draws.random() < 0.2 else job for job in table.job])
        strange = 0
        for (label, _, job), rows in table.groupby(["age", "sex", "job"]):
            fitting = sum(
                fits(str(label), age) and j == job for age, j in zip(original.age, original.job, strict=True)
            )
            strange += len(rows) if fitting < len(rows) else 0
        assert ClassGuarantee.of(referee.read(table)).strange == strange
