"""The pool of a random choice among chains: everything that the search evaluates, each release once."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import paretonym as pn
from paretonym.errors import InputError
from paretonym.measures import Realized
from paretonym.release import relaxed_choice
from paretonym.run.explored_frontier import Frontier, Solution
from paretonym.spaces.local.chain_counts import ChainCounter
from paretonym.spaces.local.chain_enumeration import chains
from paretonym.spaces.local.chain_search import MOST_THRESHOLDS
from paretonym.spaces.local.local_problem import LocalProblem
from paretonym.spaces.local.local_space import local_problem
from paretonym.spaces.space import Question

NAMES = ("age", "height", "ill")
LEVELS = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [4, 16]}}
SCHEMA: dict[str, Any] = {"columns": {**dict.fromkeys(NAMES[:2], LEVELS), "ill": {"role": "sensitive"}}}


def table(seed: int, rows: int = 40) -> pa.Table:
    draw = random.Random(seed)
    cells = {name: [draw.randrange(20, 52) for _ in range(rows)] for name in NAMES[:2]}
    return pa.table({**cells, "ill": draw.choices("abc", k=rows)})


def study(seed: int, rows: int = 40) -> pn.Study:
    return pn.Study(table(seed, rows), SCHEMA)


def ragged(seed: int) -> pn.Study:
    """Few levels, some of which show a value with the same label."""
    draw = random.Random(seed)
    tree = {"north": {"coast": ["a", "b"]}, "south": ["c", "d"]}
    levels = {"tree": tree}, {"flat": True}
    columns: dict[str, Any] = {
        name: {"role": "quasi", "hierarchy": own} for name, own in zip(NAMES[:2], levels, strict=True)
    }
    cells = {name: draw.choices("aabcccd", k=9) for name in NAMES}
    return pn.Study(pa.table(cells), {"columns": {**columns, "ill": {"role": "sensitive"}}})


def releases(found: Any, problem: LocalProblem, solution: Solution, within: float) -> set[Any]:
    """What each candidate shows of every tuple, for those that are as good as a solution."""
    shown = set()
    for each in found:
        values = each.solution.values
        good = values["loss"] <= (1 + within) * solution["loss"] + 1e-12 and values["k"] >= solution["k"]
        if good and all(values[name] >= solution[name] for name in {"l"} & set(values)):
            made = Realized.of(each.solution.recoding, problem.cube)
            rows = made.classes.shown[made.classes.of_tuple].tolist()
            labels = [sets.labels for sets in made.classes.sets]
            stays = made.stays[made.classes.of_tuple].tolist()
            shown.add(
                tuple(
                    tuple(own[j] for own, j in zip(labels, row, strict=True)) if stay else None
                    for row, stay in zip(rows, stays, strict=True)
                )
            )
    return shown


def asked(front: Frontier) -> LocalProblem:
    assert front.record is not None
    return local_problem(Question.of_run(front.record), front[0].known_data.cube)


@pytest.mark.parametrize(
    ("objectives", "suppress"), [(("k", "loss"), "0.4"), (("k", "l", "loss"), "any:0.4")]
)
def test_the_pool_of_an_exhaustive_search_is_that_of_full_enumeration(
    objectives: tuple[str, ...], suppress: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relaxed_choice, "FEWEST", 1)
    front = ragged(1).explore(
        *objectives, space="local", search="exhaustive", suppress=suppress, tuning={"depth": 2}
    )
    problem, solution = asked(front), front[len(front) // 2]
    every = [
        each
        for chain in chains(problem.lattice, 2)
        for k in range(1, problem.cube.rows + 1)
        for each in problem.candidates(chain, k)
    ]
    truth = releases(every, problem, solution, 0.5)
    assert len(truth) > 1
    assert front.random_pick(solution.id, "50%").pool == len(truth)


@pytest.mark.parametrize("objectives", [("k", "loss"), ("k", "l", "loss")])
def test_every_chain_that_the_search_evaluates_is_in_the_pool(
    objectives: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[tuple[Any, int], None] = {}
    total = ChainCounter.total

    def noted(self: ChainCounter, chain: Any) -> tuple[float, int]:
        seen[chain, self.k] = None
        return total(self, chain)

    monkeypatch.setattr(ChainCounter, "total", noted)
    front = study(2).explore(*objectives, space="local", suppress="0.1", tuning={"evaluations": 300})
    monkeypatch.setattr(ChainCounter, "total", total)
    monkeypatch.setattr(relaxed_choice, "FEWEST", 1)
    problem, solution = asked(front), front.ask(at_least={"k": 3}, best="loss", anyway=True)
    every = [each for chain, k in seen for each in problem.candidates(chain, k, MOST_THRESHOLDS)]
    truth = releases(every, problem, solution, 0.3)
    drawn = front.random_pick(solution.id, "30%")
    assert drawn.pool is not None
    assert drawn.pool >= len(truth) >= 10


def test_drawn_once_whatever_stopped_the_search(tmp_path: Path) -> None:
    """Another run, a time limit or another number of threads: the same pool and the same release."""
    front = study(3).explore("k", "loss", space="local", suppress="0.1")
    chosen = front.ask(at_least={"k": 3}, best="loss", anyway=True)
    drawn = front.random_pick(chosen.id, "30%")
    front.save(tmp_path / "run")
    again = pn.load(tmp_path / "run", data=table(3)).random_pick(chosen.id, 0.3)
    assert (again.id, again.pool) == (drawn.id, drawn.pool)
    assert drawn["k"] >= chosen["k"]
    assert drawn["loss"] <= 1.3 * chosen["loss"] + 1e-12
    stopped = study(3).explore("k", "loss", space="local", suppress="0.1", time=0.001, threads=1)
    own = stopped[len(stopped) // 2]
    pools = {stopped.random_pick(own.id, "100%").pool for _ in range(2)}
    assert len(pools) == 1
    release = drawn.release(tmp_path / "a.csv")
    assert pn.audit(release).passed


def test_refused() -> None:
    front = study(4).explore("k", "loss", space="local", suppress="0.1", tuning={"evaluations": 50})
    with pytest.raises(InputError, match="fewer than 10 hide little"):
        front.random_pick(front[-1].id, "0.001%")
