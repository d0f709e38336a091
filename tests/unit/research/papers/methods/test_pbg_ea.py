"""PBG-EA: its operators one by one, what a seed fixes, and how many nodes it may evaluate."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretonym.base.errors import InputError
from paretonym.research.exams.random_tables import random_table
from paretonym.research.exams.search_exam import dominates
from paretonym.research.papers.methods.pbg_ea import Breeding, strengths, tournament
from paretonym.study.study import Study

SHAPE = (7, 4, 2, 5)


@pytest.fixture(scope="module")
def study() -> Study:
    return random_table(
        Random("pbg"), quasi=(5, 5), rows=(80, 80), missing=0, sensitive=1, labelled=True
    ).study()


def random() -> np.random.Generator:
    return np.random.default_rng(1)


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=12))
def test_fitness_is_the_papers_sum(costs: list[tuple[int, int, int]]) -> None:
    """Of each node that dominates P, how many nodes it dominates."""
    nodes = range(len(costs))
    better = [[dominates(a, b, ("min",) * 3) for b in costs] for a in costs]
    expected = [sum(sum(better[q]) for q in nodes if better[q][p]) for p in nodes]
    assert strengths(np.array(costs, dtype=np.float64)).tolist() == expected


def test_the_first_population_holds_both_ends() -> None:
    first = Breeding(SHAPE, 25).first(random())
    assert len(first) == 25
    assert {0, 7 * 4 * 2 * 5 - 1} <= set(first.tolist())
    assert len(set(first.tolist())) > 15


def test_the_fitter_of_two_wins() -> None:
    wins = tournament([0.0, 5.0, 9.0], 3000, random())
    shares = np.bincount(wins, minlength=3) / 3000
    # The best loses only if it is not drawn, the worst wins only if it is drawn twice.
    assert shares == pytest.approx([5 / 9, 3 / 9, 1 / 9], abs=0.03)


def test_crossover_swaps_tails() -> None:
    levels = np.array([[0] * 4, [9] * 4] * 200)
    crossed = Breeding(SHAPE, 400).crossed(levels, random())
    assert sorted(crossed.ravel().tolist()) == sorted(levels.ravel().tolist())
    mixed = 0
    for one, other in zip(crossed[::2], crossed[1::2], strict=True):
        assert (np.diff(one) != 0).sum() <= 1
        if (one != other).all() and len(set(one.tolist())) == 2:
            mixed += 1
    # Half of the pairs have two different ends, and 0.8 of them are crossed.
    assert mixed / 200 == pytest.approx(0.5 * 0.8, abs=0.1)


def test_an_odd_one_has_no_partner() -> None:
    assert len(Breeding(SHAPE, 5).crossed(np.zeros((5, 4), dtype=np.int64), random())) == 5


def test_mutation_is_by_one_level_and_stays_inside() -> None:
    start = np.tile(np.array([[0, 1, 1, 2]]), (4000, 1))
    mutated = Breeding(SHAPE, 4000).mutated(start, random())
    assert np.abs(mutated - start).max() == 1
    assert (mutated >= 0).all()
    assert (mutated < np.array(SHAPE)).all()
    changed = (mutated != start).mean(axis=0)
    # One in four; at an edge half of these go nowhere.
    assert changed == pytest.approx([1 / 8, 1 / 4, 1 / 8, 1 / 4], abs=0.03)


@pytest.mark.parametrize("suppress", ["0.05", "any:0.1"])
def test_a_seed_fixes_the_archive(study: Study, suppress: str) -> None:
    tuning: dict[str, Any] = {"seed": 3, "generations": 15}
    one, other = (
        study.explore("k", "loss", suppress=suppress, search="pbg", **tuning, threads=n) for n in (1, 2)
    )
    assert one.as_json() == other.as_json()
    assert one.search.seed == 3
    different = study.explore("k", "loss", suppress=suppress, search="pbg", **{**tuning, "seed": 4})
    assert different.record is not None
    assert one.record is not None
    assert (different.record.evaluated, different.as_json()) != (one.record.evaluated, one.as_json())


@pytest.mark.parametrize(
    "objectives",
    [
        ("k", "loss"),
        ("k", "l-distinct", "loss"),
        ("spread-k", "spread-l", "loss"),
        ("k", "loss", "classification-error"),
        ("k", "t", "delta", "entropy-loss"),
    ],
)
def test_long_enough_it_finds_everything(study: Study, objectives: tuple[str, ...]) -> None:
    exact = study.explore(*objectives, suppress="0.05", space="lattice")
    found = study.explore(*objectives, suppress="0.05", search="pbg", generations=600, seed=1)
    wanted = {tuple(v) for v in exact.vectors().tolist()}
    assert len(wanted & {tuple(v) for v in found.vectors().tolist()}) >= 0.9 * len(wanted)
    assert not found.search.complete


def test_evaluations_are_bounded(study: Study) -> None:
    front = study.explore("k", "loss", suppress=0, search="pbg", evaluations=30)
    assert front.record is not None
    assert front.record.evaluated == 30


def test_boxes_thin_the_archive(study: Study) -> None:
    box = {"k": 5, "loss": 0.1}
    thin = study.explore("k", "loss", suppress="0.05", search="pbg", box=box)
    whole = study.explore("k", "loss", suppress="0.05", search="pbg")
    assert 1 < len(thin) < len(whole)
    boxes = [(s["k"] // 5, int(s["loss"] / 0.1 + 1e-9)) for s in thin]
    assert len(set(boxes)) == len(boxes)
    assert thin.search.box == box


def test_requirements_are_met(study: Study) -> None:
    front = study.explore("k", "loss", suppress="0.05", search="pbg", at_least={"k": 4})
    assert min(s["k"] for s in front) >= 4


def test_what_another_search_has_is_refused(study: Study) -> None:
    with pytest.raises(InputError) as caught:
        study.explore("k", "loss", suppress=0, search="pbg", depth=2)
    assert str(caught.value) == (
        "depth: the search 'pbg' does not have this option; omit it, or use search='poka'"
    )
