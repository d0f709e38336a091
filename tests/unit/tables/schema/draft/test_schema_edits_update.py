"""A schema that meets newer data: values and columns are added, everything else stays as it was written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from paretonym.base.errors import InputError
from paretonym.base.files.outputs import write_files
from paretonym.tables.schema.draft.schema_edits import update_schema
from paretonym.tables.schema.schema_binding import bind
from paretonym.tables.schema.schema_file import read_schema
from paretonym.tables.source.table_counts import Counts

MARK = "# new in people.csv: decide where it belongs"


def updated(folder: Path, schema: str, table: Counts, **files: str) -> str:
    """The schema's text after the update, once it was checked that it fits the table."""
    (folder / "people.toml").write_text(schema, encoding="utf-8", newline="")
    for name, content in files.items():
        (folder / f"{name}.csv").write_text(content, encoding="utf-8", newline="")
    write_files(update_schema(folder / "people.toml", table).texts)
    bind(read_schema(folder / "people.toml"), table)
    # Nothing is new any more.
    assert update_schema(folder / "people.toml", table).texts == {}
    return (folder / "people.toml").read_bytes().decode()


TREES = {
    "a table of its own": (
        '[columns.x]\nrole = "quasi" # mine\n[columns.x.hierarchy.tree]\nA = ["a"]\n\n# the end\n',
        '[columns.x]\nrole = "quasi" # mine\n[columns.x.hierarchy.tree]\nA = ["a"]\n\n# the end\n"n" = [] '
        f'{MARK}\n',
    ),
    "tables of sets": (
        '[columns.x]\nrole = "quasi"\n[columns.x.hierarchy.tree.A]\nB = ["a"]\n',
        f'[columns.x]\nrole = "quasi"\n[columns.x.hierarchy.tree]\n"n" = [] {MARK}\n\n'
        '[columns.x.hierarchy.tree.A]\nB = ["a"]\n',
    ),
    "keys with dots": (
        '[columns.x]\nrole = "quasi"\nhierarchy.tree.A = [\n  "a", # [\n]',
        '[columns.x]\nrole = "quasi"\nhierarchy.tree.A = [\n  "a", # [\n]\nhierarchy.tree."n" = [] '
        f'{MARK}\n',
    ),
    "a list": (
        '[columns.x]\nrole = "quasi"\nhierarchy.tree = [{A = ["a"]}]\n',
        f'[columns.x]\nrole = "quasi"\nhierarchy.tree = [{{A = ["a"]}},\n  "n", {MARK}\n]\n',
    ),
    "braces": (
        '[columns.x]\nrole = "quasi"\nhierarchy.tree = { A = ["a"] } # mine\n',
        '[columns.x]\nrole = "quasi"\nhierarchy.tree = { A = ["a"], "n" = []} # mine; '
        f'{MARK[2:]}\n',
    ),
    "an order": (
        '[columns.x]\nrole = "quasi"\norder = ["a" # ]\n]\n',
        f'[columns.x]\nrole = "quasi"\norder = ["a", # ]\n  "n", {MARK}\n]\n',
    ),
    "an order and a tree": (
        '[columns.x]\nrole = "quasi"\norder = ["a"]\n[columns.x.hierarchy.tree]\nA = ["a"]\n',
        f'[columns.x]\nrole = "quasi"\norder = ["a",\n  "n", {MARK}\n]\n[columns.x.hierarchy.tree]\nA = '
        '["a"]\n'
        f'"n" = [] {MARK}\n',
    ),
    "Windows": (
        '[columns.x]\r\nrole = "quasi"\r\norder = ["a"]\r\n',
        f'[columns.x]\r\nrole = "quasi"\r\norder = ["a",\r\n  "n", {MARK}\r\n]\r\n',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TREES)
def test_new_values(tmp_path: Path, table: Callable[..., Counts], name: str) -> None:
    before, after = TREES[name]
    assert updated(tmp_path, before, table(x=["a", "n"])) == after


def test_a_file_grows_at_its_end(tmp_path: Path, table: Callable[..., Counts]) -> None:
    schema = '[columns.x]\nrole = "quasi"\nhierarchy.file = "sets.csv"\n'
    text = updated(tmp_path, schema, table(x=["a", "n;m", "A"]), sets="value;level1;level2\na;A;*")
    assert text == (
        '[columns.x]\nrole = "quasi"\nhierarchy.file = "sets.csv" '
        f'{MARK} (at the end of sets.csv): "A", "n;m"\n'
    )
    # A value that is called like a set must not fall into it.
    assert (tmp_path / "sets.csv").read_text() == 'value;level1;level2\na;A;*\nA;A (new);*\n"n;m";"n;m";*\n'


def test_two_columns_may_share_a_file(tmp_path: Path, table: Callable[..., Counts]) -> None:
    entry = 'role = "quasi"\nhierarchy.file = "sets.csv"\n'
    schema = f"[columns.x]\n{entry}[columns.y]\n{entry}"
    updated(tmp_path, schema, table(x=["a", "n"], y=["n", "m"]), sets="a,A\n")
    assert (tmp_path / "sets.csv").read_text() == "a,A\nn,A\nm,A\n"


def test_sensitive_values_are_not_named_in_comments(tmp_path: Path, table: Callable[..., Counts]) -> None:
    schema = '[columns.q]\nrole = "quasi"\nhierarchy.flat = true\n'
    schema += '[columns.x]\nrole = "sensitive"\nhierarchy.file = "sets.csv"\n'
    text = updated(tmp_path, schema, table(q=["1", "1"], x=["a", "n"]), sets="a;A\n")
    assert f"{MARK} (at the end of sets.csv)\n" in text


def test_new_columns_are_undecided(tmp_path: Path, table: Callable[..., Counts]) -> None:
    path = tmp_path / "people.toml"
    path.write_text('[columns.x]\nrole = "quasi"\nhierarchy.flat = true')
    update = update_schema(
        path, table(x=["a"] * 30, zip=["01234", "99999", "55555"] * 10, city=["A", "B", "C", "D", "E"] * 6)
    )
    assert (update.values, update.columns, update.gone) == ({}, ["zip", "city"], [])
    assert update.texts[path].decode() == (
        """\
[columns.x]
role = "quasi"
hierarchy.flat = true

[columns.zip]
# 3 different values. Guessed: the name suggests a postal code; read as text to keep leading zeros.
# DECIDE: new in people.csv; "quasi" was guessed. "quasi" if others may know it about a person, "sensitive" if
# nobody should learn it, "other" to release it unchanged, "drop" to remove it.
role = "undecided"
hierarchy.keep = [3, 2, 1]

[columns.city]
# 5 different values. Guessed: the name suggests where somebody lives or works.
# DECIDE: new in people.csv; "quasi" was guessed. "quasi" if others may know it about a person, "sensitive" if
# nobody should learn it, "other" to release it unchanged, "drop" to remove it.
role = "undecided"
hierarchy.flat = true
"""
    )


UNCHANGED = {
    "a place for all": '[columns.x]\nrole = "quasi"\nunknown = "top"\nhierarchy.tree.A = ["a"]\n',
    "nothing listed": '[columns.x]\nrole = "quasi"\nhierarchy.flat = true\n',
    "missing": 'null = ["n"]\nmissing = "drop"\n[columns.x]\nrole = "quasi"\nhierarchy.tree.A = ["a"]\n',
    "not used": '[columns.x]\nrole = "drop"\nhierarchy.tree.A = ["a"]\n',
}


@pytest.mark.parametrize("name", UNCHANGED)
def test_what_needs_no_place_gets_none(tmp_path: Path, table: Callable[..., Counts], name: str) -> None:
    path = tmp_path / "people.toml"
    path.write_text(UNCHANGED[name] + '[columns.gone]\nrole = "drop"\n')
    update = update_schema(path, table(x=["a", "n"]))
    assert (update.values, update.columns, update.gone, update.texts) == ({}, [], ["gone"], {})


def test_a_layout_that_leaves_no_place(tmp_path: Path, table: Callable[..., Counts]) -> None:
    schema = '[columns.x]\nrole = "quasi"\nhierarchy = {tree = {A = ["a"]}}\n'
    path = tmp_path / "people.toml"
    path.write_text(schema)
    with pytest.raises(InputError) as error:
        update_schema(path, table(x=["a", "n"]))
    assert str(error.value) == (
        "people.toml, column 'x': new values cannot be added to a hierarchy that is written this way; "
        "give the tree its own table, [columns.x.hierarchy.tree], or add them by hand"
    )
    assert path.read_text() == schema
