"""The joint frontier is what no solution of any method dominates, whichever methods there are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from paretonym.base.budget import Limits
from paretonym.base.errors import InputError, NoSolution
from paretonym.engine.frontier import frontier_places
from paretonym.engine.spaces import Question, explore
from paretonym.engine.spaces.exploration import among_others
from paretonym.engine.spaces.space_registry import SPACES, joint_methods
from paretonym.study import Run, Study, load

SCHEMA: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [5, 10, 20]}},
        "sex": {"role": "quasi", "hierarchy": {"flat": True}},
        "job": {"role": "sensitive"},
    }
}
ROWS = st.lists(
    st.tuples(st.integers(20, 60), st.sampled_from("mf"), st.sampled_from("abc")), min_size=6, max_size=30
)


def study_of(rows: list[tuple[int, str, str]]) -> Study:
    import pandas

    return Study(pandas.DataFrame(rows, columns=["age", "sex", "job"]), SCHEMA)


def alone(study: Study, names: tuple[str, ...]) -> list[Run]:
    """What each method finds on its own, with the budget and the sweep that it has among others."""
    runs = []
    for method in joint_methods(names):
        space = SPACES[method.space]
        question = space.problem.among(Question(names, space=method.space, search=method.search))
        question = replace(question, tuning=replace(question.tuning, evaluations=method.evaluations))
        try:
            limits = among_others(Question(names), study.cube, Limits(1))
            runs.append(Run.of(explore(question, study.cube, limits).frontier, study))
        except (InputError, NoSolution):
            continue
    return runs


# Forty of its cuts are too few to find the best ones of two.
ONE_OLDER = [(age, "m", "a") for age in (*[20] * 21, 21, 21, 31, 32, 38, 41, 27)]


@settings(max_examples=8)
@example(ONE_OLDER, ("k", "sse"))
@given(ROWS, st.sampled_from([("k", "loss"), ("k", "l", "loss"), ("k", "gl", "sl"), ("k", "sse")]))
def test_it_is_the_union_of_all_methods_without_what_is_dominated(
    rows: list[tuple[int, str, str]], names: tuple[str, ...]
) -> None:
    study = study_of(rows)
    joint, runs = study.explore(*names, threads=1), alone(study, names)
    values = np.concatenate([run.vectors() for run in runs])
    best = frontier_places(values, joint.directions, np.arange(len(values)))
    assert joint.vectors().tolist() == values[best].tolist()
    assert [method.space for method in joint.methods] == [run.search.space for run in runs]
    for solution in joint:
        realized = study.realized(solution.recoding).measure(*names)
        assert all(realized[name] == pytest.approx(solution.values[name]) for name in names)


def test_it_has_the_same_bytes_with_any_number_of_threads_and_after_it_was_saved(tmp_path: Path) -> None:
    rows = [(20 + number * 7 % 41, "mf"[number % 3 % 2], "abc"[number % 5 % 3]) for number in range(120)]
    study = study_of(rows)
    run, again = (study.explore(threads=threads) for threads in (1, 2))
    assert run.as_json() == again.as_json()
    assert len({solution.space for solution in run}) > 1
    run.save(tmp_path / "run")
    loaded = load(tmp_path / "run")
    assert loaded.as_json() == run.as_json()
    assert [each.method for each in loaded] == [each.method for each in run]
    for solution in run:
        picked = run.answer(best="k", at_most={"loss": solution.loss}, allow_unproven=True)
        assert picked.solution == solution
        complete = run.method_of(solution).complete
        assert picked.proven == (complete or picked.optimal)
        by_level = complete and not picked.optimal
        assert ("proven among releases with one level per column" in str(picked)) == by_level


def test_what_a_method_refuses_is_a_remark() -> None:
    study = study_of([(20 + number, "m", "a") for number in range(20)])
    remarks: list[str] = []
    run = study.explore("k", "precision-loss", remark=remarks.append)
    assert run.search.complete
    assert "lattice" in {solution.space for solution in run} or not run.is_joint
    assert any("is left out: " in text for text in remarks)
    with pytest.raises(InputError, match="unknown measure"):
        study.explore("k", "los")


def test_a_search_that_one_space_has_is_that_space_alone() -> None:
    study = study_of([(20 + number, "m", "a") for number in range(20)])
    assert [method.space for method in study.explore("k", "loss", search="pbg").methods] == ["lattice"]
    assert [method.space for method in study.explore("k", "loss", sweep="k=2").methods] == ["mondrian"]


@settings(max_examples=8)
@given(ROWS)
def test_no_generalization_is_below_the_floor(rows: list[tuple[int, str, str]]) -> None:
    run = study_of(rows).explore(threads=1)
    for solution in run:
        floor, method = run.floor(solution.k), run.method_of(solution)
        assert floor is not None
        assert floor <= solution.loss or not method.by_hierarchies
        best = run.answer(best="loss", at_least={"k": solution.k}, allow_unproven=True)
        assert best.optimal == (method.by_hierarchies and solution.loss <= floor)
        if best.optimal:
            assert best.proven
            assert "optimal among generalizations by these hierarchies" in str(best)
        else:
            assert f"No generalization by these hierarchies with k of at least {solution.k}" in str(best)


def test_the_floor_says_nothing_of_other_losses() -> None:
    study = study_of([(20 + number, "mf"[number % 2], "a") for number in range(20)])
    assert study.explore("k", "gl").floor(5) is None
    assert study.explore("k", "loss", space="lattice").floor(5) is None


def test_a_run_that_was_killed_goes_on_and_ends_as_if_it_had_not_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was being searched: the state is that of the lattice, the others begin again."""
    monkeypatch.setenv("PARETONYM_CHECKPOINT_SECONDS", "0")
    rows = [(20 + number * 7 % 41, "mf"[number % 3 % 2], "abc"[number % 5 % 3]) for number in range(60)]
    whole, run = study_of(rows).explore(threads=1), tmp_path / "run"
    calls = 0

    def killed(done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 12:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        study_of(rows).explore(threads=1, checkpoint=run, progress=killed)
    assert (run / "checkpoint.json").exists()
    again = study_of(rows).explore(threads=1, resume=run)
    assert again.as_json() == whole.as_json()
    again.save(run)
    assert load(run).as_json() == whole.as_json()
