"""Hierarchies of every kind are sound over any values, and a schema meets any table without a crash."""

from __future__ import annotations

import datetime
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.base.errors import InputError
from paretonym.tables.schema.bound_schema import BoundSchema
from paretonym.tables.schema.hierarchies.hierarchy import Hierarchy
from paretonym.tables.schema.model import Schema
from paretonym.tables.schema.schema_binding import bind
from paretonym.tables.schema.schema_file import read_schema, schema_from, write_schema
from paretonym.tables.schema.schema_summary import summarize
from paretonym.tables.source.table_counts import Column, Counts

Entry = dict[str, Any]

words = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5)
codes = st.text("01*", min_size=1, max_size=5)
whole_numbers = st.integers(-(10**4), 10**4).map(str)
decimals = st.decimals(-1000, 1000, places=2, allow_nan=False).map(str)
dates = st.dates(datetime.date(1000, 1, 1)).map(str)
awkward = st.sampled_from(
    ["*", "(missing)", "?", "", " ", "[0, 5)", "1*", "* (level 1)", "07", "7", "7.0", "1e3"]
)


def table_of(**columns: list[str | None]) -> Counts:
    built = []
    for name, cells in columns.items():
        distinct: dict[str, int] = {}
        numbers = [-1 if cell is None else distinct.setdefault(cell, len(distinct)) for cell in cells]
        texts = tuple(distinct)
        values = pa.array(texts, type=pa.string())
        built.append(Column(name, "text", values, texts, np.array(numbers, dtype=np.int32)))
    return Counts.of_rows("people.csv", built)


@st.composite
def intervals(draw: st.DrawFn) -> Entry:
    widths = [draw(st.sampled_from([1, 5, 0.25, 7]))]
    for factor in draw(st.lists(st.integers(2, 4), max_size=3)):
        widths.append(widths[-1] * factor)
    entry: Entry = {"hierarchy": {"intervals": widths, "origin": draw(st.integers(-3, 3))}}
    return entry | draw(coding())


@st.composite
def breaks(draw: st.DrawFn) -> Entry:
    bands = [sorted(draw(st.sets(st.integers(-100, 100), min_size=1, max_size=6)))]
    while len(bands[-1]) > 1 and draw(st.booleans()):
        bands.append(bands[-1][::2] if len(bands[-1]) > 2 else bands[-1][1:])
    return {"hierarchy": {"breaks": bands}} | draw(coding())


@st.composite
def coding(draw: st.DrawFn) -> Entry:
    bottom = draw(st.none() | st.integers(-50, 50))
    top = draw(st.none() | st.integers(51, 90))
    return {key: end for key, end in (("bottom", bottom), ("top", top)) if end is not None}


def listed_tree(leaves: list[str]) -> st.SearchStrategy[Entry]:
    """A random ragged tree over these leaves, with labels that may look like leaves."""

    @st.composite
    def tree(draw: st.DrawFn) -> Entry:
        nodes: list[Any] = list(leaves)
        for number in range(draw(st.integers(0, 5))):
            start = draw(st.integers(0, len(nodes) - 1))
            end = draw(st.integers(start + 1, len(nodes)))
            label = leaves[number] if number < len(leaves) and draw(st.booleans()) else f"set {number}"
            nodes[start:end] = [{label: nodes[start:end]}]
        return {"hierarchy": {"tree": nodes}}

    return tree()


numeric_kinds = intervals() | breaks() | coding().map(lambda ends: {"hierarchy": {"flat": True}, **ends})
text_kinds = st.sampled_from(
    [{"flat": True}, *({"mask": count} for count in (1, 3, 6)), {"keep": [1]}, {"keep": [4, 2, 1]}]
).map(lambda kind: {"hierarchy": kind})
date_kinds = st.sampled_from(
    [["month"], ["year", "decade"], ["month", "quarter", "year", "decade"], ["quarter"]]
).map(lambda units: {"hierarchy": {"date": units}})


