"""Hierarchy files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paretonym.base.errors import InputError
from paretonym.tables.schema.bound_schema import BoundSchema, QuasiColumn
from paretonym.tables.schema.hierarchies import level_table
from paretonym.tables.schema.hierarchies.hierarchy_file import HierarchyFile
from paretonym.tables.schema.hierarchies.level_table import LevelTable, Values
from paretonym.tables.schema.hierarchies.tree import Tree, as_tree
from paretonym.tables.schema.model import ColumnSpec
from paretonym.tables.schema.schema_file import schema_from
from paretonym.tables.source.table_counts import Counts

Quasi = Callable[..., QuasiColumn]
MARITAL = "Married;Together;*\nDivorced;Apart;*\nWidowed;Apart;*\n"


@pytest.fixture
def from_file(quasi: Quasi, tmp_path: Path) -> Callable[..., QuasiColumn]:
    """Binds a column to a hierarchy file with this content."""

    def bind_file(content: str | bytes, cells: list[str], **entry: Any) -> QuasiColumn:
        path = tmp_path / "sets.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return quasi(cells, hierarchy={"file": str(path)}, **entry)

    return bind_file


def labels(column: QuasiColumn) -> list[tuple[str, ...]]:
    return [level.labels for level in column.hierarchy.levels]


def message(from_file: Quasi, content: str | bytes, cells: list[str], **entry: Any) -> str:
    with pytest.raises(InputError) as caught:
        from_file(content, cells, **entry)
    return str(caught.value).replace("the schema, column 'x', ", "")


def test_a_file_lists_the_domain(from_file: Quasi) -> None:
    column = from_file(MARITAL, ["Widowed"])
    assert labels(column) == [("Married", "Divorced", "Widowed"), ("Together", "Apart"), ("*",)]
    assert (column.hierarchy.domain, column.hierarchy.origin) == (3, "the values in sets.csv")
    assert column.codes.tolist() == [2]


def test_leaves_are_put_into_preorder_by_first_appearance(from_file: Quasi) -> None:
    column = from_file("a;A;*\nb;B;*\nc;A;*\n", ["a"])
    assert labels(column)[:2] == [("a", "c", "b"), ("A", "B")]


def test_order_rearranges_a_file(from_file: Quasi) -> None:
    column = from_file(MARITAL, ["Married"], order=["Widowed", "Divorced", "Married"])
    assert labels(column)[:2] == [("Widowed", "Divorced", "Married"), ("Apart", "Together")]
    assert "the values of the sets 'Apart' are not adjacent" in message(
        from_file, MARITAL, ["Married"], order=["Widowed", "Married", "Divorced"]
    )


@pytest.mark.parametrize(
    "content",
    [
        MARITAL.replace(";", ","),
        "\ufeff" + MARITAL,
        MARITAL.replace("\n", "\r\n"),
        "\n" + MARITAL.replace("Divorced", '"Divorced"') + "\n\n",
        "value;level1;level2\n" + MARITAL,
        MARITAL + "Married;Together;*\n",
    ],
    ids=["comma", "mark", "windows", "quotes", "header", "repeated"],
)
def test_ways_to_write_one_file(from_file: Quasi, content: str) -> None:
    assert labels(from_file(content, ["Married"])) == labels(from_file(MARITAL, ["Married"]))


def test_separators_inside_labels(from_file: Quasi) -> None:
    column = from_file('17;[10, 20, x);"all;of"\n25;[20, 30, x);"all;of"\n', ["17"])
    assert labels(column)[1:] == [("[10, 20, x)", "[20, 30, x)"), ("all;of",)]


def test_a_top_is_added_where_it_is_missing(from_file: Quasi) -> None:
    assert labels(from_file("a;A\nb;B\n", ["a"])) == [("a", "b"), ("A", "B"), ("*",)]
    assert labels(from_file("a\nb\n", ["a"])) == [("a", "b"), ("*",)]


def test_one_label_for_different_sets_is_told_apart(from_file: Quasi) -> None:
    column = from_file("a;Other;Other\nb;B;Other\nc;C;C\n", ["a"])
    assert labels(column)[1:3] == [("Other", "B", "C"), ("Other (level 2)", "C")]


def test_ragged_lines_are_named(from_file: Quasi) -> None:
    assert message(from_file, "a;A;*\nb;B\n\nc;C;D;*\n", ["a"]).splitlines() == [
        "sets.csv, line 2: it has 2 fields, but line 1 has 3; give every value the same number of levels",
        "sets.csv, line 4: it has 4 fields, but line 1 has 3; give every value the same number of levels",
    ]


def test_values_in_two_places_and_torn_sets_are_named(from_file: Quasi) -> None:
    assert message(from_file, "a;A;X\nb;B;X\na;B;X\nc;A;Y\n", ["a"]).splitlines() == [
        "sets.csv, line 3: 'a' is also in line 1, with other sets; keep one of the two lines",
        "sets.csv, line 4: not nested: 'A' is in 'Y', but in line 1 it is in 'X'; put a set into one set of "
        "the next level",
    ]


def test_values_without_a_line_are_listed(from_file: Quasi) -> None:
    assert message(from_file, MARITAL, ["Single", "Married"]) == (
        "the schema, column 'x': without a line in sets.csv: 1 value ('Single'); add them, or set unknown "
        '= "top"'
    )


def test_files_that_cannot_be_used(from_file: Quasi, quasi: Quasi) -> None:
    assert message(from_file, "\n", ["a"]) == (
        "sets.csv: the file is empty; give one line per value: value;level1;level2"
    )
    assert message(from_file, 'a;"A\n', ["a"]) == (
        "sets.csv: it cannot be read (unexpected end of data); check its quotes"
    )
    assert "byte 2 is not UTF-8; save the file as UTF-8" in message(from_file, b"a;\xff\n", ["a"])
    assert message(from_file, "a;*\n?;*\n", ["a"], settings={"null": ["?"]}) == (
        "the schema, column 'x': listed in the hierarchy or in order, but it means missing: 1 value ('?'); "
        "remove it from the hierarchy, or from null"
    )
    with pytest.raises(
        InputError, match=r"column 'x', gone.csv: this file does not exist; check the path gone.csv"
    ):
        quasi(["a"], hierarchy={"file": "gone.csv"})


def test_a_sensitive_file_shows_no_value(
    bound: Callable[..., BoundSchema], table: Callable[..., Counts], tmp_path: Path
) -> None:
    (tmp_path / "s.csv").write_text("a;A;X\na;B;X\nc;A;Y\n")
    entry = {"role": "sensitive", "hierarchy": {"file": str(tmp_path / "s.csv")}}
    with pytest.raises(InputError) as caught:
        bound(table(q=["1"], s=["a"]), {"q": {"role": "quasi", "hierarchy": {"flat": True}}, "s": entry})
    assert str(caught.value).splitlines() == [
        "the schema, column 's', s.csv, line 2: a value is also in line 1, with other sets; "
        "keep one of the two lines",
        "the schema, column 's', s.csv, line 3: not nested: its set of level 1 is in a different set of "
        "level 2 "
        "than in line 1; put a set into one set of the next level",
    ]


def test_paths_are_relative_to_the_folder(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(MARITAL)
    schema = schema_from({"columns": {"x": {"role": "quasi", "hierarchy": {"file": "s.csv"}}}}, tmp_path)
    assert schema == schema_from(
        {"columns": {"x": {"role": "quasi", "hierarchy": {"file": tmp_path / "s.csv"}}}}
    )


def test_devices_and_pipes_are_no_hierarchy_files(quasi: Quasi, tmp_path: Path) -> None:
    """Neither is waited for: /dev/zero never ends, and nobody writes to the pipe."""
    os.mkfifo(tmp_path / "pipe.csv")
    for path in ("/dev/zero", str(tmp_path / "pipe.csv")):
        with pytest.raises(
            InputError, match=r"it cannot be read \(this is not a regular file\); check the path"
        ):
            quasi(["a", "b"], hierarchy={"file": path})


def _table(content: str) -> LevelTable:
    kind = HierarchyFile.of("sets.csv", content)
    return level_table(ColumnSpec("x", "quasi", hierarchy=kind), Values("x", ()))


@pytest.mark.parametrize(
    ("content", "tree"),
    [
        (MARITAL, [{"Together": ["Married"]}, {"Apart": ["Divorced", "Widowed"]}]),
        # Without a top, sets are not in order of their lines.
        ("a;A\nb;B\nc;A\n", [{"A": ["a", "c"]}, {"B": ["b"]}]),
        # A value that stays as it is lies higher.
        ("a;A;X;*\nb;b;X;*\nc;c;c;*\n", [{"X": [{"A": ["a"]}, "b"]}, "c"]),
        # A set of one value with a name of its own.
        ("a;A;*\nb;b2;*\n", [{"A": ["a"]}, {"b2": ["b"]}]),
    ],
)
def test_a_file_as_a_tree(from_file: Quasi, quasi: Quasi, content: str, tree: list[Any]) -> None:
    """The tree has the sets of the file, level by level."""
    assert as_tree(_table(content)) == tree
    leaves = [line.split(";")[0] for line in content.splitlines()]
    assert labels(quasi(leaves, hierarchy={"tree": tree})) == labels(from_file(content, leaves))


@pytest.mark.parametrize(
    ("content", "tree"),
    [
        ("a;A;A;*\nb;A;A;*\nc;C;D;*\n", [{"A": ["a", "b"]}, {"D": [{"C": ["c"]}]}]),
        # The outer one has more in it.
        ("a;A;A;*\nb;A;A;*\nc;C;A;*\nd;d;d;*\n", [{"A": ["a", "b", {"C": ["c"]}]}, "d"]),
    ],
)
def test_sets_with_one_label_in_one_another_are_one_set_of_the_tree(content: str, tree: list[Any]) -> None:
    assert as_tree(_table(content)) == tree
    assert Tree.of(tree)
