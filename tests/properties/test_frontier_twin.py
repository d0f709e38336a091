"""The frontier of random small tables is the naive twin's, on every path and with any number of threads."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random
from typing import Any

import pandas
import pytest

import paretonym
from paretonym.engine.counts import tuple_layout as packing
from paretonym.engine.measures.registry import MEASURES
from paretonym.engine.search import exhaustive
from paretonym.research.exams.random_tables import RandomTable, bounded, random_table
from paretonym.study.explored_run import Run
from tests.naive import twin
from tests.naive.comparing import same_vectors
from tests.naive.rollup import plain_evaluator

LIMITS = ("0", "0.01", "0.05", "0.1", "0.29", "0.3", "15%")
CASES = 15
# Thresholds can be on these.
# What is estimated from the classes themselves has a twin of its own.
COUNTED = [name for name, card in MEASURES.items() if card.counted.from_classes is None]
CLASSWISE = [name for name, card in MEASURES.items() if card.algebra.classwise]


def drawn_table(generator: Random) -> RandomTable:
    shape = (2, 4) if generator.random() < 0.2 else (2, 3)
    table = random_table(generator, quasi=shape, sensitive=generator.randint(1, 2), labelled=True)
    return bounded(table, generator) if generator.random() < 0.4 else table


def drawn_question(generator: Random) -> tuple[list[str], str]:
    fraction = generator.choice(LIMITS)
    if generator.random() < 0.5:
        return generator.sample(COUNTED, generator.randint(1, 4)), fraction
    objectives = generator.sample(COUNTED, generator.randint(1, 4))
    if not any(MEASURES[name].algebra.classwise for name in objectives):
        objectives.insert(generator.randint(0, len(objectives)), generator.choice(CLASSWISE))
    return objectives, f"any:{fraction}"


def twin_vectors(table: RandomTable, objectives: list[str], suppress: str) -> set[twin.Vector]:
    rule, number = ("any", suppress[4:]) if suppress.startswith("any:") else ("limit", suppress)
    fraction = Fraction(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
    return twin.frontier(twin.Table.of(table.rows, table.schema), objectives, rule, fraction)


def written(frontier: Run) -> str:
    return json.dumps(frontier.as_json(), indent=1, ensure_ascii=False, allow_nan=False)


@pytest.mark.parametrize("seed", range(10))
def test_equals_the_twin(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """`CASES` tables for each seed; compiled and plain, one thread and two. The last search evaluates all
    nodes, so that compiled and plain choose the same representatives."""
    for case in range(CASES):
        generator = Random(1000 * seed + case)
        table = drawn_table(generator)
        objectives, suppress = drawn_question(generator)
        study = table.study()
        expected = twin_vectors(table, objectives, suppress)
        place = f"seed {1000 * seed + case}: {objectives}, {suppress}"

        for search in ("exact", "exhaustive"):
            one = study.explore(*objectives, suppress=suppress, search=search, threads=1)
            assert one.search.complete, place
            assert same_vectors(one.vectors().tolist(), expected), place
            two = study.explore(*objectives, suppress=suppress, search=search, threads=2)
            assert written(two) == written(one), place
        with monkeypatch.context() as patch:
            patch.setattr(exhaustive, "evaluator", plain_evaluator)
            plain = study.explore(*objectives, suppress=suppress, search="exhaustive", threads=1)
        assert written(plain) == written(one), place


@pytest.mark.parametrize("seed", range(20))
def test_keys_that_do_not_fit_a_word(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    generator = Random(f"packing {seed}")
    table = drawn_table(generator)
    objectives, suppress = drawn_question(generator)
    usual = table.study().explore(*objectives, suppress=suppress, space="lattice")
    monkeypatch.setattr(packing, "WORD_BITS", 1)
    assert written(table.study().explore(*objectives, suppress=suppress, space="lattice")) == written(usual)


@pytest.mark.parametrize("seed", range(10))
def test_every_kind_of_dataframe_has_the_same_frontier(seed: int) -> None:
    table = drawn_table(Random(f"dataframes {seed}"))
    frame: Any = pandas.DataFrame(table.columns, dtype=object)
    usual = table.study().explore(space="lattice")
    assert paretonym.Study(frame, schema=table.schema).explore(space="lattice") == usual


@pytest.mark.parametrize("seed", range(10))
def test_solutions_are_what_they_say(seed: int) -> None:
    """Every value of every solution, asked for or not, is that of its recoding."""
    generator = Random(f"solutions {seed}")
    drawn = drawn_table(generator)
    table = twin.Table.of(drawn.rows, drawn.schema)
    for solution in drawn.study().explore("k", "discernibility", "loss", suppress="any:0.3", space="lattice"):
        levels = tuple(solution.recoding.as_json()["levels"].values())
        (condition,) = solution.recoding.keep
        every = twin.candidates(table, levels, "any", Fraction(99, 100))
        release = next(r for r in every if r.threshold == condition.bounds[0])
        assert solution.suppressed == release.gone
        for name, value in solution.values.items():
            assert value == pytest.approx(float(twin.VALUES[name][1](release)), rel=1e-9)