def assert_sound(hierarchy: Hierarchy) -> None:
    """The slow, obvious twin of the check that every builder runs: sets as sets."""
    domain = range(hierarchy.domain)
    everything = frozenset(domain)
    meanings: dict[str, frozenset[int]] = {}
    below: list[frozenset[int]] = [frozenset({leaf}) for leaf in domain]
    for level in hierarchy.levels:
        assert (np.diff(level.groups) >= 0).all()
        sets = [
            frozenset(leaf for leaf in domain if level.groups[leaf] == g) for g in range(len(level.labels))
        ]
        shown = [members or everything for members in sets]
        pairs = zip(level.labels, shown, strict=True)
        assert [len(members) for members in shown] == level.sizes.tolist()
        assert all(meanings.setdefault(label, members) == members for label, members in pairs)
        assert all(any(finer <= members for members in sets) for finer in below)
        below = [members for members in sets if members]
    assert below == [everything]
    assert len(hierarchy.levels[-1].labels) == 1


def assert_each_row_has_its_leaf(bound: BoundSchema, table: Counts) -> None:
    kept = ~table.dropped(bound.omitted)
    for quasi in bound.quasi:
        leaves = quasi.lookup[table.column(quasi.name).codes[kept]]
        assert (leaves >= 0).all()
        assert (leaves < len(quasi.hierarchy.leaves)).all()
    for sensitive in bound.sensitive:
        values = sensitive.lookup[table.column(sensitive.name).codes[kept]]
        assert (values >= 0).all()
        assert (values < len(sensitive.values)).all()


def assert_bound(bound: BoundSchema, schema: Schema, table: Counts) -> None:
    for quasi in bound.quasi:
        assert_sound(quasi.hierarchy)
    for sensitive in bound.sensitive:
        if sensitive.tree is not None:
            assert_sound(sensitive.tree)
    assert_each_row_has_its_leaf(bound, table)
    summary = summarize(schema, table, bound)
    assert all(level.largest_rows <= bound.rows for column in summary.columns for level in column.levels)


def check(cells: list[str | None], entry: Entry, missing: str = "value") -> None:
    """Binds a quasi-identifier and a sensitive column with the same cells and hierarchy."""
    table = table_of(q=cells, s=cells)
    columns = {"q": {"role": "quasi", **entry}, "s": {"role": "sensitive", "level": 0, **entry}}
    schema = schema_from({"null": ["?"], "missing": missing, "columns": columns})
    assert_bound(bind(schema, table), schema, table)


@settings(deadline=None)
@given(st.lists(whole_numbers | decimals | st.none(), min_size=1, max_size=30), numeric_kinds)
def test_hierarchies_of_numbers(cells: list[str | None], entry: Entry) -> None:
    check(cells, entry)


@settings(deadline=None)
@given(st.lists(words | codes | awkward | st.none(), min_size=1, max_size=30), text_kinds)
def test_hierarchies_of_texts(cells: list[str | None], entry: Entry) -> None:
    check(cells, entry)


@settings(deadline=None)
@given(st.lists(dates | st.none(), min_size=1, max_size=30), date_kinds)
def test_hierarchies_of_dates(cells: list[str | None], entry: Entry) -> None:
    check(cells, entry)


leaf_lists = st.lists(
    (words | codes | awkward).filter(lambda text: text.strip() not in ("", "?")),
    unique=True,
    min_size=1,
    max_size=12,
)


@settings(deadline=None)
@given(leaf_lists, st.data())
def test_trees_and_orders(leaves: list[str], data: st.DataObject) -> None:
    entry = data.draw(listed_tree(leaves))
    cells: list[str | None] = data.draw(st.lists(st.sampled_from([*leaves, None]), min_size=1, max_size=20))
    check(cells, entry)
    check(cells, {**entry, "order": leaves})
    check([*cells, "no such leaf"], {**entry, "unknown": "top"})


