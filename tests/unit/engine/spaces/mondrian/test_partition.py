"""Mondrian's parts: every one keeps what is required, and they are those of splitting row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretonym.base.errors import InputError, NoSolution
from paretonym.engine.counts.cube import Cube
from paretonym.engine.recoding.equivalence_classes import Classes
from paretonym.engine.spaces.mondrian.mondrian_space import PartsRecoding
from paretonym.engine.spaces.mondrian.partition import coarsest, partition
from paretonym.engine.spaces.mondrian.partition_requirement import required_of_parts
from paretonym.research.exams.random_tables import RandomTable, random_table
from tests.naive import parts as naive
from tests.naive.twin import Table
from tests.strategies import tables

REQUIREMENTS: tuple[Mapping[str, float], ...] = (
    {"k": 2},
    {"k": 5},
    {"l": 1.5},
    {"l-distinct": 2},
    {"l-entropy": 1.3},
    {"t": 0.4},
    {"t-js": 0.15},
    {"t-ordered": 0.3},
    {"delta": 1.2},
    {"k": 3, "t": 0.5},
    {"k": 2, "l": 1.2, "t-js": 0.3},
)


def shown_leaves(cube: Cube, classes: Classes) -> dict[tuple[frozenset[str | None], ...], int]:
    """The rows of each class by the values that it shows, None for what is missing."""
    found = {}
    for place in range(len(classes)):
        key = []
        for j, (axis, sets) in enumerate(zip(cube.axes, classes.sets, strict=True)):
            shown = int(classes.shown[place, j])
            leaves = axis.hierarchy.leaves[sets.first[shown] : sets.after[shown]]
            key.append(frozenset(None if leaf == "(missing)" else leaf for leaf in leaves))
        found[tuple(key)] = int(classes.rows[place])
    return found


def table_of(seed: int, kinds: tuple[str, ...] | None = None) -> RandomTable:
    return random_table(Random(f"parts {seed}"), rows=(5, 60), sensitive=1 + seed % 2, kinds=kinds)


def drawn_tables(**further: Any) -> st.SearchStrategy[RandomTable]:
    return tables(rows=(5, 60), sensitive=1, **further) | tables(rows=(5, 60), sensitive=2, **further)


@settings(max_examples=25)
@given(drawn_tables(bounds=False), st.booleans())
def test_equals_splitting_row_by_row(drawn: RandomTable, binary: bool) -> None:
    cube, table = drawn.study().cube, Table.of(drawn.rows, drawn.schema)
    # The order of masked values is that of their masks.
    masked = ("mask", "keep")
    binary &= not any(
        kind in entry.get("hierarchy", {}) for entry in drawn.schema["columns"].values() for kind in masked
    )
    for requirement in REQUIREMENTS:
        if not naive.keeps(table, list(table.rows), requirement):
            with pytest.raises(NoSolution):
                PartsRecoding.of(requirement, binary=binary).classes(cube)
            continue
        classes = PartsRecoding.of(requirement, binary=binary).classes(cube)
        slow = naive.parts(table, drawn.schema, requirement, binary)
        regions = {region: len(rows) for region, rows in slow.items()}
        assert shown_leaves(cube, classes) == regions, requirement
        assert all(naive.keeps(table, rows, requirement) for rows in slow.values()), requirement


def capped(drawn: RandomTable, generator: Random) -> RandomTable:
    """The same table, with a highest level for about half its columns."""
    entries = dict(drawn.schema["columns"])
    for column in drawn.study().bound.quasi:
        if generator.random() < 0.5:
            highest = generator.randint(0, column.hierarchy.height)
            entries[column.name] = {**entries[column.name], "levels": [0, highest]}
    return replace(drawn, schema={**drawn.schema, "columns": entries})


@pytest.mark.parametrize(
    "requirement", [{"k": 1}, {"k": 2}, {"k": 4}, {"l-distinct": 2}, {"t": 0.5}], ids=str
)
def test_nothing_is_coarser_than_the_highest_level(requirement: Mapping[str, float]) -> None:
    """Where a set of the highest level misses what is required there are no parts at all."""
    made = refused = 0
    for seed in range(30):
        kinds = ("intervals", "order", "tree", "flat")
        drawn = capped(table_of(seed, kinds), Random(f"capped {seed}"))
        cube, table = drawn.study().cube, Table.of(drawn.rows, drawn.schema)
        starts = naive.beginnings(table, drawn.schema)
        if not all(naive.keeps(table, rows, requirement) for rows in starts.values()):
            refused += 1
            with pytest.raises(NoSolution):
                PartsRecoding.of(requirement).classes(cube)
            continue
        made += len(starts) > 1
        classes = PartsRecoding.of(requirement).classes(cube)
        slow = naive.parts(table, drawn.schema, requirement)
        assert shown_leaves(cube, classes) == {region: len(rows) for region, rows in slow.items()}
        for region in slow:
            assert any(
                all(one <= other for one, other in zip(region, start, strict=True)) for start in starts
            )
    assert made
    assert refused or requirement == {"k": 1}


def test_ages_in_tens_at_most() -> None:
    """Four people in their twenties and two in their thirties: k = 3 would join them, a bound forbids it."""
    drawn = ages(20, 20, 22, 22, 30, 30)
    columns = {"age": {**drawn.schema["columns"]["age"], "levels": [0, 1]}}
    cube = replace(drawn, schema={"columns": columns}).study().cube
    assert PartsRecoding.of({"k": 3}).classes(drawn.study().cube).sets[0].labels == ("*",)
    classes = PartsRecoding.of({"k": 2}).classes(cube)
    assert dict(zip(classes.sets[0].labels, classes.rows.tolist(), strict=True)) == {
        "<21": 2,
        "[21, 30)": 2,
        "30+": 2,
    }
    with pytest.raises(NoSolution) as raised:
        PartsRecoding.of({"k": 3}).classes(cube)
    assert str(raised.value) == (
        "With 'age' no coarser than level 1 (levels in the schema), 1 of 2 parts miss k=3 before anything is "
        "split. Raise a highest level there, or require less."
    )


@settings(max_examples=60)
@given(drawn_tables())
def test_what_is_shown_holds_the_rows_and_tells_classes_apart(drawn: RandomTable) -> None:
    cube = drawn.study().cube
    # Sets of a highest level may hold a single row.
    least = min(2, np.bincount(coarsest(cube).of_tuple, weights=cube.counts).min())
    classes = PartsRecoding.of({"k": least}).classes(cube)
    for j, (axis, sets) in enumerate(zip(cube.axes, classes.sets, strict=True)):
        leaves = axis.hierarchy.levels[axis.lowest].groups
        shown = classes.shown[classes.of_tuple, j]
        first, after = sets.first[shown], sets.after[shown]
        unit = cube.groups[:, j]
        assert (leaves[first] <= unit).all()
        assert (unit <= leaves[after - 1]).all()
        assert len(set(sets.labels)) == len(sets.labels)
    assert classes.rows.sum() == cube.rows
    assert len({classes.labels(c) for c in range(len(classes))}) == len(classes)


def ages(*values: int) -> RandomTable:
    columns = {"age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10]}}}
    return RandomTable(tuple({"age": str(value)} for value in values), {"columns": columns})


def test_cut_at_the_median_until_k_is_lost() -> None:
    """Two people at each of 20 … 27 can be parted where two are enough, but not where four must have an age
    that a label shows. Five at 26 are too few for classes of seven and eight, eight are not. Labels name the
    cuts, not the ends."""
    twice = ages(*(2 * [*range(20, 28)])).study().cube
    assert PartsRecoding.of({"k": 4}).classes(twice).sets[0].labels == ("*",)
    assert PartsRecoding.of({"k": 2}).classes(twice).sets[0].labels == (
        "<21",
        *map(str, range(21, 27)),
        "27+",
    )
    fives = ages(20, 21, 22, *5 * [24], *5 * [26], 27, 28).study().cube
    assert PartsRecoding.of({"k": 5}).classes(fives).sets[0].labels == ("*",)
    classes = PartsRecoding.of({"k": 5}).classes(ages(20, 21, 22, *5 * [24], *8 * [26], 27).study().cube)
    assert classes.sets[0].labels == ("<26", "26+")
    assert classes.rows.tolist() == [8, 9]


def test_rows_with_one_value_stay_together() -> None:
    """Three of 20 and one of 30 cannot be halved evenly; with four alike nothing is left to split."""
    cube = ages(20, 20, 20, 30).study().cube
    assert len(PartsRecoding.of({"k": 2}).classes(cube)) == 1
    assert len(PartsRecoding.of({"k": 1}).classes(cube)) == 2


def test_a_tree_falls_into_the_children_of_the_node_that_holds_all() -> None:
    tree = {"Up": {"One": ["a", "b"], "Two": ["c", "d"]}, "Down": ["e"]}
    columns = {"place": {"role": "quasi", "hierarchy": {"tree": tree}}}
    rows = tuple({"place": value} for value in "aabccd")
    classes = PartsRecoding.of({"k": 3}).classes(RandomTable(rows, {"columns": columns}).study().cube)
    assert classes.sets[0].labels == ("One", "Two")
    classes = PartsRecoding.of({"k": 1}).classes(RandomTable(rows, {"columns": columns}).study().cube)
    assert classes.sets[0].labels == ("a", "b", "c", "d")


def test_binary_splits_cut_categories_behind_the_median_row() -> None:
    """Of a, a, b, c, c, d the third row is b; four of five are d, behind which nothing lies."""
    tree = {"Up": {"One": ["a", "b"], "Two": ["c"]}, "Down": ["d"]}
    columns = {"place": {"role": "quasi", "hierarchy": {"tree": tree}}}
    drawn = RandomTable(tuple({"place": value} for value in "aabccd"), {"columns": columns})
    recoding = PartsRecoding.of({"k": 3}, binary=True)
    assert recoding.classes(drawn.study().cube).sets[0].labels == ("One", "{c, d}")
    assert PartsRecoding.from_json(recoding.as_json()) == recoding
    drawn = RandomTable(tuple({"place": value} for value in "adddd"), {"columns": columns})
    assert PartsRecoding.of({"k": 1}, binary=True).classes(drawn.study().cube).sets[0].labels == ("*",)


def test_what_is_missing_stands_alone_beside_the_line() -> None:
    drawn = ages(20, 21, 30, 31)
    rows = (*drawn.rows, {"age": None}, {"age": None})
    cube = RandomTable(rows, {**drawn.schema, "missing": "value"}).study().cube
    classes = PartsRecoding.of({"k": 2}).classes(cube)
    assert set(classes.sets[0].labels) == {"<30", "30+", "(missing)"}
    classes = PartsRecoding.of({"k": 3}).classes(cube)
    assert classes.sets[0].labels == ("*",)


@pytest.mark.parametrize("extreme", [5, 19, 69, 79, 80, 130])
def test_labels_at_the_ends_do_not_say_where_one_person_is(extreme: int) -> None:
    """Beyond the last boundary there may be one person, or none: the label is the same."""
    cube = ages(*range(20, 68), extreme).study().cube
    labels = PartsRecoding.of({"k": 5}).classes(cube).sets[0].labels
    assert {label for label in labels if label[0] == "<" or label[-1] == "+"} == {"<30", "60+"}
    assert not any(label.startswith("[20, ") or label.endswith((", 80)", ", 70)")) for label in labels)


def test_a_value_without_a_place_is_shown_as_everything() -> None:
    columns = {"sex": {"role": "quasi", "order": ["f", "m"], "unknown": "top"}}
    rows = tuple({"sex": value} for value in "ffmmxx")
    classes = PartsRecoding.of({"k": 2}).classes(RandomTable(rows, {"columns": columns}).study().cube)
    assert sorted(classes.sets[0].labels) == ["*", "f", "m"]
    assert classes.sets[0].sizes[classes.sets[0].labels.index("*")] == 2


def test_one_is_the_same_in_every_run() -> None:
    cube = table_of(3).study().cube
    first, second = (partition(cube, required_of_parts({"k": 2})) for _ in range(2))
    assert first.of_tuple.tolist() == second.of_tuple.tolist()
    recoding = PartsRecoding.of({"k": 2, "t-js": 0.15})
    assert recoding.as_json() == {"requirement": {"k": 2, "t-js": 0.15}, "keep": {}}
    assert PartsRecoding.from_json(recoding.as_json()) == recoding


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        ({"kk": 2}, "sweep: 'kk' cannot be required of a part; did you mean 'k'?"),
        ({"k@s0": 2}, "sweep: 'k@s0' names a column, but k does not take one; use k"),
        ({"l@s9": 2}, "sweep: 's9' is not a column of role 'sensitive'; known: s0"),
    ],
)
def test_refused(requirement: Mapping[str, float], said: str) -> None:
    with pytest.raises(InputError) as error:
        PartsRecoding.of(requirement).classes(table_of(0).study().cube)
    assert str(error.value).startswith(said)


def test_without_sensitive_column_only_k() -> None:
    with pytest.raises(InputError, match="t-js needs a column of role 'sensitive', but the schema has none"):
        PartsRecoding.of({"t-js": 0.1}).classes(ages(20, 30).study().cube)


def test_nothing_is_made_that_the_whole_table_misses() -> None:
    with pytest.raises(NoSolution, match="Even the whole table as one part does not have k=5"):
        PartsRecoding.of({"k": 5}).classes(ages(20, 30).study().cube)


def test_labels_are_no_finer_than_the_lowest_level_that_may_be_shown() -> None:
    age = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10]}, "levels": [1, 2]}
    rows = tuple({"age": value} for value in ["23", "23", "34", "36", "47", "47", "58", "58"])
    cube = RandomTable(rows, {"columns": {"age": age}}).study().cube
    assert PartsRecoding.of({"k": 2}).classes(cube).sets[0].labels == (
        "<30", "[30, 40)", "[40, 50)", "50+",
    )  # fmt: skip
    assert PartsRecoding.of({"k": 4}).classes(cube).sets[0].labels == ("<40", "40+")


def test_dates_and_ordered_values_are_labelled_as_cuts_are() -> None:
    born = {"role": "quasi", "type": "date", "hierarchy": {"flat": True}}
    rows = tuple({"born": f"200{year}-05-01"} for year in (0, 1, 1, 1, 2, 2, 2, 2, 3))
    cube = RandomTable(rows, {"columns": {"born": born}}).study().cube
    labels = PartsRecoding.of({"k": 3}).classes(cube).sets[0].labels
    assert labels == ("before 2002-05-01", "from 2002-05-01")
    size = {"role": "quasi", "order": ["low", "middle", "high", "top"]}
    rows = tuple({"size": value} for value in ("low", "middle", "high", "top"))
    cube = RandomTable(rows, {"columns": {"size": size}}).study().cube
    assert PartsRecoding.of({"k": 2}).classes(cube).sets[0].labels == ("low … middle", "high … top")
