"""The searches of local recodings: beside full enumeration, never worse than the lattice, above the floor,
repeatable."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pyarrow
import pytest

from paretonym.base.errors import InputError, NoSolution
from paretonym.engine.search.floor import floors
from paretonym.engine.spaces.local import local_table, partition_search
from paretonym.engine.spaces.local.local_table import LocalTable, SequenceCounts
from paretonym.research.exams.random_tables import RandomTable, random_table
from paretonym.research.exams.search_exam import dominates
from paretonym.study.study import Study
from tests.naive.local import local_frontier
from tests.naive.twin import Table, comparable

QUESTIONS = (("k", "loss"), ("k", "l", "loss"), ("t", "gl"), ("k", "discernibility"), ("l", "loss", "sl"))


def small(seed: int, most: int = 5) -> RandomTable:
    generator = Random(f"small {seed}")
    while True:
        table = random_table(generator, quasi=(1, 2), rows=(2, 12), sensitive=1)
        if table.study().cube.tuples <= most:
            return table


@pytest.mark.parametrize("seed", range(12))
def test_the_frontier_of_a_tiny_table_is_that_of_plain_enumeration(seed: int) -> None:
    table, names = small(seed), QUESTIONS[seed % len(QUESTIONS)]
    fraction = ("0", "0.2", "0.4")[seed % 3]
    study, plain = table.study(), Table.of(table.rows, table.schema)
    truth = local_frontier(plain, names, Fraction(fraction))
    found = study.explore(*names, space="local", suppress=fraction)
    assert found.search.complete
    rounded = {tuple(float(comparable(float(value))) for value in vector) for vector in truth}
    assert {tuple(each.values[name] for name in names) for each in found} == rounded


@pytest.mark.parametrize("seed", range(10))
def test_never_worse_than_the_lattice_nor_better_than_everything(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all partitions are tried, and where the search is as for larger tables."""
    study = small(seed).study()
    lattice = study.explore("k", "loss", suppress="0.2", space="lattice")
    every = study.explore("k", "loss", suppress="0.2", space="local")
    monkeypatch.setattr(partition_search, "FEW_PARTITIONS", 0)
    local = study.explore("k", "loss", suppress="0.2", space="local")
    directions = tuple(objective.direction for objective in local.objectives)
    assert (every.search.complete, local.search.complete) == (True, False)

    def rows(run: Any) -> list[tuple[float, ...]]:
        return [(each.values["k"], each.values["loss"]) for each in run]

    for vector in rows(local):
        assert not any(dominates(vector, other, directions) for other in rows(every))
    for vector in rows(lattice):
        for better in (local, every):
            assert any(vector == other or dominates(other, vector, directions) for other in rows(better))


def test_a_release_that_no_chain_of_nodes_reaches() -> None:
    """Three rows stay as they are, four are joined across two columns."""
    cells = {
        "a": ["a0", "a1", "a0", "a1", "a0", "a2", "a0", "a0", "a0", "a2"],
        "b": ["14", "14", "14", "14", "16", "14", "16", "14", "14", "14"],
    }
    tree = {"Fa0": ["a0", "a1"], "Fa1": ["a2"]}
    columns = {
        "a": {"role": "quasi", "hierarchy": {"tree": tree}},
        "b": {"role": "quasi", "importance": 2, "type": "integer", "hierarchy": {"intervals": [2, 6]}},
    }
    found = Study(pyarrow.table(cells), {"columns": columns}).explore(
        "k", "loss", space="local", suppress="0"
    )
    assert (4, 0.5) in {(each["k"], each["loss"]) for each in found}


