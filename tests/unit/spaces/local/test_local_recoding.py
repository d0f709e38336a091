"""Local recoding: classes of a chain beside plain counting, mixed labels, and an attacker who knows the
algorithm."""

from __future__ import annotations

import json
from itertools import combinations
from random import Random

import numpy as np
import pyarrow
import pytest

from paretonym.errors import Bug, InputError
from paretonym.measures.recoded_counts import Realized
from paretonym.recoding.class_condition import parse_keep
from paretonym.run.study import Study
from paretonym.spaces.local.local_recoding import Chain, LocalRecoding, mixed_sets
from paretonym.testing.random_tables import RandomTable, random_table
from tests.naive.chains import local_release, look, shown_at
from tests.naive.levels import Shown
from tests.naive.twin import VALUES, Table

MEASURES = ("k", "gl", "sl", "loss", "discernibility", "average-class", "l", "t", "t-js", "uniques")


def drawn(seed: int) -> tuple[RandomTable, Study, Chain, int]:
    """A table, a chain of its lattice, and a class size."""
    generator = Random(f"chain {seed}")
    table = random_table(generator, quasi=(1, 3), rows=(1, 30), sensitive=1)
    study = table.study()
    levels = tuple(axis.lowest for axis in study.cube.axes)
    chain = []
    for _ in range(generator.randint(1, 4)):
        levels = tuple(
            generator.randint(level, axis.highest)
            for level, axis in zip(levels, study.cube.axes, strict=True)
        )
        if levels not in chain:
            chain.append(levels)
    return table, study, tuple(chain), generator.randint(1, 6)


def recoding(study: Study, chain: Chain, k: int) -> LocalRecoding:
    names = [axis.name for axis in study.cube.axes]
    nodes = tuple(tuple(zip(names, levels, strict=True)) for levels in chain)
    return LocalRecoding(nodes, parse_keep({"k": f">={k}"}))


@pytest.mark.parametrize("seed", range(40))
def test_classes_are_those_of_plain_counting(seed: int) -> None:
    table, study, chain, k = drawn(seed)
    plain = local_release(Table.of(table.rows, table.schema), chain, k)
    classes = recoding(study, chain, k).classes(study.cube)
    assert sorted(classes.rows.tolist()) == sorted(map(len, plain.classes.values()))
    if not plain.kept:
        return
    made = Realized.of(recoding(study, chain, k), study.cube)
    assert made.suppressed == plain.gone
    found = made.measure(*MEASURES)
    for name in MEASURES:
        assert found[name] == pytest.approx(float(VALUES[name][1](plain)), rel=5.1e-10, abs=1e-12), name


@pytest.mark.parametrize("seed", range(40))
def test_somebody_who_knows_the_algorithm_and_everybody_finds_k_rows(seed: int) -> None:
    """The attacker has the file, and knows the chain, the hierarchies, k, and the quasi-identifiers of all
    people in the table. So it is known for each person who is shown at which node, and who else is in the
    same class; but not which row of the class belongs to whom: they look the same, and are k or more."""
    table, study, chain, k = drawn(seed)
    known = Table.of(table.rows, table.schema)
    nodes = shown_at(known, chain, k)
    if all(node is None for node in nodes):
        return
    made = Realized.of(recoding(study, chain, k), study.cube)
    in_file = sorted(made.sizes.tolist())
    members: dict[tuple[Shown, ...], int] = {}
    for row, node in zip(known.rows, nodes, strict=True):
        if node is not None:
            members[look(known, row, chain[node])] = members.get(look(known, row, chain[node]), 0) + 1
    # A person whose class at an earlier node is shown is in it; the others are exactly the later class.
    assert sorted(members.values()) == in_file
    assert min(in_file) >= k


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
    cells = ["a", "a", "?x", "?y", "c", "d"]
    study = Study(pyarrow.table({"v": cells}), {"columns": {"v": column}})
    made = Realized.of(recoding(study, ((0,), (2,)), 2), study.cube)
    shown = {made.classes.labels(c): rows for c, rows in enumerate(made.classes.rows.tolist())}
    # Both strange values are one class at the first node; c and d show the same at the second.
    assert shown == {("a",): 2, ("*",): 4}


def test_a_recoding_is_read_back_and_named() -> None:
    study = ages(31, 32, 33, 51, 71, 72)
    made = recoding(study, ((1,), (2,)), 3)
    entry = json.loads(json.dumps(made.as_json()))
    assert entry == {"chain": [{"age": 1}, {"age": 2}], "keep": {"k": ">=3"}}
    assert LocalRecoding.from_json(entry) == made
    assert made.flat() == {"levels of age": "1-2"}
    assert made.known_levels == {"age": (1, 2)}


@pytest.mark.parametrize(
    ("chain", "keep"), [([], {"k": ">=2"}), ([{"a": 2}, {"a": 1}], {"k": ">=2"}), ([{"a": 1}], {"l": ">=2"})]
)
def test_a_chain_rises_and_has_a_class_size(chain: list[dict[str, int]], keep: dict[str, str]) -> None:
    with pytest.raises(Bug, match="a chain of nodes that rise, and a class size, are needed"):
        LocalRecoding.from_json({"chain": chain, "keep": keep})


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
