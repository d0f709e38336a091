"""The searches of chains: beside full enumeration, never worse than the lattice, repeatable."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pyarrow
import pytest

from paretonym.errors import InputError, NoSolution
from paretonym.recoding.level_lattice import Lattice
from paretonym.run.study import Study
from paretonym.spaces.local.chain_enumeration import chains
from paretonym.spaces.local.local_problem import number_of_chains
from paretonym.testing.random_tables import RandomTable, random_table
from paretonym.testing.search_exam import dominates
from tests.naive.chains import local_frontier
from tests.naive.twin import Table, comparable

QUESTIONS = (("k", "loss"), ("k", "l", "loss"), ("t", "gl"), ("k", "discernibility"), ("l", "loss", "sl"))


def small(seed: int) -> RandomTable:
    generator = Random(f"small {seed}")
    while True:
        table = random_table(generator, quasi=(1, 2), rows=(2, 12), sensitive=1)
        if number_of_chains([axis.steps for axis in table.study().cube.axes]) <= 60:
            return table


def vectors(study: Study, names: tuple[str, ...], **asked: Any) -> set[tuple[float, ...]]:
    found = study.explore(*names, space="local", **asked)
    return {tuple(each.values[name] for name in names) for each in found}


@pytest.mark.parametrize("seed", range(12))
def test_the_exhaustive_frontier_is_that_of_plain_enumeration(seed: int) -> None:
    table, names = small(seed), QUESTIONS[seed % len(QUESTIONS)]
    fraction = ("0", "0.2", "0.4")[seed % 3]
    study, plain = table.study(), Table.of(table.rows, table.schema)
    truth = local_frontier(plain, names, Fraction(fraction))
    found = study.explore(*names, space="local", search="exhaustive", suppress=fraction)
    assert found.search.complete
    rounded = {tuple(float(comparable(float(value))) for value in vector) for vector in truth}
    assert {tuple(each.values[name] for name in names) for each in found} == rounded


@pytest.mark.parametrize("seed", range(15))
def test_greedy_is_never_worse_than_the_lattice_nor_better_than_everything(seed: int) -> None:
    table, names = small(seed), QUESTIONS[seed % len(QUESTIONS)]
    rule = ("0", "0.2", "any:0.3")[seed % 3]
    rule = rule if names[0] in ("k", "l") else "0.2"
    study = table.study()
    lattice = study.explore(*names, suppress=rule, space="lattice")
    greedy = study.explore(*names, space="local", suppress=rule)
    every = study.explore(*names, space="local", search="exhaustive", suppress=rule)
    directions = tuple(objective.direction for objective in greedy.objectives)
    assert not greedy.search.complete

    def rows(found: Any) -> list[tuple[float, ...]]:
        return [tuple(each.values[name] for name in names) for each in found]

    for own in rows(greedy):
        assert not any(dominates(own, other, directions) for other in rows(every))
    for vector in rows(lattice):
        assert any(vector == own or dominates(own, vector, directions) for own in rows(greedy))


def test_greedy_finds_nearly_all_of_small_frontiers() -> None:
    """A measure of quality: the share of true frontier vectors that it finds, over some tables."""
    hit = total = 0
    for seed in range(6):
        study = small(seed).study()
        truth = vectors(study, ("k", "loss"), search="exhaustive", suppress="0.2")
        hit += len(truth & vectors(study, ("k", "loss"), suppress="0.2"))
        total += len(truth)
    assert hit >= 0.8 * total, f"{hit} of {total}"


def test_the_same_seed_gives_the_same_frontier_with_any_number_of_threads() -> None:
    study = random_table(Random(3), quasi=(3, 3), rows=(60, 60), sensitive=1).study()
    found = [
        study.explore("k", "l", "loss", space="local", suppress="0.1", threads=threads, seed=4)
        for threads in (1, 2)
    ]
    assert [each.as_json() for each in found[0]] == [each.as_json() for each in found[1]]
    assert found[0].search.seed == 4


def test_the_number_of_chains_is_that_of_enumeration() -> None:
    for high in ((0,), (3,), (1, 2), (2, 1, 1)):
        lattice = Lattice(tuple("abc"[: len(high)]), (0,) * len(high), high)
        assert number_of_chains(high) == len(list(chains(lattice, sum(high) + 1)))


def test_a_longest_chain_can_be_given_and_proves_nothing() -> None:
    study = small(1).study()
    found = study.explore("k", "loss", space="local", search="exhaustive", depth=1)
    lattice = study.explore("k", "loss", space="lattice")
    assert [each.values for each in found] == [each.values for each in lattice]
    longest = sum(axis.steps for axis in study.cube.axes) + 1
    assert found.search.complete is (longest == 1)


def test_large_lattices_are_not_enumerated() -> None:
    study = random_table(Random(1), quasi=(6, 6), rows=(60, 60)).study()
    with pytest.raises(InputError, match=r"more than 200,000 chains of at most \d+ nodes"):
        study.explore("k", "loss", space="local", search="exhaustive")


def test_a_table_with_one_chain_does_not_say_that_none_is_left() -> None:
    columns = {"a": {"role": "quasi", "hierarchy": {"flat": True}}}
    found = Study(pyarrow.table({"a": ["x"]}), {"columns": columns}).explore("k", "loss", space="local")
    assert (found.search.complete, found.search.open, len(found)) == (False, 1, 1)


def test_keys_wider_than_a_machine_word_find_the_same_classes() -> None:
    """Twenty columns of ten values: keys are drawn at random, and what is found is counted exactly."""
    generator = Random(1)
    cells = {
        f"q{j}": [f"v{generator.randint(0, 9)}" if generator.random() < 0.2 else "v0" for _ in range(60)]
        for j in range(20)
    }
    columns = {name: {"role": "quasi", "hierarchy": {"flat": True}} for name in cells}
    study = Study(pyarrow.table(cells), {"columns": columns})
    found = study.explore("k", "loss", space="local", suppress=0.05, time=5, evaluations=40)
    assert any(len(each.recoding.as_json()["chain"]) > 1 for each in found)
    for each in found:
        measured = study.realized(each.recoding).measure("k", "loss")
        assert measured == {name: each.values[name] for name in measured}


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
