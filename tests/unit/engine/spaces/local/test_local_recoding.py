"""Local recoding: classes of a sequence of nodes and of a partition beside plain counting, mixed labels, and
an attacker who knows the algorithm."""

from __future__ import annotations

import json
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pyarrow
import pytest

from paretonym.base.errors import Bug, InputError
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.recoding.suppression import parse_keep
from paretonym.engine.spaces.local.closure import mixed_sets, smallest_sets
from paretonym.engine.spaces.local.local_recoding import LocalRecoding
from paretonym.research.exams.random_tables import RandomTable, random_table
from paretonym.study.study import Study
from tests.naive.levels import Shown
from tests.naive.local import Nodes, local_release, look, shown_at
from tests.naive.twin import VALUES, Table

MEASURES = ("k", "gl", "sl", "loss", "discernibility", "average-class", "l", "t", "t-js", "uniques")


def drawn(seed: int) -> tuple[RandomTable, Study, Nodes, int]:
    """A table, some nodes of its lattice in any order, and a class size."""
    generator = Random(f"nodes {seed}")
    table = random_table(generator, quasi=(1, 3), rows=(1, 30), sensitive=1)
    study = table.study()
    nodes = [
        tuple(generator.randint(axis.lowest, axis.highest) for axis in study.cube.axes)
        for _ in range(generator.randint(1, 4))
    ]
    return table, study, tuple(dict.fromkeys(nodes)), generator.randint(1, 6)


def recoding(study: Study, nodes: Nodes, k: int) -> LocalRecoding:
    names = [axis.name for axis in study.cube.axes]
    sequence = tuple(tuple(zip(names, levels, strict=True)) for levels in nodes)
    return LocalRecoding(sequence, parse_keep({"k": f">={k}"}))


@pytest.mark.parametrize("seed", range(40))
def test_classes_are_those_of_plain_counting(seed: int) -> None:
    table, study, nodes, k = drawn(seed)
    plain = local_release(Table.of(table.rows, table.schema), nodes, k)
    if plain is None:
        return
    classes = recoding(study, nodes, k).classes(study.cube)
    assert sorted(classes.rows.tolist()) == sorted(map(len, plain.classes.values()))
    if not plain.kept:
        return
    made = Realized.of(recoding(study, nodes, k), study.cube)
    assert made.suppressed == plain.gone
    found = made.measure(*MEASURES)
    for name in MEASURES:
        assert found[name] == pytest.approx(float(VALUES[name][1](plain)), rel=5.1e-10, abs=1e-12), name


@pytest.mark.parametrize("seed", range(40))
def test_somebody_who_knows_the_algorithm_and_everybody_finds_k_rows(seed: int) -> None:
    """The attacker has the file, and knows the nodes, the hierarchies, k, and the quasi-identifiers of all
    people in the table. So it is known for each person who is shown at which node, and who else is in the
    same class; but not which row of the class belongs to whom: they look the same, and are k or more."""
    table, study, nodes, k = drawn(seed)
    known = Table.of(table.rows, table.schema)
    node_of = shown_at(known, nodes, k)
    if all(node is None for node in node_of):
        return
    made = Realized.of(recoding(study, nodes, k), study.cube)
    members: dict[tuple[Shown, ...], int] = {}
    for row, node in zip(known.rows, node_of, strict=True):
        if node is not None:
            shown = look(known, row, nodes[node])
            members[shown] = members.get(shown, 0) + 1
    assert min(members.values()) >= k
    # Rows that no node shows may look like a class that is shown: then they belong to it.
    assert all(size >= k for size in made.sizes.tolist())
    assert sum(made.sizes.tolist()) >= sum(members.values())


@pytest.mark.parametrize("seed", range(40))
def test_a_partition_shows_the_smallest_sets(seed: int) -> None:
    _, study, _, _ = drawn(seed)
    cube, generator = study.cube, Random(seed)
    of_tuple = np.array([generator.randint(0, 3) for _ in range(cube.tuples)])
    classes = smallest_sets(cube, of_tuple)
    assert len(classes) <= len(set(of_tuple.tolist()))
    for j, axis in enumerate(cube.axes):
        shown = classes.shown[classes.of_tuple, j]
        first, after = classes.sets[j].first[shown], classes.sets[j].after[shown]
        leaves = axis.unit_ends[:-1][cube.groups[:, j]]
        strays = classes.sets[j].sizes[shown] == axis.hierarchy.domain
        assert (((first <= leaves) & (leaves < after)) | strays).all()
        # The level below would divide some class that shows a set.
        levels = classes.levels(cube.axes)[classes.of_tuple, j]
        for number in set(of_tuple.tolist()):
            members = of_tuple == number
            level = int(levels[members][0])
            assert len(set(axis.mapping(axis.lowest, level)[cube.groups[members, j]].tolist())) == 1
            if level > axis.lowest:
                below = axis.mapping(axis.lowest, level - 1)[cube.groups[members, j]]
                assert len(set(below.tolist())) > 1


