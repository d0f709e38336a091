"""Persons in the space of cuts: frontiers beside all cuts by hand, the proven bound below everything, and
releases that the audit counts again."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paretonym as pn
from paretonym.base.budget import Limits
from paretonym.base.errors import InputError
from paretonym.engine.measures.recoded_counts import Realized
from paretonym.engine.recoding.suppression import parse_suppression
from paretonym.engine.search.search_options import Tuning
from paretonym.engine.spaces.cuts import hybrid
from paretonym.engine.spaces.cuts.cuts_problem import CutsProblem
from paretonym.engine.spaces.cuts.cuts_space import CUTS
from paretonym.engine.spaces.exploration import solve
from paretonym.engine.spaces.transfer import StayingClasses
from paretonym.research.exams.random_tables import RandomTable, owned, random_cuts, random_table
from tests.naive import persons as naive
from tests.naive.persons import Visit
from tests.properties.test_persons import best, naive_frame, pn_limit, rounded, visits
from tests.properties.test_persons_in_parts import MEASURED, limits
from tests.strategies import tables

OBJECTIVES = (("k", "loss"), ("k", "l", "loss"), ("k", "alpha", "sl"), ("k", "t", "loss"))


@settings(max_examples=25, deadline=None)
@given(visits(), st.sampled_from(OBJECTIVES), st.integers(0, 8), st.booleans())
def test_the_frontier_of_cuts_is_that_of_all_cuts_by_hand(
    rows: list[Visit], names: tuple[str, ...], allowed: int, every: bool
) -> None:
    names = ("k", "loss") if every else names
    allowed = min(allowed, len(rows) - 1)
    study = pn.Study(naive_frame(rows), schema=naive.SCHEMA)
    suppress = pn_limit(allowed, len(rows))
    asked = parse_suppression(f"any:{suppress}") if every else suppress
    found = [
        {**naive.values(rows, candidate), "loss": loss}
        for _, candidate, loss in naive.cut_candidates(rows, asked.allowed(len(rows)), every)
    ]
    front = study.explore(*names, suppress=asked, space="cuts")
    directions = [objective.direction for objective in front.objectives]
    expected = best([tuple(rounded(each[name]) for name in names) for each in found], directions)
    assert {tuple(rounded(s.values[name]) for name in names) for s in front} == expected
    assert front.search.complete
    for solution in front:
        again = study.realized(solution.recoding).measure(*names)
        assert again == pytest.approx({name: solution.values[name] for name in names}, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rule", ["0", "0.1", "any:0.2"])
def test_the_proven_bound_is_below_all_cuts_of_persons(
    seed: int, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound counts rows, of which a class has no fewer than persons."""
    generator = Random(f"bound {seed}")
    table = random_table(generator, quasi=(2, 2), rows=(20, 50), kinds=("intervals", "order"), missing=0.0)
    study = owned(table, generator).study()
    problem = CutsProblem.of(study.cube, ("k", "loss"), parse_suppression(rule))
    every = solve(CUTS, problem, "hybrid", Limits(threads=1), Tuning(seed=seed)).frontier
    monkeypatch.setattr(hybrid, "MOST_ENUMERATED", 0)
    found = solve(CUTS, problem, "hybrid", Limits(threads=1), Tuning(seed=seed, evaluations=30)).frontier
    assert every.search.complete
    bound = found.search.bound
    assert bound is not None
    for solution in every:
        least = max(loss for k, loss in bound.steps if k <= solution.values["k"])
        assert least <= solution.values["loss"] + 1e-12


@pytest.mark.parametrize("seed", range(12))
def test_an_audit_counts_the_persons_of_cuts(seed: int, tmp_path: Path) -> None:
    generator = Random(f"persons in cuts {seed}")
    table = random_table(generator, rows=(20, 90), sensitive=1 + seed % 2, labelled=True, missing=0.4)
    study, path = owned(table, generator).study(), tmp_path / "r.csv"
    recoding = random_cuts(study.cube, seed)
    realized = study.realized(recoding)
    stay, units = realized.stays[realized.classes.of_tuple], study.cube.groups.astype(np.int64)
    leaves = np.stack([axis.unit_ends[units[:, j]] for j, axis in enumerate(study.cube.axes)], axis=1)
    sets = realized.classes.sets
    boxes = StayingClasses.of(realized, sets, [each.sizes.astype(float) for each in sets], leaves[stay])
    if (boxes.find(leaves[~stay]) >= 0).any():
        # The file does not say which of the persons whose values a label holds are in the class.
        return
    values = realized.measure(*MEASURED, "loss")
    study.publish(pn.Solution("", values, 0, recoding), path, allow_second_release=True)
    found = pn.audit(path, original=study.table, schema=study.schema, require=limits(values))
    assert [f"{check.name}: {check.said} {check.found} {check.why}" for check in found.failed] == []
    assert found["k-persons"] == values["k"]
    assert pn.attack(path, original=study.table, schema=study.schema).smallest == values["k"]


@settings(max_examples=10, deadline=None)
@given(tables(rows=(10, 60), sensitive=1, labelled=True, persons=True), st.integers(0, 5))
def test_what_a_search_says_is_what_is_measured_anew(table: RandomTable, seed: int) -> None:
    study = table.study()
    names = ("k", "l", "loss", "classification-error")
    for method in CUTS.searches:
        problem = CutsProblem.of(study.cube, names, parse_suppression(("0", "0.2", "any:0.3")[seed % 3]))
        tuning = Tuning(seed=seed, population=6, generations=4)
        for solution in solve(CUTS, problem, method, Limits(threads=1), tuning).frontier:
            again = Realized.of(solution.recoding, study.cube).measure(*names)
            assert again == pytest.approx({name: solution.values[name] for name in names}, rel=1e-9)


def test_the_problems_of_the_paper_count_rows() -> None:
    rows = [Visit("a", 1, "m", "flu", "no"), Visit("b", 2, "m", "hiv", "no")]
    study = pn.Study(naive_frame(rows), schema=naive.SCHEMA)
    with pytest.raises(InputError, match="the problems of the trade-offs paper count rows"):
        study.explore(space="cuts", problem=2)
