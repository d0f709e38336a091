"""The schema file: what it may say, what is said of what it may not, and that it reads back as written."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from paretonym.base.errors import InputError
from paretonym.tables.schema.hierarchies.dates import Dates
from paretonym.tables.schema.hierarchies.flat import Flat
from paretonym.tables.schema.hierarchies.intervals import Breaks, Intervals
from paretonym.tables.schema.hierarchies.masks import Keep, Mask
from paretonym.tables.schema.hierarchies.tree import Node, Tree
from paretonym.tables.schema.model import ColumnSpec, Schema
from paretonym.tables.schema.schema_file import file_names, read_schema, schema_from, write_schema

WHOLE = """
null = ["?"]
missing = "drop"
rows = "events"

[columns.age]
role = "quasi"
type = "integer"
hierarchy.intervals = [5, 10.0]
hierarchy.origin = 1
bottom = 18
top = 90.5
levels = [1, 3]
importance = 0.1
granularity = 5

[columns.income]
role = "quasi"
hierarchy.breaks = [[10000, 20000, 50000], [20000]]
missing = "value"

[columns.zip]
role = "quasi"
hierarchy.mask = 5

[columns.plate]
role = "quasi"
hierarchy.keep = [3, 1]
unknown = "top"

[columns.admitted]
role = "quasi"
hierarchy.date = ["month", "year"]
format = "%d.%m.%Y"

[columns.sex]
role = "quasi"
hierarchy.flat = true

[columns.education]
role = "quasi"
order = ["Preschool", "1st-4th", "Masters"]
[columns.education.hierarchy.tree]
Low = ["Preschool", "1st-4th"]
High = ["Masters"]

[columns.diagnosis]
role = "sensitive"
level = 1

[columns.outcome]
role = "class"
kept = "yes"