def test_a_partition_is_read_back() -> None:
    study = ages(31, 32, 33, 51, 71, 72)
    made = LocalRecoding.of_classes(np.array([5, 5, 2, 2, 0, 0]), parse_keep({"k": ">=2"}))
    assert made == LocalRecoding.of_classes(np.array([0, 0, 1, 1, 2, 2]), made.keep)
    assert LocalRecoding.from_json(json.loads(json.dumps(made.as_json()))) == made
    frame = study.realized(made)
    shown = {frame.classes.labels(place) for place in range(len(frame.classes))}
    assert shown == {("[30, 40)",), ("*",), ("[70, 80)",)}
    with pytest.raises(Bug, match="another number of tuples"):
        ages(31, 32).realized(made)


def ages(*values: int, **further: object) -> Study:
    column = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10, 40]}, **further}
    return Study(pyarrow.table({"age": [str(value) for value in values]}), {"columns": {"age": column}})


def test_levels_are_mixed_readably() -> None:
    study = ages(31, 32, 33, 51, 71, 72)
    made = recoding(study, ((1,), (2,)), 3)
    frame = study.realized(made)
    shown = {frame.classes.labels(place) for place in range(len(frame.classes))}
    assert shown == {("[30, 40)",), ("[40, 80)",)}
    assert frame.classes.sets[0].mixed == (1, 2)


def test_a_label_means_one_set_in_all_levels() -> None:
    for seed in range(30):
        for axis in random_table(Random(seed), quasi=(2, 3), rows=(5, 20)).study().cube.axes:
            sets, places = mixed_sets(axis, range(axis.lowest, axis.highest + 1))
            assert len(set(sets.labels)) == len(sets.labels)
            for level, own in places.items():
                labels = axis.hierarchy.levels[level].labels
                assert tuple(sets.labels[place] for place in own.tolist()) == labels


def test_values_outside_the_hierarchy_join_the_class_that_shows_everything() -> None:
    column = {"role": "quasi", "unknown": "top", "hierarchy": {"tree": {"A": ["a", "b"], "C": ["c", "d"]}}}
    cells = ["a", "a", "?x", "?y", "b", "c"]
    study = Study(pyarrow.table({"v": cells}), {"columns": {"v": column}})
    made = Realized.of(recoding(study, ((0,), (2,)), 2), study.cube)
    shown = {made.classes.labels(c): rows for c, rows in enumerate(made.classes.rows.tolist())}
    # Both strange values are one class at the first node; b and c show the same at the second.
    assert shown == {("a",): 2, ("*",): 4}


def test_a_recoding_is_read_back_and_named() -> None:
    study = ages(31, 32, 33, 51, 71, 72)
    made = recoding(study, ((1,), (2,)), 3)
    entry = json.loads(json.dumps(made.as_json()))
    assert entry == {"sequence": [{"age": 1}, {"age": 2}], "keep": {"k": ">=3"}}
    assert LocalRecoding.from_json(entry) == made
    assert made.flat() == {"classes of at least": 3}
    assert made.known_levels == {}


@pytest.mark.parametrize("entry", [
    {"sequence": [], "keep": {"k": ">=2"}},
    {"sequence": [{"a": 1}], "partition": "AAAA", "keep": {"k": ">=2"}},
    {"sequence": [{"a": 1}], "keep": {"l": ">=2"}},
])  # fmt: skip
def test_a_recoding_has_one_form_and_a_class_size(entry: dict[str, Any]) -> None:
    with pytest.raises(Bug, match="a partition or a sequence of nodes, and a class size, are needed"):
        LocalRecoding.from_json(entry)


def test_many_people_who_look_alike_do_not_hide_who_is_in_the_table() -> None:
    """Why the space has no k-map: twelve people look alike, ten of 31 and two of 35 years, and both of those
    are in every table that could have been released like this one."""
    people = [(number, 31 if number < 10 else 35) for number in range(12)]

    def released(*years: int) -> list[tuple[tuple[str, ...], int]]:
        study = ages(*years)
        made = Realized.of(recoding(study, ((0,), (1,)), 3), study.cube)
        rows = made.classes.rows.tolist()
        return [(made.classes.labels(place), rows[place]) for place in np.flatnonzero(made.stays).tolist()]

    shown = {years: released(*years) for years in [(31, 31, 35, 35), (31, 31, 31, 35), (31, 31, 31, 31)]}
    seen = shown[31, 31, 35, 35]
    assert seen == [(("[30, 40)",), 4)]
    possible = [
        table
        for table in combinations(people, 4)
        if shown[tuple(sorted(years for _, years in table))] == seen  # type: ignore[index]
    ]
    assert possible
    assert all({(10, 35), (11, 35)} <= set(table) for table in possible)


def test_k_map_is_refused_with_the_reason() -> None:
    column = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [10]}}
    cells = pyarrow.table({"age": ["31", "31", "35", "35"]})
    study = Study(cells, {"columns": {"age": column}}, population_file=cells)
    with pytest.raises(InputError, match="prove that somebody is in the table, however many people"):
        study.explore("k-map", "loss", space="local")