@pytest.mark.parametrize("wide", [False, True])
def test_the_same_seed_gives_the_same_frontier_with_any_number_of_threads(
    wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From sequences of nodes, and from neighbours on a line."""
    if wide:
        monkeypatch.setattr(SequenceCounts, "small", False)
    study = random_table(Random(3), quasi=(3, 3), rows=(60, 60), sensitive=1).study()
    found = [
        study.explore("k", "l", "loss", space="local", suppress="0.1", threads=threads, seed=4)
        for threads in (1, 2)
    ]
    assert [each.as_json() for each in found[0]] == [each.as_json() for each in found[1]]
    assert found[0].search.seed == 4
    for each in found[0]:
        measured = study.realized(each.recoding).measure("k", "loss")
        assert measured == {name: each.values[name] for name in measured}


@pytest.mark.parametrize("seed", range(8))
def test_no_release_is_below_the_floor(seed: int) -> None:
    study = random_table(Random(f"floor {seed}"), quasi=(2, 3), rows=(40, 80)).study()
    found = list(study.explore("k", "loss", space="local", suppress="0.1"))
    for each, least in zip(found, floors(study.cube, [int(each["k"]) for each in found]), strict=True):
        assert least <= each["loss"] + 1e-10


@pytest.mark.parametrize("seed", range(8))
def test_rebuilding_never_costs_more_and_keeps_to_the_limit(seed: int) -> None:
    cube = random_table(Random(f"rebuilt {seed}"), quasi=(2, 4), rows=(60, 120)).study().cube
    local, generator, k, allowed = LocalTable.of(cube), np.random.default_rng(seed), 3, 5
    of_tuple = local.divided(k, 20, local.space())
    costs = []
    for _ in range(6):
        sizes = np.bincount(of_tuple[of_tuple >= 0], cube.counts[of_tuple >= 0], minlength=cube.tuples)
        assert ((sizes == 0) | (sizes >= k)).all()
        costs.append(cost(cube, of_tuple))
        of_tuple = local.rebuilt(of_tuple, k, allowed, local.orders(seed), 1, generator, local.space())
        assert cube.counts[of_tuple < 0].sum() <= allowed
    assert costs == sorted(costs, reverse=True)
    assert cube.tuples < 30 or costs[-1] < costs[0]


@pytest.mark.parametrize("seed", range(4))
def test_a_long_search_that_accepts_losses_ends_with_fewer(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It keeps to the limit all the while, and does not depend on what else is searched."""
    monkeypatch.setattr(local_table, "LONG", 10)
    cube = random_table(Random(f"long {seed}"), quasi=(3, 4), rows=(80, 120)).study().cube
    local, k, allowed = LocalTable.of(cube), 3, 5
    first, orders = local.divided(k, 20, local.space()), local.orders(seed)
    better, again = (
        local.rebuilt(first, k, allowed, orders, 200, np.random.default_rng(1), local.space())
        for _ in range(2)
    )
    assert (better == again).all()
    assert cost(cube, better) < cost(cube, first)
    assert cube.counts[better < 0].sum() <= allowed
    over = local.rebuilt(first, k, allowed, orders, 200, np.random.default_rng(1), local.space(), lambda: 1.0)
    assert (over == first).all()


def test_only_one_class_size_is_searched_where_k_is_required_and_loss_alone_wanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = random_table(Random(4), quasi=(5, 5), rows=(90, 90), sensitive=1).study()
    sizes, rebuilt = list[int](), LocalTable.rebuilt

    def noted(table: LocalTable, of_tuple: Any, k: int, *others: Any) -> Any:
        sizes.append(k)
        return rebuilt(table, of_tuple, k, *others)

    monkeypatch.setattr(LocalTable, "rebuilt", noted)
    (alone,) = study.explore("loss", space="local", suppress="0.1", at_least={"k": 3})
    assert sizes == [3]
    assert alone["k"] >= 3
    # More is required of sensitive values: larger classes may do it.
    study.explore("loss", space="local", suppress="0.1", at_least={"k": 3, "l": 1.2})
    assert len(sizes) > 3


def cost(cube: Any, of_tuple: Any) -> float:
    """What all rows lose in the smallest sets, a suppressed one everything."""
    local, total = LocalTable.of(cube), 0
    table = local.table
    for number in set(of_tuple.tolist()):
        members = np.flatnonzero(of_tuple == number)
        each = table.most
        if number >= 0:
            each = 0
            for place in table.first.tolist():
                while len(set(local.groups[members, place].tolist())) > 1:
                    place += 1
                each += int(table.costs[table.prices[members[0], place]])
        total += each * int(table.rows[members].sum())
    return total


def test_levels_that_a_schema_forbids_are_not_shown() -> None:
    ages = [str(20 + 7 * number % 60) for number in range(50)]
    column = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [5, 20]}, "levels": [0, 2]}
    for wide in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if wide:
                patch.setattr(SequenceCounts, "small", False)
            study = Study(pyarrow.table({"age": ages}), {"columns": {"age": column}})
            for each in study.explore("k", "loss", space="local", suppress="0.3"):
                made = study.realized(each.recoding)
                shown = {made.classes.labels(c) for c in np.flatnonzero(made.stays).tolist()}
                assert ("*",) not in shown


def test_a_table_with_one_partition() -> None:
    columns = {"a": {"role": "quasi", "hierarchy": {"flat": True}}}
    found = Study(pyarrow.table({"a": ["x"]}), {"columns": columns}).explore("k", "loss", space="local")
    assert (found.search.complete, found.search.open, len(found)) == (True, 0, 1)


def test_an_enumeration_that_is_stopped_proves_nothing() -> None:
    found = small(3).study().explore("k", "loss", space="local", suppress="0.2", time="0.000001s")
    assert not found.search.complete
    assert found.search.open > 0


def test_precision_is_refused() -> None:
    with pytest.raises(InputError, match="precision-loss needs one level for each column"):
        small(1).study().explore("k", "precision-loss", space="local")


def test_a_requirement_that_nothing_meets() -> None:
    study = small(2).study()
    with pytest.raises(NoSolution, match=r"it has only \d+ rows"):
        study.explore("k", "loss", space="local", at_least={"k": 500})


def test_requirements_hold_of_the_final_classes() -> None:
    study = random_table(Random(5), quasi=(2, 2), rows=(60, 60), sensitive=1).study()
    lattice = study.explore("k", "loss", at_least={"l": 1.5}, suppress="0.1", space="lattice")
    found = study.explore("k", "loss", space="local", at_least={"l": 1.5}, suppress="0.1")
    for solution in found:
        realized = study.realized(solution.recoding)
        assert realized.measure("l")["l"] >= 1.5
        assert realized.suppressed <= 6
    assert min(each.values["loss"] for each in found) <= min(each.values["loss"] for each in lattice)


@pytest.mark.parametrize("width", [4, 64])
def test_keys_say_where_two_tuples_agree(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the lowest place of each column; further up at most, where a column has too many bits."""
    monkeypatch.setattr(local_table, "WORD", width)
    trees = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4], [0] * 6 + [1] * 6]
    column = [np.array(level, dtype=np.int32) for level in (*trees, [0] * 12)]
    groups = [*column, column[1], column[3], *column[::2], column[3]]
    keys, bits = local_table._keys(groups, [4, 6, 9])
    assert keys.shape[1] == (3 if width == 4 else 1)
    for one in range(12):
        for other in range(12):
            places = {0: 0, 1: 4, 2: 6}
            for word, differ in enumerate((keys[one] ^ keys[other]).tolist()):
                while differ:
                    bit = width * word + differ.bit_length() - 1
                    places[int(bits["column"][bit])] = int(bits["place"][bit])
                    differ &= int(bits["below"][bit])
            for place, true in zip(places.values(), (0, 4, 6), strict=True):
                while groups[true][one] != groups[true][other]:
                    true += 1
                assert place == true or (width == 4 and place < true == 1)
