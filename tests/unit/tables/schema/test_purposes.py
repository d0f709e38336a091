"""Declared analyses in a schema: what they may say, that they read back, and every problem at once."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from paretonym.base.errors import InputError
from paretonym.tables.schema import schema_from, toml_mapping, toml_of
from paretonym.tables.schema.purposes import Analysis

FLAT = {"role": "quasi", "hierarchy": {"flat": True}}
COLUMNS: dict[str, Any] = {
    "age": FLAT,
    "sex": FLAT,
    "a+b": FLAT,
    "stay": {"role": "sensitive"},
    "id": {"role": "identifier"},
}


def purposes(*entries: object) -> tuple[Analysis, ...]:
    return schema_from({"columns": COLUMNS, "purpose": list(entries)}).purposes


def problems(*entries: object) -> list[str]:
    with pytest.raises(InputError) as error:
        purposes(*entries)
    return [str(problem) for problem in error.value.problems]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("stay ~ age + sex", (("age",), ("sex",))),
        ("stay~age*sex", (("age",), ("sex",), ("age", "sex"))),
        ("stay ~ sex + age:sex + sex", (("sex",), ("age", "sex"))),
        ("stay ~ `a+b`:age", (("a+b", "age"),)),
    ],
)
def test_a_formula_is_read(text: str, terms: tuple[tuple[str, ...], ...]) -> None:
    (analysis,) = purposes({"name": "p", "regression": text, "tolerance": {"sign-kept": 1}})
    assert analysis == Analysis("p", "regression", ("stay",), terms, tolerance=(("sign-kept", Decimal(1)),))


@pytest.mark.parametrize("text", ["stay", "stay ~", "~ age", "stay ~ age + + sex", "stay ~ age ~ sex", 3])
def test_what_is_no_formula_is_refused(text: object) -> None:
    (problem,) = problems({"name": "p", "regression": text, "tolerance": {"sign-kept": 1}})
    assert problem.endswith('give a formula such as "income ~ age + sex"')


def test_an_analysis_of_no_column_is_refused() -> None:
    """Such an entry was passed over: a purpose with nothing to achieve."""
    (problem,) = problems({"name": "p", "table": [], "tolerance": {"table-error": 1}})
    assert problem.endswith("the table is of no column; name a column that is released")
    (problem,) = problems({"name": "p", "mean": "", "tolerance": {"mean-error": 1}})
    assert problem.endswith("the mean is of no column; name a column that is released")


def test_purposes_read_back_as_they_are_written() -> None:
    entries = [
        {"name": "p", "regression": "stay ~ age*`a+b`", "tolerance": {"ci-overlap": 0.8, "sign-kept": 1}},
        {"name": "p", "table": ["age", "sex"], "tolerance": {"table-error": 0.1}},
        {"name": "q", "mean": "stay", "by": ["sex"], "tolerance": {"mean-error": 2}},
        {"name": "q", "quantile": ["stay", 0.25], "tolerance": {"quantile-error": 0.5}},
    ]
    schema = schema_from({"columns": COLUMNS, "purpose": entries})
    assert [str(analysis) for analysis in schema.purposes] == [
        "stay ~ age + `a+b` + age:`a+b`",
        "shares of age × sex",
        "mean of stay by sex",
        "0.25 quantile of stay",
    ]
    assert schema_from(toml_mapping(toml_of(schema), "schema.toml")) == schema


def test_all_problems_are_reported_at_once() -> None:
    assert problems(
        {"regression": "stay ~ agee + stay", "tolerance": {"ci-overlap": 1.2, "overlap": 1}},
        {"name": "x", "table": ["id", "age", "age"], "by": ["sex"]},
        {"name": "y", "mean": "stay", "table": ["age"], "tolerance": 3},
        7,
        {"name": "z", "quantile": ["stay", 2], "tolerance": {"quantile-error": -1}},
    ) == [
        'the schema, purpose 1: it has no name; give one, such as name = "income gap"',
        "the schema, purpose 1, tolerance: the key 'overlap' is unknown; did you mean 'ci-overlap'?",
        "the schema, purpose 1, tolerance: no release can have ci-overlap = 1.2; give a number from 0 to 1",
        "the schema, purpose 1: there is no column 'agee'; did you mean 'age'?",
        "the schema, purpose 1: it names column 'stay' twice; name it once",
        "the schema, purpose 2: it has no tolerance; say how far it may change: a limit for table-error",
        "the schema, purpose 2: by has no meaning for a table; omit it, or add the columns to the analysis",
        "the schema, purpose 2: column 'id' has the role identifier, so no release shows it; use a column "
        "that is released",
        "the schema, purpose 2: it names column 'age' twice; name it once",
        "the schema, purpose 3: it declares table and mean; give one of regression, table, mean, quantile, "
        'such as regression = "income ~ age + sex"',
        "the schema, purpose 4: it is the number 7; make it a table",
        "the schema, purpose 5, tolerance: no release can have quantile-error = -1; give a number of at "
        "least 0",
        'the schema, purpose 5: quantile is a list; give a column and a share such as ["stay", 0.5]',
    ]


def test_an_analysis_that_is_declared_twice_is_refused() -> None:
    entry = {"name": "p", "table": ["age"], "tolerance": {"table-error": 0.1}}
    assert problems(entry, entry) == [
        "the schema, purpose 2: this analysis is declared twice; declare it once"
    ]
