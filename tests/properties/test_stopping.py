"""A search that is stopped by the clock says what it has, and what could still beat it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest

import paretonym
from paretonym.base.budget import Limits
from paretonym.engine.frontier.dominance import as_costs
from paretonym.engine.recoding.level_lattice import Lattice
from paretonym.engine.spaces import SPACES
from paretonym.research.exams.random_tables import RandomTable, random_table
from paretonym.research.exams.search_exam import dominates
from paretonym.study import SearchName
from paretonym.study.explored_run import Run
from paretonym.study.study import Study

QUESTIONS = (
    (("k", "loss"), "0.05"),
    (("loss", "k"), "any:0.1"),
    (("k", "l", "entropy-loss"), "0"),
    (("k", "precision-loss", "sl"), "0.1"),
)
SEARCHES = ("exact", "exhaustive")
NO_TIME = 1e-9


@cache
def large(seed: int) -> RandomTable:
    """Seven quasi-identifiers and thousands of nodes."""
    for attempt in range(100):
        generator = Random(f"large {seed} {attempt}")
        drawn = random_table(generator, quasi=(7, 7), rows=(300, 300), missing=0, sensitive=1)
        if 3000 <= Lattice.of(drawn.study().cube).size <= 20_000:
            return drawn
    raise AssertionError


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(("objectives", "suppress"), QUESTIONS)
@pytest.mark.parametrize("seed", range(3))
def test_stopped(
    seed: int, objectives: tuple[str, ...], suppress: str, search: SearchName, tmp_path: Path
) -> None:
    table = large(seed)
    study = table.study()
    whole = study.explore(*objectives, suppress=suppress, space="lattice")
    stopped = study.explore(*objectives, suppress=suppress, search=search, time=f"{NO_TIME:.9f}")
    assert whole.search.complete
    assert not stopped.search.complete
    assert 0 < stopped.search.open < stopped.search.size
    assert str(stopped).endswith(f"not proven complete ({stopped.search.open:,} nodes left)")
    check_solutions(table, stopped, suppress)
    if search == "exact":
        check_rivals(stopped, whole)
        assert Run.from_json(stopped.as_json(), SPACES).as_json() == stopped.as_json()
    stopped.save(tmp_path / "run")
    assert paretonym.load(tmp_path / "run") == stopped


def check_solutions(table: RandomTable, stopped: Run, suppress: str) -> None:
    """They are true candidates, and none beats another."""
    assert len(stopped)
    vectors = stopped.vectors().tolist()
    for vector in vectors:
        assert not any(dominates(other, vector, stopped.directions) for other in vectors)
    names = [objective.name for objective in stopped.objectives]
    for solution in stopped:
        again = at_node(table, solution.recoding.as_json()["levels"]).explore(
            *names, suppress=suppress, space="lattice"
        )
        assert [solution[name] for name in names] in again.vectors().tolist()


def at_node(table: RandomTable, levels: Mapping[str, int]) -> Study:
    """A study of the same table, with one node as its lattice."""
    columns = dict(table.schema["columns"])
    for name, level in levels.items():
        columns[name] = {**columns[name], "levels": [level, level]}
    return replace(table, schema={**table.schema, "columns": columns}).study()


def over_after(looks: int) -> Callable[[Limits], bool]:
    """Whether the clock was looked at so many times before."""
    left = iter(range(looks))
    return lambda limits: next(left, None) is None


@pytest.mark.parametrize("seed", range(3))
def test_stopped_later(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is looked at so many times before the time is over: solutions of every stage."""
    study = large(seed).study()
    beaten = 0
    for objectives, suppress in QUESTIONS:
        whole = study.explore(*objectives, suppress=suppress, space="lattice")
        for looks in (1, 3, 6, 10, 15, 20):
            with monkeypatch.context() as patch:
                patch.setattr(Limits, "over", property(over_after(looks)))
                stopped = study.explore(*objectives, suppress=suppress, space="lattice")
            if not stopped.search.complete:
                beaten += check_rivals(stopped, whole)
    assert beaten > 0


def check_rivals(stopped: Run, whole: Run) -> int:
    """Whatever beats a solution is within what its rivals could reach. Returns how often one is beaten."""
    names = [objective.name for objective in stopped.objectives]
    beaten = 0
    for solution in stopped:
        vector = [solution[name] for name in names]
        assert solution.rival is not None
        reach = [solution.rival.values[name] for name in names]
        for better in whole.vectors().tolist():
            if dominates(better, vector, stopped.directions):
                beaten += 1
                assert solution.rival.nodes > 0
                best, reached = as_costs(np.array([reach, better]), stopped.directions)
                assert (best <= reached).all()
        if solution.rival.nodes == 0:
            assert vector in whole.vectors().tolist()
    return beaten


def test_a_finished_search_has_no_rivals() -> None:
    front = large(0).study().explore("k", "loss", time="1h", space="lattice")
    assert front.search.complete
    assert front.search.open == 0
    assert all(solution.rival is None for solution in front)
    assert all("rival" not in entry for entry in front.as_json()["solutions"])


def test_rivals_are_written() -> None:
    stopped = large(0).study().explore("k", "loss", suppress="0.05", time=f"{NO_TIME:.9f}", space="lattice")
    entry = stopped.as_json()
    assert entry["search"]["open"] == stopped.search.open
    for solution, written in zip(stopped, entry["solutions"], strict=True):
        assert solution.rival is not None
        assert written["rival"]["nodes"] == solution.rival.nodes
        assert list(written["rival"]["values"]) == ["k", "loss"]
    assert Run.from_json(entry, SPACES).as_json() == entry


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(("objectives", "suppress"), [*QUESTIONS, (("k", "l", "loss"), "any:0.1")])
def test_both_ends_are_found_in_any_time(
    objectives: tuple[str, ...], suppress: str, search: SearchName
) -> None:
    """The table as it is, at no cost, and everything hidden, with all rows in one class."""
    study = large(0).study()
    stopped = study.explore(*objectives, suppress=suppress, search=search, time=f"{NO_TIME:.9f}")
    assert not stopped.search.complete
    assert min(solution.values["loss"] for solution in stopped) == 0
    assert max(solution.values["k"] for solution in stopped) == study.cube.rows
