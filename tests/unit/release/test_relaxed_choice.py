"""The relaxed choice: drawn once, uniformly, among all releases that are as good as the chosen one."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import paretonym as pn
from paretonym.budget import Limits
from paretonym.errors import InputError
from paretonym.recoding import parse_suppression
from paretonym.release import relaxed_choice
from paretonym.run.explored_frontier import Frontier
from paretonym.search.node_evaluation import plain_evaluator
from paretonym.search.problem import Problem
from paretonym.spaces import Vicinity
from paretonym.state import KEY_FILE, State

NAMES = ("age", "height", "weight", "wage", "ill")
MEASURED = {"role": "quasi", "type": "integer", "hierarchy": {"intervals": [3, 6, 12, 24, 48]}}
SCHEMA: dict[str, Any] = {"columns": {**dict.fromkeys(NAMES[:4], MEASURED), "ill": {"role": "sensitive"}}}


def people(seed: int) -> list[tuple[Any, ...]]:
    draw = random.Random(seed)
    ills = ("flu", "cold", "ulcer")
    return [(*(draw.randrange(20, 70) for _ in NAMES[:4]), draw.choice(ills)) for _ in range(300)]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in (NAMES, *people(1))))
    return path


def chosen(front: Frontier) -> str:
    """A solution with many others nearby."""
    return front.ask(at_least={"k": 3}, best="loss").id


@pytest.mark.parametrize("objectives", [("k", "loss"), ("l", "k", "gl"), ("k", "t", "loss")])
@pytest.mark.parametrize("suppress", ["0.05", "any:0.1"])
def test_pool_is_that_of_plain_counting(
    objectives: tuple[str, ...], suppress: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every candidate of every node, by plain counting; those that are good enough are the pool."""
    small = {"columns": {**SCHEMA["columns"], "wage": {"role": "drop"}}}
    study = pn.Study(pa.table(dict(zip(NAMES, zip(*people(2), strict=True), strict=True))), small)
    monkeypatch.setattr(relaxed_choice, "FEWEST", 1)
    front = study.explore(*objectives, suppress=suppress, at_least={"k": 2})
    solution = front[len(front) // 2]
    names = tuple(dict.fromkeys((*objectives, "k", "loss")))
    problem = Problem.of(solution.known_data.cube, names, parse_suppression(suppress))
    counted = plain_evaluator(problem)(np.arange(problem.lattice.size, dtype=np.int64))
    values = [dict(zip(names, row, strict=True)) for row in problem.values(problem.facts(counted)).tolist()]
    near = [
        row
        for row in values
        if row["loss"] <= 1.8 * solution["loss"] + 1e-12
        and row["k"] >= max(2, solution["k"])
        and all(row[name] >= solution[name] for name in {"l"} & set(objectives))
        and all(row[name] <= solution[name] for name in {"t"} & set(objectives))
    ]
    assert len(near) > 1
    assert front.random_pick(solution.id, 0.8).pool == len(near)


def test_drawn_once(data: Path, tmp_path: Path) -> None:
    """The same release from another run and in another format, as good as the chosen one."""
    front = pn.Study(data, SCHEMA).explore("k", "loss", suppress=0.05)
    name = chosen(front)
    front.save(tmp_path / "run")
    drawn = front.random_pick(name, "40%")
    again = pn.load(tmp_path / "run").random_pick(name, "0.4")
    assert (again.id, again.pool) == (drawn.id, drawn.pool)
    assert drawn["k"] >= front.pick(name)["k"]
    assert drawn["loss"] <= 1.4 * front.pick(name)["loss"] + 1e-12
    first = drawn.release(tmp_path / "a.csv")
    assert again.release(tmp_path / "b.parquet").exists()
    assert pn.audit(first, original=data, schema=SCHEMA).passed


def test_lost_key(data: Path, tmp_path: Path) -> None:
    """What cannot be repeated is refused, not drawn again."""
    front = pn.Study(data, SCHEMA).explore("k", "loss", suppress=0.05)
    front.save(tmp_path / "run")
    saved = pn.load(tmp_path / "run")
    saved.random_pick(chosen(front), "40%").release(tmp_path / "a.csv")
    for key in [tmp_path / "run" / KEY_FILE, *Path(tmp_path).rglob(KEY_FILE)]:
        key.unlink(missing_ok=True)
    for key in State.open().folder.rglob(KEY_FILE):
        key.unlink()
    with pytest.raises(InputError, match="drawn with a key that is missing now"):
        pn.load(tmp_path / "run").random_pick(chosen(front), "40%")


@pytest.mark.parametrize("names_first", [False, True])
def test_without_names_it_is_not_drawn_again(data: Path, tmp_path: Path, names_first: bool) -> None:
    """The same people with a column that is never released have another key, and are the same to the log."""
    header, *lines = data.read_text().splitlines()
    named = tmp_path / "named.csv"
    named.write_text("\n".join([f"name,{header}", *(f"p{i},{line}" for i, line in enumerate(lines))]) + "\n")
    schema = {"columns": {"name": {"role": "identifier"}, **SCHEMA["columns"]}}
    studies = [pn.Study(named, schema), pn.Study(data, SCHEMA)][:: 1 if names_first else -1]
    first, second = (each.explore("k", "loss", suppress=0.05) for each in studies)
    first.random_pick(chosen(first), "40%").release(tmp_path / "a.csv")
    with pytest.raises(InputError, match=r"chosen at random before|drawn with a key that is missing now"):
        second.random_pick(chosen(second), "40%").release(tmp_path / "b.csv", also=True)
    assert not (tmp_path / "b.csv").exists()
    # The chosen one itself may be published knowingly.
    second.pick(chosen(second)).release(tmp_path / "c.csv", also=True)


def test_uniform(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each release of the pool is drawn about as often, over many keys."""
    front = pn.Study(data, SCHEMA).explore("k", "loss", suppress=0.05)
    solution = front.pick(chosen(front))
    keys = iter(range(10_000))
    monkeypatch.setattr(relaxed_choice, "find_key", lambda log: next(keys).to_bytes(32, "big"))
    within = relaxed_choice.parse_tolerance("25%")
    pools = relaxed_choice._pool(
        front,
        solution.known_data,
        Vicinity(solution, relaxed_choice._within(front, solution, within)),
        Limits(threads=1),
    )
    monkeypatch.setattr(relaxed_choice, "_pool", lambda *given: pools)
    number = 100 * pools.size
    places: Counter[str] = Counter(
        relaxed_choice.relaxed_choice(
            front,
            solution,
            solution.known_data,
            within,
            Limits(threads=1),
            None,  # type: ignore[arg-type]
        ).solution.id
        for _ in range(min(number, 9_000))
    )
    assert len(places) == pools.size
    mean = places.total() / pools.size
    # Chi-square with size - 1 degrees of freedom: far beyond every reasonable quantile.
    statistic = sum((count - mean) ** 2 / mean for count in places.values())
    assert statistic < pools.size + 6 * (2 * pools.size) ** 0.5


def test_refused(data: Path) -> None:
    front = pn.Study(data, SCHEMA).explore("k", "loss", suppress=0.05)
    name = chosen(front)
    with pytest.raises(InputError, match="fewer than 10 hide little"):
        front.random_pick(name, "0.01%")
    for wrong in ("0", "-5%", "101%", "nan"):
        with pytest.raises(InputError, match="random_pick: "):
            front.random_pick(name, wrong)
    cuts = pn.Study(data, SCHEMA).explore("k", "loss", suppress=0.05, space="cuts", time="1s")
    with pytest.raises(InputError, match=r"of space cuts are not kept.*; explore again with space=.lattice"):
        cuts.random_pick(cuts[0].id, "5%")


def test_sweep(data: Path, tmp_path: Path) -> None:
    """The candidates of a sweep are stored, dominated ones too."""
    swept = ",".join(map(str, range(2, 30)))
    front = pn.Study(data, SCHEMA).explore("k", "loss", space="mondrian", sweep=f"k={swept}")
    solution = front[-1]
    near = [c for c in front.candidates if c["loss"] <= 2 * solution["loss"] and c["k"] >= solution["k"]]
    drawn = front.random_pick(solution.id, "100%")
    assert drawn.pool == len(near)
    assert drawn.id in {candidate.id for candidate in near}