[columns.name]
role = "identifier"
"""


IMPORTANCE = "a number from 0.000001 to 1000000, such as 2 for twice as important as a column without one"


def wrong(mapping: Any) -> list[str]:
    """The problems of a schema."""
    with pytest.raises(InputError) as caught:
        schema_from(mapping)
    return str(caught.value).splitlines()


def column_wrong(**entry: Any) -> list[str]:
    """The problems of one quasi-identifier `x`, without its place."""
    lines = wrong({"columns": {"x": {"role": "quasi", **entry}}})
    return [
        line.removeprefix("the schema, column 'x'").removeprefix(": ").removeprefix(", ") for line in lines
    ]


def toml_wrong(tmp_path: Path, text: str | bytes) -> str:
    path = tmp_path / "people.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        read_schema(path)
    return str(caught.value)


def test_everything_that_a_schema_can_say(tmp_path: Path) -> None:
    path = tmp_path / "people.toml"
    path.write_text("\ufeff" + WHOLE)
    schema = read_schema(path)
    numbers = Intervals((Decimal(5), Decimal(10)), Decimal(1))
    tree = Tree((Node("Low", ("Preschool", "1st-4th")), Node("High", ("Masters",))))
    bands = Breaks(((Decimal(10000), Decimal(20000), Decimal(50000)), (Decimal(20000),)))
    assert schema == Schema(
        columns=(
            ColumnSpec(
                "age", "quasi", "integer", numbers, None, Decimal(18), Decimal("90.5"), (1, 3),
                importance=Fraction(1, 10), granularity=Decimal(5),
            ),
            ColumnSpec("income", "quasi", hierarchy=bands, missing="value"),
            ColumnSpec("zip", "quasi", hierarchy=Mask(5)),
            ColumnSpec("plate", "quasi", hierarchy=Keep((3, 1)), unknown_to_top=True),
            ColumnSpec("admitted", "quasi", hierarchy=Dates(("month", "year")), format="%d.%m.%Y"),
            ColumnSpec("sex", "quasi", hierarchy=Flat()),
            ColumnSpec("education", "quasi", hierarchy=tree, order=("Preschool", "1st-4th", "Masters")),
            ColumnSpec("diagnosis", "sensitive", level=1),
            ColumnSpec("outcome", "class", kept=True),
            ColumnSpec("name", "identifier"),
        ),
        null=("?",),
        missing="drop",
        rows="events",
    )  # fmt: skip
    assert (schema.name, schema.text) == ("people.toml", WHOLE)
    assert [column.name for column in schema.with_role("sensitive", "class")] == ["diagnosis", "outcome"]
    assert str(schema.place("age")) == "people.toml, column 'age'"


def test_broken_toml_names_line_and_column(tmp_path: Path) -> None:
    assert toml_wrong(tmp_path, "rows = 'people'\nnull = [1, \nx = y\n") == (
        "people.toml, line 3, column 1: not valid TOML: Invalid value; fix this line; strings need quotes"
    )
    assert toml_wrong(tmp_path, 'null = "abc') == (
        "people.toml, line 1, column 12: not valid TOML: Unterminated string; fix this line; strings need "
        "quotes"
    )


def test_files_that_are_no_schema(tmp_path: Path) -> None:
    assert toml_wrong(tmp_path, b"rows = '\xff'") == (
        "people.toml: byte 8 is not UTF-8; save the file as UTF-8"
    )
    assert toml_wrong(tmp_path, "x = " + "[" * 5000).startswith("people.toml: it cannot be read as TOML")
    assert toml_wrong(tmp_path, "x = " + "9" * 5000).startswith("people.toml: it cannot be read as TOML")
    with pytest.raises(InputError, match=r"gone.toml: this file does not exist; check the path .*gone.toml"):
        read_schema(tmp_path / "gone.toml")
    with pytest.raises(InputError, match=r"it cannot be read \(Is a directory\); check the path"):
        read_schema(tmp_path)


def test_unknown_keys_answer_with_the_known_ones() -> None:
    lines = wrong(
        {"nul": ["?"], "columns": {"x": {"role": "quasi", "importence": 2, "hierarchy": {"masks": 1}}}}
    )
    assert lines == [
        "the schema: the key 'nul' is unknown; did you mean 'null'?",
        "the schema, column 'x': the key 'importence' is unknown; did you mean 'importance'?",
        "the schema, column 'x', hierarchy: the key 'masks' is unknown; did you mean 'mask'?",
        "the schema, column 'x', hierarchy: it names no kind; give one of intervals, breaks, mask, keep, "
        "date, "
        "file, flat, tree, ready",
    ]


def test_roles() -> None:
    roles = (
        "identifier, quasi, sensitive, class, other, drop, person, weight, household, required-k, undecided"
    )
    columns = {
        "a": {"role": "quas"},
        "b": {},
        "c": {"role": "weight", "release": "yes", "release_level": 1},
        "d": {"role": 3},
    }
    assert wrong({"columns": columns}) == [
        "the schema, column 'a': the role 'quas' is unknown; did you mean 'quasi'?",
        f"the schema, column 'b': no role is given; set role to one of {roles}",
        "the schema, column 'c': release is the text 'yes'; give true or false",
        "the schema, column 'c': release_level has no meaning for the role weight; use release = true with "
        "round = 10 to publish it rounded, or omit it",
        f"the schema, column 'd': role is the number 3; give one of {roles}",
    ]


def test_one_column_of_households_and_their_suppression() -> None:
    twice = {name: {"role": "household"} for name in ("a", "b")}
    assert wrong({"columns": twice}) == [
        "the schema: 2 columns have the role household: a, b; give one column the role household, and the "
        'others the role "drop"'
    ]
    lacking = {"suppress": {"unit": "household"}, "columns": {"a": {"role": "drop"}}}
    assert wrong(lacking) == [
        'the schema: suppress.unit is "household", but no column has the role household; give the role '
        "household to the column that says which household a row belongs to, or omit suppress.unit"
    ]


def test_one_column_of_weights() -> None:
    twice = {name: {"role": "weight"} for name in ("a", "b")}
    assert wrong({"columns": twice}) == [
        "the schema: 2 columns have the role weight: a, b; give one column the role weight, and the others "
        'the role "drop"'
    ]
    released = {"columns": {"w": {"role": "weight", "release": True}}}
    assert schema_from(released).column("w").released
    assert schema_from(released) != schema_from({"columns": {"w": {"role": "weight"}}})
    assert wrong({"columns": {"x": {"role": "identifier", "release": True}}}) == [
        "the schema, column 'x': release has no meaning for the role identifier; omit it: only a weight is "
        "released or not as it says"
    ]


def test_shapes() -> None:
    assert wrong({}) == [
        "the schema: no column is described; add a table [columns.NAME] with a role for each column"
    ]
    assert wrong({"columns": []}) == ["the schema: columns is a list; make it a table"]
    assert wrong({"columns": {"x": "quasi", 3: {}}}) == [
        "the schema, column 'x': its entry is the text 'quasi'; make it a table: [columns.x] with role = "
        '"…"',
        "the schema: the column name 3 is not a text; write it in quotes",
    ]
    assert wrong([]) == ["the schema: it is a list; give a path or a mapping"]
    assert wrong({"null": "?", "missing": "keep", "rows": True, "columns": {}}) == [
        "the schema: null is the text '?'; give a list of texts in quotes",
        'the schema: missing is the text \'keep\'; give one of "drop", "value"',
        'the schema: rows is true; give one of "people", "events"',
    ]


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"type": "number"}, 'type is the text \'number\'; give one of "text", "integer", "decimal", '
         '"date", "boolean"'),
        ({"bottom": "18"}, "bottom is the text '18'; give a number"),
        ({"top": float("nan")}, "top is the number nan; give a number"),
        ({"top": 10**5000}, "top is a number too large to use; give a number"),
        ({"bottom": 90, "top": 18}, "bottom 90 is not below top 18; give a bottom below the top"),
        ({"levels": [3, 1]}, "levels is [3, 1]; give the lowest and the highest level, such as [1, 3]"),
        ({"levels": [1]}, "levels is [1]; give the lowest and the highest level, such as [1, 3]"),
        ({"levels": 1}, "levels is the number 1; give the lowest and the highest level, such as [1, 3]"),
        ({"importance": 0}, f"importance is the number 0; give {IMPORTANCE}"),
        ({"importance": True}, f"importance is true; give {IMPORTANCE}"),
        ({"importance": 1e300}, f"importance is the number 1e+300; give {IMPORTANCE}"),
        ({"importance": 1e-9}, f"importance is the number 1e-09; give {IMPORTANCE}"),
        ({"granularity": -1}, "granularity is the number -1; give a number above 0"),
        ({"format": 1}, "format is the number 1; give a text in quotes"),
        ({"unknown": "drop"}, "unknown is the text 'drop'; give one of \"top\""),
        ({"kept": True}, 'kept is true; give one of "yes", "no"'),
        ({"order": []}, "order is an empty list; list all values, or omit it"),
        ({"order": ["a", "b", "a"]}, "order lists 'a' twice; list each value once"),
        ({"order": [1.5]}, "order is a list; give a list of texts in quotes"),
        ({"level": 1}, "level has no meaning for the role quasi; use levels = [lowest, highest] to bound "
         "the search, "
         "or omit it"),
        ({"hierarchy": "flat"}, "hierarchy is the text 'flat'; make it a table"),
        ({"hierarchy": {}}, "hierarchy: it names no kind; give one of intervals, breaks, mask, keep, "
         "date, file, "
         "flat, tree, ready"),
        ({"hierarchy": {"mask": 1, "flat": True}}, "hierarchy: mask and flat are given together; give one of "
         "intervals, breaks, mask, keep, date, file, flat, tree, ready"),
        ({"hierarchy": {"mask": 1, "origin": 1}}, "hierarchy: origin has no meaning here; use it with "
         "intervals, or "
         "omit it"),
    ],
)  # fmt: skip
def test_wrong_values(entry: dict[str, Any], text: str) -> None:
    assert column_wrong(**entry) == [text]


@pytest.mark.parametrize(
    ("hierarchy", "text"),
    [
        ({"intervals": []}, "intervals: no width is given; give nested widths such as [5, 10, 20]"),
        ({"intervals": [-5]}, "intervals: the width -5 is not positive; give widths above 0"),
        ({"intervals": [5, 12]}, "intervals: the width 12 is not a multiple of 5 before it, so the levels "
         "would not "
         "nest; give increasing widths, each a multiple of the one before"),
        ({"intervals": [5, 5]}, "intervals: the width 5 is not a multiple of 5 before it, so the levels "
         "would not "
         "nest; give increasing widths, each a multiple of the one before"),
        ({"breaks": []}, "breaks: a level has no breaks; give at least one number per level; the top is "
         "added automatically"),
        ({"breaks": [[1], []]}, "breaks: a level has no breaks; give at least one number per level; the top "
         "is added automatically"),
        ({"breaks": [[2, 1]]}, "breaks: 1 comes after 2; give the breaks of a level in ascending order"),
        ({"breaks": [[1, 2], [3]]}, "breaks: the break 3 is not among those of the level before it, so "
         "the levels "
         "would not nest; let each level drop breaks of the one before and add none"),
        ({"breaks": [[1, 2], [1, 2]]}, "breaks: two levels have the same breaks; remove one of them"),
        ({"mask": 0}, "mask: 0 characters cannot be masked; give a whole number from 1 to 100"),
        ({"keep": [1, 3]}, "keep: [1, 3] is not a decreasing list of whole numbers above 0; give the "
         "characters kept at "
         "level 1, 2, …, such as [3, 1]"),
        ({"date": ["week"]}, "date: weeks are not nested in months or years; use some of month, quarter, "
         "year, decade"),
        ({"date": ["day"]}, "date: level 0 already shows the day; use some of month, quarter, year, decade"),
        ({"date": ["years"]}, "date: the unit 'years' is unknown; did you mean 'year'?"),
        ({"date": ["year", "month"]}, "date: ['year', 'month'] does not go from finer to coarser units; "
         "give some of "
         "month, quarter, year, decade, in this order"),
        ({"tree": {}}, 'tree: it has no leaves; list them: Label = ["value", "value"]'),
        ({"tree": {"A": "a"}}, "tree: the text 'a' is where leaves belong; make it a list of texts"),
        ({"tree": {"A": [1.5]}}, "tree: the number 1.5 is in a list of leaves; write each leaf in "
         "quotes"),
        ({"tree": {"A": ["a"], "B": ["a"]}}, "tree: the leaf 'a' is in two places; give each leaf one "
         "place"),
        ({"tree": {"A": {"O": ["a"]}, "B": {"O": ["b"]}}}, "tree: the set 'O' is in two places; give "
         "each set one "
         "place"),
    ],
)  # fmt: skip
def test_wrong_hierarchies(hierarchy: dict[str, Any], text: str) -> None:
    assert column_wrong(hierarchy=hierarchy) == [f"hierarchy.{text}"]


@pytest.mark.parametrize(
    ("hierarchy", "text"),
    [
        ({"intervals": 5}, "intervals is the number 5; give a list of numbers"),
        (
            {"breaks": [["a"]]},
            "breaks is a list; give a list of numbers for each level, such as [[10, 20], [20]]",
        ),
        ({"mask": True}, "mask is true; give a whole number, 0 or above"),
        ({"file": ""}, "file is the text ''; give the file's name in quotes"),
        ({"flat": False}, "flat is false; give true, or omit it"),
    ],
)
def test_wrong_settings(hierarchy: dict[str, Any], text: str) -> None:
    assert column_wrong(hierarchy=hierarchy) == [f"hierarchy: {text}"]


def test_a_tree_that_is_too_deep() -> None:
    tree: Any = ["a"]
    for _ in range(101):
        tree = {"A": tree}
    assert column_wrong(hierarchy={"tree": tree}) == [
        "hierarchy.tree: it is deeper than 100 levels; use fewer levels"
    ]


def test_sensitive_columns_are_not_quoted() -> None:
    entry = {
        "role": "sensitive",
        "order": ["hiv", "hiv"],
        "hierarchy": {"tree": {"A": ["hiv"], "B": ["hiv"]}},
    }
    lines = wrong({"columns": {"s": {**entry, "levels": [0, 1], "importance": 2}}})
    assert lines == [
        "the schema, column 's', hierarchy.tree: a leaf is in two places; give each leaf one place",
        "the schema, column 's': order lists a value twice; list each value once",
        "the schema, column 's': levels has no meaning for the role sensitive; use level = … for where it is "
        "measured, or omit it",
        "the schema, column 's': importance has no meaning for the role sensitive; omit it",
    ]


COLUMNS: dict[str, Any] = {
    "age": {
        "role": "quasi",
        "hierarchy": {"intervals": [0.5, 1.5], "origin": -1},
        "bottom": 1.25,
        "levels": [0, 2],
    },
    "pay": {
        "role": "quasi",
        "hierarchy": {"breaks": [[10, 20.5], [10]]},
        "importance": 0.3,
        "granularity": 2,
    },
    "zip": {"role": "quasi", "hierarchy": {"mask": 5}, "unknown": "top", "missing": "value"},
    "key": {"role": "quasi", "hierarchy": {"keep": (3, 1)}, "type": "text"},
    "day": {"role": "quasi", "hierarchy": {"date": ["month"]}, "format": "%d.%m.%Y"},
    "sex": {"role": "quasi", "hierarchy": {"flat": True}, "order": ["m", "f"]},
    'a "b"\n': {"role": "quasi", "hierarchy": {"tree": ["x", {"Y.z": ["y", {"W": ["w"]}]}, "v"]}},
    "illness": {"role": "sensitive", "level": 0},
    "note": {"role": "other", "kept": "yes"},
}


def test_a_mapping_reads_back(tmp_path: Path) -> None:
    schema = schema_from({"null": ["?"], "missing": "drop", "rows": "events", "columns": COLUMNS})
    write_schema(schema, tmp_path)
    again = read_schema(tmp_path / "schema.toml")
    assert again == schema
    assert again.digest() == schema.digest()


@pytest.mark.parametrize("name", ["a.csv", "sets/a.csv", "sets/ä.csv"])
def test_a_file_keeps_its_text_if_its_hierarchies_lie_beside_it(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("m;*\nf;*\n")
    text = f'# Mine.\n[columns.sex]\nrole = "quasi"   # who knows\nhierarchy.file = "{name}"\n'
    (tmp_path / "people.toml").write_text(text)
    schema = read_schema(tmp_path / "people.toml")
    (tmp_path / "run").mkdir()
    write_schema(schema, tmp_path / "run")
    assert ((tmp_path / "run" / "schema.toml").read_text() == text) == (name == "a.csv")
    assert (tmp_path / "run" / Path(name).name).read_text() == "m;*\nf;*\n"
    assert read_schema(tmp_path / "run" / "schema.toml") == schema


def test_files_of_one_name_are_numbered_and_equal_files_are_one(tmp_path: Path) -> None:
    for folder, content in (("a", "m;*\n"), ("b", "f;*\n"), ("c", "m;*\n"), ("d", "x;*\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / ("SCHEMA.toml" if folder == "d" else "sets.csv")).write_text(content)
    names = {"p": "a/sets.csv", "q": "b/sets.csv", "r": "c/sets.csv", "s": "d/SCHEMA.toml"}
    columns = {name: {"role": "quasi", "hierarchy": {"file": path}} for name, path in names.items()}
    schema = schema_from({"columns": columns}, tmp_path)
    assert list(file_names(schema).values()) == ["sets.csv", "sets-2.csv", "SCHEMA-2.toml"]
    (tmp_path / "run").mkdir()
    write_schema(schema, tmp_path / "run")
    assert read_schema(tmp_path / "run" / "schema.toml") == schema


def test_the_digest_is_of_what_is_said_not_of_how(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('[columns.x]\nrole = "quasi"\nhierarchy.intervals = [0.50]\n')
    (tmp_path / "b.toml").write_text(
        'columns.x = {hierarchy = {intervals = [0.5]}, role = "quasi"} # the same\n'
    )
    one, other = read_schema(tmp_path / "a.toml"), read_schema(tmp_path / "b.toml")
    assert one == other
    assert one.digest() == other.digest()
    assert len(one.digest()) == 64


def test_the_digest_sees_files_and_the_order_of_columns(tmp_path: Path) -> None:
    def digest(content: str, *names: str) -> str:
        (tmp_path / "s.csv").write_text(content)
        columns = {name: {"role": "quasi", "hierarchy": {"file": "s.csv"}} for name in names}
        return schema_from({"columns": columns}, tmp_path).digest()

    assert len({digest("a;*", "x", "y"), digest("b;*", "x", "y"), digest("a;*", "y", "x")}) == 3


@pytest.mark.parametrize(
    "table",
    [
        "sep=;\nid;age\n1;41\n", "\ufeffsep=,\r\nid,age\r\n1,41\r\n", '"sep=;"\nid;age\n', "SEP=|\nid|age\n",
        "# exported today\nid,age\n1,41\n", "\n\nid\tage\n", "id,age\n1,41\n",
    ],
)  # fmt: skip
def test_a_table_in_the_place_of_a_schema(tmp_path: Path, table: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(table.encode())
    with pytest.raises(InputError) as error:
        read_schema(path)
    assert str(error.value) == (
        "people.csv: this is a table, not a schema; give the schema as SCHEMA (TOML) and the table as DATA"
    )


@pytest.mark.parametrize(
    "begin",
    ["", "# a, b; c\n\n", "\ufeff", 'null = ["?", ","]\n', '[columns."a,b"]\nrole = "drop"\n'],
)
def test_a_schema_is_not_taken_for_a_table(tmp_path: Path, begin: str) -> None:
    path = tmp_path / "s.toml"
    path.write_bytes(f'{begin}[columns.x]\nrole = "drop"\n'.encode())
    assert "x" in read_schema(path).names


@pytest.mark.parametrize("first", ["; made by hand", "null; = 1", 'rows = "people"; missing = "drop"'])
def test_a_semicolon_in_the_first_line_is_a_mistake_in_that_line(tmp_path: Path, first: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(f'{first}\n[columns.x]\nrole = "drop"\n')
    with pytest.raises(InputError) as error:
        read_schema(path)
    assert "not valid TOML" in str(error.value)
    assert "s.toml, line 1" in str(error.value)