@settings(deadline=None)
@given(leaf_lists, st.integers(1, 4), st.data())
def test_files(leaves: list[str], depth: int, data: st.DataObject) -> None:
    columns = [list(leaves)]
    for level in range(depth):
        inner = list(dict.fromkeys(columns[-1]))
        outer = {label: data.draw(st.sampled_from([f"{level}a", "b", "*", inner[0]])) for label in inner}
        columns.append([outer[label] for label in columns[-1]])
    rows = zip(*columns, strict=True)
    lines = [";".join(f'"{field.replace(chr(34), chr(34) * 2)}"' for field in row) for row in rows]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "sets.csv").write_text("\n".join(lines), encoding="utf-8", newline="")
        check([leaves[0], None], {"hierarchy": {"file": str(Path(folder) / "sets.csv")}})


any_cells = st.lists(words | codes | whole_numbers | dates | awkward | st.none(), min_size=3, max_size=3)
any_kind: st.SearchStrategy[Entry] = (
    numeric_kinds | text_kinds | date_kinds | leaf_lists.flatmap(listed_tree) | st.just({})
)
any_entry = st.builds(
    lambda kind, others: {**kind, **others},
    any_kind,
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(
                ["quasi", "sensitive", "class", "other", "identifier", "drop", "undecided"]
            )
        },
        optional={
            "type": st.sampled_from(["text", "integer", "decimal", "date", "boolean"]),
            "missing": st.sampled_from(["drop", "value"]),
            "unknown": st.just("top"),
            "level": st.integers(0, 3),
            "levels": st.tuples(st.integers(0, 2), st.integers(0, 5)),
            "order": leaf_lists,
            "kept": st.just("yes"),
            "granularity": st.integers(0, 3),
            "format": st.sampled_from(["%d.%m.%Y", "%Y", "", "%"]),
        },
    ),
)
any_settings = st.fixed_dictionaries(
    {},
    optional={
        "null": st.just(["?"]),
        "missing": st.sampled_from(["drop", "value"]),
        "rows": st.just("events"),
    },
)


@settings(deadline=None, max_examples=300)
@given(
    st.dictionaries(st.sampled_from("abc"), any_cells, min_size=1),
    st.dictionaries(st.sampled_from("abc"), any_entry),
    any_settings,
)
def test_any_schema_meets_any_table_or_says_why_not(
    columns: dict[str, list[str | None]], entries: dict[str, Entry], others: Entry
) -> None:
    table = table_of(**columns)
    try:
        schema = schema_from({"columns": entries, **others})
        bound = bind(schema, table)
    except InputError:
        return
    assert_bound(bound, schema, table)


json_like: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
column_keys = st.sampled_from(
    [
        "role",
        "type",
        "hierarchy",
        "order",
        "bottom",
        "top",
        "levels",
        "importance",
        "level",
        "unknown",
        "kept",
    ]
)
kind_keys = st.sampled_from(["intervals", "breaks", "mask", "keep", "date", "file", "flat", "tree", "origin"])


@settings(deadline=None)
@given(st.dictionaries(column_keys, json_like), st.dictionaries(kind_keys, json_like), json_like)
def test_reading_anything_gives_a_schema_or_an_input_error(entry: Entry, kind: Entry, null: Any) -> None:
    for hierarchy in (entry.get("hierarchy"), kind):
        try:
            schema_from({"null": null, "columns": {"x": {"role": "quasi", **entry, "hierarchy": hierarchy}}})
        except InputError as error:
            assert str(error).startswith("the schema")  # noqa: PT017


@settings(deadline=None)
@given(st.dictionaries(words, any_entry, max_size=3), any_settings)
def test_a_schema_reads_back_as_it_was_written(entries: dict[str, Entry], others: Entry) -> None:
    try:
        schema = schema_from({"columns": entries, **others})
    except InputError:
        return
    with tempfile.TemporaryDirectory() as folder:
        write_schema(schema, Path(folder))
        again = read_schema(Path(folder) / "schema.toml")
    assert again == schema
    assert again.digest() == schema.digest()
