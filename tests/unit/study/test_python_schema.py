"""Schemas made in Python: what they say, what they refuse, and that they say what a file says."""

from __future__ import annotations

import copy
import doctest
import inspect
import pickle
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pandas
import pytest

import paretonym as pn
from paretonym.study.python_schema import Hierarchy
from paretonym.tables.schema import read_schema, schema_from
from paretonym.tables.schema.hierarchies.hierarchy_builder import HIERARCHY_KINDS
from paretonym.tables.schema.schema_keys import COLUMN_KEYS, SCHEMA_KEYS

# What a type checker would refuse is refused without one, too.
column: Any = pn.Column
COLUMNS = (
    pn.Column("age", "quasi", {"intervals": [5, 10]}, bottom=18, top=90, importance=2),
    pn.Column("zip", "quasi", {"keep": [3, 1]}, missing="value"),
    pn.Column("illness", "sensitive"),
    pn.Column("name", "identifier"),
)


def test_it_says_what_a_file_says(tmp_path: Path) -> None:
    schema = pn.Schema(COLUMNS, missing="drop", null=["?"], rows="people")
    schema.save(tmp_path / "people.toml")
    assert read_schema(tmp_path / "people.toml") == schema_from(schema)
    assert schema_from(schema).digest() == read_schema(tmp_path / "people.toml").digest()
    assert schema["missing"] == "drop"
    assert [column.name for column in schema.columns] == ["age", "zip", "illness", "name"]


def test_the_page_about_schemas_is_right() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/schema.md").read_text(encoding="utf-8")
    session = page.partition("```python")[2].partition("```")[0]
    tried = doctest.DocTestParser().get_doctest(session, {}, "page", None, 0)
    assert doctest.DocTestRunner().run(tried) == (0, 4)


def test_a_study_takes_it() -> None:
    rows = pandas.DataFrame({"age": [20, 21, 40, 41] * 5, "ill": ["flu", "cold"] * 10})
    columns = [pn.Column("age", "quasi", {"intervals": [5, 10]}), pn.Column("ill", "sensitive")]
    schema = pn.Schema(columns)
    plain = {"columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}},
                         "ill": {"role": "sensitive"}}}  # fmt: skip
    front = pn.Study(rows, schema).explore("k", "loss", space="lattice")
    assert front == pn.Study(rows, plain).explore("k", "loss", space="lattice")
    assert pn.audit(front[0].release(), schema=schema, require=["k>=2"]).passed
    assert pn.attack(front[0].release(), original=rows, schema=schema).people == 20


def test_parameters_are_the_keys_of_the_table() -> None:
    """A key that the file has and Python lacks, or the other way round, fails here."""
    of_column = set(inspect.signature(pn.Column).parameters) - {"name", "role", "hierarchy"}
    assert of_column == set(COLUMN_KEYS)
    of_schema = set(inspect.signature(pn.Schema).parameters) - {"columns", "suppress_unit", "purpose"}
    assert of_schema == set(SCHEMA_KEYS)
    further = {key for kind in HIERARCHY_KINDS.values() for key in kind.further_keys}
    assert set(get_type_hints(Hierarchy)) == {*HIERARCHY_KINDS, *further}


@pytest.mark.parametrize("key", sorted(COLUMN_KEYS))
def test_literals_are_the_choices_of_the_table(key: str) -> None:
    """Whatever the type of a parameter lists is accepted by the reader, and nothing else is."""
    hint = get_type_hints(pn.Column.__init__)[key]
    choices = [choice for part in get_args(hint) for choice in get_args(part) if isinstance(choice, str)]
    for choice in choices:
        assert COLUMN_KEYS[key].read(choice) is not None
    if choices:
        assert COLUMN_KEYS[key].read("something else") is None


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: column("age", "quasy"), "the role 'quasy' is unknown; did you mean 'quasi'?"),
        (
            lambda: column("age", "quasi", {"intervalls": [5]}),
            "the key 'intervalls' is unknown; did you mean 'intervals'?",
        ),
        (lambda: column("age", "quasi", top="x"), "top is the text 'x'; give a number"),
        (lambda: pn.Column("age", "quasi", bottom=9, top=3), "bottom 9 is not below top 3"),
        (
            lambda: pn.Schema([pn.Column("a", "drop"), pn.Column("a", "quasi")]),
            "the schema: column 'a' is described twice; describe each column once",
        ),
        (
            lambda: pn.Schema([pn.Column("a", "person"), pn.Column("b", "person")]),
            "2 columns have the role person: a, b",
        ),
        (lambda: pn.Schema(COLUMNS, suppress_unit="household"), "no column has the role household"),
        (lambda: pn.Schema(COLUMNS).column("agee"), "there is no column 'agee'; did you mean 'age'?"),
    ],
)
def test_it_is_checked_when_it_is_made(make: Any, said: str) -> None:
    with pytest.raises(ValueError) as error:
        make()
    assert isinstance(error.value, pn.InputError)
    assert said in str(error.value)


def test_it_never_changes() -> None:
    column, schema = COLUMNS[0], pn.Schema(COLUMNS)
    with pytest.raises(AttributeError):
        column.name = "x"  # type: ignore[misc]
    for mapping in (column.entry, schema):
        with pytest.raises(TypeError):
            mapping["role"] = "drop"  # type: ignore[index]
    assert pickle.loads(pickle.dumps(column)) == copy.deepcopy(column) == column
    assert len({column, copy.copy(column)}) == 1
    assert str(schema) == "<Schema: age quasi, zip quasi, illness sensitive, name identifier>"
