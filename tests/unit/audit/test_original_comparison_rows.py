"""Releases beside their originals: rows, rules and statements; forgeries that only the original shows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import paretonym
from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.study.study import Study
from tests.naive.releases import in_order, released_rows, write_manifest, write_release, write_table


def failed(path: Path, **options: Any) -> list[str]:
    """The checks that fail, without the statements, which are not forged alike."""
    return [check.name for check in paretonym.audit(path, **options).failed if check.kind != "statement"]


def test_whole_numbers_among_decimals_have_no_point(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    columns = {"a": ["x", "x", "y"], "dose": [1.0, 2.5, None], "born": [True, False, True]}
    table = pyarrow.table(columns)
    schema = {
        "columns": {
            "a": {"role": "quasi", "hierarchy": {"flat": True}},
            "dose": {"role": "other", "kept": "yes"},
            "born": {"role": "other", "kept": "yes"},
        }
    }
    path = tmp_path / "r.parquet"
    shown = pyarrow.table({**columns, "a": pyarrow.array(["*"] * 3).dictionary_encode()})
    pyarrow.parquet.write_table(shown, path, store_schema=False)
    roles = {"a": "quasi", "dose": "other", "born": "other"}
    write_manifest(path, roles, {"k": 3}, {"levels": {"a": 1}, "keep": {"k": ">=3"}}, rows=3)
    assert failed(path, original=table, schema=schema) == []


SCHEMA = {
    "columns": {
        "id": {"role": "identifier"},
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "illness": {"role": "sensitive"},
        "note": {"role": "other"},
    }
}


@pytest.fixture
def study() -> Study:
    import pyarrow

    ages = [21, 22, 23, 34, 35, 36, 37, 58]
    columns = {
        "id": [str(number) for number in range(8)],
        "age": [str(age) for age in ages],
        "sex": ["f", "m"] * 4,
        "illness": ["a", "a", "b", "a", "b", "b", "c", "c"],
        "note": ["=x", "y", "-3", "x", "x", None, "y", "x"],
    }
    return Study(pyarrow.table(columns), SCHEMA)


RECODING = LatticeRecoding.of({"age": 1, "sex": 1}, {"k": ">=3"})


def beside(path: Path, study: Study) -> list[str]:
    return failed(path, original=study.table, schema=study.schema)


def test_statements_beside_the_original(tmp_path: Path, study: Study) -> None:
    path = tmp_path / "r.csv"
    write_release(path, study, RECODING)
    result = paretonym.audit(path, original=study.table, schema=study.schema)
    assert result.passed
    # 7 of 8 rows stay; a suppressed one is less than a block of three. Sex: everything, 7. Age has 7 values
    # that stay: three rows show a set of 3, four of 4.
    assert result["gl"] == pytest.approx((7 + (3 * 2 + 4 * 3) / 6) / (2 * 7))
    assert result["sl"] == 0
    required = paretonym.audit(
        path, original=study.table, schema=study.schema, require=["sl<=12.5%", "t<=0.3", "k>=3"]
    )
    assert required.passed


Rewrite = Callable[[list[tuple[str, ...]]], list[tuple[str, ...]]]
CHANGES: dict[str, tuple[Rewrite, list[str]]] = {
    "a value left standing": (
        lambda rows: [("21", *rows[0][1:]), *rows[1:]],
        ["cells that the schema does not publish", "rows not from the original", "classes with rows missing"],
    ),
    "a note changed": (
        lambda rows: [(*rows[0][:3], "other"), *rows[1:]],
        ["rows not from the original"],
    ),
    "a row too many": (lambda rows: [*rows, rows[0]], ["rows not from the original"]),
    "a row too few": (lambda rows: rows[1:], ["classes with rows missing"]),
    "a class too few": (lambda rows: rows[3:], ["classes kept against the rule"]),
    "a class too many": (
        lambda rows: [*rows, ("[50, 60)", "*", "c", "x")],
        ["classes kept against the rule"],
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_forged_together_but_not_with_the_original(tmp_path: Path, study: Study, change: str) -> None:
    """File and manifest agree with each other; the original tells."""
    path = tmp_path / "r.csv"
    names, rows = released_rows(study, RECODING)
    rewrite, named = CHANGES[change]
    write_table(path, names, in_order(rewrite(rows)))
    roles = {name: study.schema.column(name).role for name in names}
    smallest = min(Counter(row[:2] for row in rewrite(rows)).values())
    write_manifest(path, roles, {"k": smallest}, RECODING.as_json())
    assert paretonym.audit(path).passed
    assert set(named) <= set(beside(path, study))


def test_formulas_made_harmless_are_the_same_rows(tmp_path: Path, study: Study) -> None:
    path = tmp_path / "r.csv"
    names, rows = released_rows(study, RECODING)
    write_table(
        path, names, [tuple(f"'{cell}" if cell.startswith("=") else cell for cell in row) for row in rows]
    )
    roles = {name: study.schema.column(name).role for name in names}
    write_manifest(path, roles, {"k": 3}, RECODING.as_json())
    assert beside(path, study) == []


def test_an_edited_statement_is_named(tmp_path: Path, study: Study) -> None:
    path = tmp_path / "r.csv"
    write_release(path, study, RECODING)
    manifest = tmp_path / "r.csv.manifest.json"
    document = json.loads(manifest.read_text())
    for name in document["statements"]:
        if document["statements"][name] != "inf":
            edited = {**document["statements"], name: document["statements"][name] + 0.002}
            manifest.write_text(json.dumps({**document, "statements": edited}))
            result = paretonym.audit(path, original=study.table, schema=study.schema)
            assert name in [check.name for check in result.failed if check.kind == "statement"]


@pytest.mark.parametrize(
    ("recoding", "words"),
    [
        ({"levels": {"age": 1}, "keep": {}}, "no level of 'sex'"),
        ({"levels": {"age": 9, "sex": 1}, "keep": {}}, "no level of 'age'"),
    ],
)
def test_a_recoding_that_cannot_be_repeated_fails(
    tmp_path: Path, study: Study, recoding: dict[str, Any], words: str
) -> None:
    path = tmp_path / "r.csv"
    write_release(path, study, RECODING)
    names, _ = released_rows(study, RECODING)
    roles = {name: study.schema.column(name).role for name in names}
    write_manifest(path, roles, {"k": 3}, recoding, {"loss": 0.5, "gl": 0.5, "sl": 0})
    result = paretonym.audit(path, original=study.table, schema=study.schema)
    failures = {check.name: check.why for check in result.failed}
    elsewhere = {"manifest", "cells that the schema does not publish"}
    assert set(failures) - elsewhere == {"rows of the original", "loss", "gl", "sl"}
    assert words in failures["rows of the original"]


@pytest.mark.parametrize(
    "keep", [{"k": "about 3"}, {"k": ">=inf"}, {"l-recursive": ">=2"}, {"l@note": ">=1"}]
)
def test_a_rule_that_cannot_be_read_fails(tmp_path: Path, study: Study, keep: Any) -> None:
    path = tmp_path / "r.csv"
    names, rows = released_rows(study, RECODING)
    write_table(path, names, rows)
    roles = {name: study.schema.column(name).role for name in names}
    write_manifest(path, roles, {"k": 3}, {"levels": {"age": 1, "sex": 1}, "keep": keep})
    assert "classes kept against the rule" in beside(path, study)


def test_the_schema_has_a_word_on_roles(tmp_path: Path, study: Study) -> None:
    """A manifest that calls a quasi-identifier harmless makes k look larger."""
    path = tmp_path / "r.csv"
    names, rows = released_rows(study, RECODING)
    write_table(path, names, rows)
    roles = {name: study.schema.column(name).role for name in names}
    write_manifest(path, {**roles, "age": "other"}, {"k": 7})
    assert failed(path) == []
    assert failed(path, schema=study.schema) == ["roles"]
    write_table(path, ["id", *names[1:]], rows)
    write_manifest(path, {"id": "other", **{name: roles[name] for name in names[1:]}}, {"k": 7})
    (check,) = paretonym.audit(path, schema=study.schema).failed
    assert check.why == "the schema does not release these: id"


def test_a_row_too_many_in_the_only_class_fails_and_is_measured(tmp_path: Path) -> None:
    """Four rows, and five in the release: five fewer than none are not suppressed in a block of five."""
    import pyarrow

    schema = {
        "columns": {"age": {"role": "quasi", "hierarchy": {"flat": True}}, "ill": {"role": "sensitive"}}
    }
    table = pyarrow.table({"age": ["20", "21", "22", "23"], "ill": ["a", "b", "a", "b"]})
    path = tmp_path / "r.csv"
    write_table(path, ["age", "ill"], [("*", ill) for ill in "aabbb"])
    recoding = {"levels": {"age": 1}, "keep": {"k": ">=5"}}
    write_manifest(
        path, {"age": "quasi", "ill": "sensitive"}, {"k": 5}, recoding, {"loss": 1, "gl": 1, "sl": 0}, 5
    )
    result = paretonym.audit(path, original=table, schema=schema)
    assert not result.passed
    assert "rows not from the original" in [check.name for check in result.failed]
    assert {check.name: check.found for check in result.checks if check.kind == "statement"} == {
        "loss": 1, "gl": 1, "sl": 0,
    }  # fmt: skip
