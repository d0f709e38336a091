"""A search that is killed and resumed, again and again, ends with the same files as one that was not."""

from __future__ import annotations

import base64
import io
import json
import stat
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import paretonym
from paretonym.base.errors import InputError, NoSolution
from paretonym.engine.search import box_queue, branch_and_bound, exact, exhaustive
from paretonym.engine.search.evaluation_log import Evaluation, EvaluationLog
from paretonym.study.checkpoint import INTERVAL

COLUMNS = {"q0": [2, 4], "q1": [2, 4, 8], "q2": [4, 8], "q3": [2, 8]}


class Killed(BaseException):
    """As if the process had been killed here."""


def study(seed: int = 0) -> paretonym.Study:
    generator = Random(seed)
    rows = {name: [str(generator.randrange(16)) for _ in range(80)] for name in COLUMNS}
    schema = {
        name: {"role": "quasi", "type": "integer", "hierarchy": {"intervals": widths}}
        for name, widths in COLUMNS.items()
    }
    import pyarrow

    rows["s"] = [str(generator.randrange(4)) for _ in range(80)]
    schema["s"] = {"role": "sensitive"}
    rows["c"] = [str(generator.randrange(3)) for _ in range(80)]
    schema["c"] = {"role": "class"}
    return paretonym.Study(pyarrow.table(rows), {"columns": schema})


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every lattice counts as a large one, in small steps, and every state is kept."""
    monkeypatch.setenv(INTERVAL, "0")
    monkeypatch.setattr(exact, "MOST_NODES", 0)
    monkeypatch.setattr(branch_and_bound, "_BATCH", 4)
    monkeypatch.setattr(branch_and_bound, "_MOST_FIRST", 5)
    monkeypatch.setattr(exhaustive, "_LONGEST_STRETCH", 8)


def killed_after(steps: int) -> Any:
    left = [steps]

    def progress(done: int, total: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Killed

    return progress


@pytest.mark.parametrize(
    ("search", "objectives"),
    [
        ("exact", ("k", "loss")),
        ("exhaustive", ("k", "loss")),
        ("exact", ("k", "gl", "sl")),
        ("exact", ("k", "discernibility")),
        ("exact", ("loss", "sl")),
    ],
)
@pytest.mark.parametrize("most_open", [3, 200_000])
def test_killed_at_random_points(
    search: str, objectives: tuple[str, ...], most_open: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(box_queue, "MOST_OPEN", most_open)
    asked: dict[str, Any] = {"suppress": "0.1", "search": search, "threads": 1}
    whole = study().explore(*objectives, **asked)
    generator, run, kills = Random(search), tmp_path / "run", 0
    while kills < 10:
        place: dict[str, Any] = {"resume": run} if run.exists() else {"checkpoint": run}
        try:
            found = study().explore(
                *objectives, **asked, **place, progress=killed_after(generator.randint(1, 4))
            )
            break
        except Killed:
            kills += 1
    else:
        found = study().explore(*objectives, **asked, resume=run)
    assert kills >= 5
    assert found.as_json() == whole.as_json()
    found.save(run)
    whole.save(tmp_path / "whole")
    assert (run / "frontier.json").read_bytes() == (tmp_path / "whole" / "frontier.json").read_bytes()
    assert not (run / "checkpoint.json").exists()


@pytest.mark.parametrize(
    ("objectives", "suppress"),
    [
        (("k", "loss"), "0.1"),
        (("k", "loss"), "any:0.2"),
        (("k", "l", "loss"), "0.05"),
        (("k", "pmse", "loss"), "0"),
        (("k", "loss", "classification-error"), "0.04"),
    ],
)
@pytest.mark.parametrize("time", [None, "60s"])
def test_a_walk_is_killed_at_random_points(
    objectives: tuple[str, ...],
    suppress: str,
    time: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Node by node, with witnesses and sizes, from the top or the bottom: every state is one of evaluations.
    With a limit of time it may go on by another walk, to the same end."""
    monkeypatch.setattr(exact, "MOST_NODES", 1_000_000)
    monkeypatch.setattr(exact, "_BATCH", 3)
    monkeypatch.setattr(exact._Descent, "too_many", lambda *_: False)
    asked: dict[str, Any] = {"suppress": suppress, "space": "lattice", "threads": 1}
    whole, run, kinds = study().explore(*objectives, **asked), tmp_path / "run", []
    evaluated = whole.record.evaluated if whole.record else 0
    for kill in range(4):
        place: dict[str, Any] = {"resume": run} if run.exists() else {"checkpoint": run}
        with pytest.raises(Killed):
            study().explore(*objectives, **asked, **place, progress=killed_after(2 + 2 * kill))
        kinds.append(json.loads((run / "checkpoint.json").read_text())["state"]["kind"])
    assert set(kinds) == {"walk"}
    again, add = [], EvaluationLog.add

    def counting(log: EvaluationLog, evaluation: Evaluation) -> None:
        again.append(len(evaluation.nodes))
        add(log, evaluation)

    monkeypatch.setattr(EvaluationLog, "add", counting)
    found = study().explore(*objectives, **asked, resume=run, time=time)
    assert found.as_json() == whole.as_json()
    if time is not None:
        return
    assert (found.record.evaluated if found.record else 0) == evaluated
    # The first part is what was kept; together no more is evaluated than without a stop.
    assert again[0] > 1
    assert sum(again) == evaluated


@pytest.mark.parametrize(
    ("kind", "objectives", "largest"),
    [
        ("boxes", ("k", "loss"), 0),
        ("boxes", ("k", "discernibility"), 0),
        ("sweep", ("k", "loss"), 0),
        ("walk", ("k", "loss"), 1_000_000),
    ],
)
@pytest.mark.parametrize("k", [12, 39])
def test_nothing_admissible_was_found_before_it_was_killed(
    kind: str,
    objectives: tuple[str, ...],
    largest: int,
    k: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It goes on, to the same frontier (12) or to the same answer that there is none (39)."""
    for module, name, value in (
        (exact, "MOST_NODES", largest), (exact, "_BATCH", 3), (exhaustive, "_LONGEST_STRETCH", 2),
        (branch_and_bound, "_MOST_FIRST", 1),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, value)
    asked: dict[str, Any] = {"suppress": "0.1", "at_least": {"k": k}, "at_most": {"loss": 0.75}, "threads": 1}
    asked["search"] = "exhaustive" if kind == "sweep" else "exact"

    def ended(**place: Any) -> Any:
        try:
            found = study().explore(*objectives, **asked, **place)
        except NoSolution as none:
            return str(none)
        return found.as_json(), found.record and found.record.evaluated

    run = tmp_path / "run"
    with pytest.raises(Killed):
        ended(checkpoint=run, progress=killed_after(1))
    state = json.loads((run / "checkpoint.json").read_text())["state"]
    assert state["kind"] == kind
    assert not state.get("best")
    assert ended(resume=run) == ended()


def test_a_damaged_walk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MOST_NODES", 1_000_000)
    with pytest.raises(Killed):
        study().explore(
            suppress="0.1", checkpoint=tmp_path / "run", progress=killed_after(2), space="lattice"
        )
    path = tmp_path / "run" / "checkpoint.json"
    entry = json.loads(path.read_text())
    with np.load(io.BytesIO(base64.b64decode(entry["state"]["evaluations"]))) as kept:
        # Numbers about nodes: neither a text nor anything that has an entry for each row.
        arrays = [kept[name] for name in kept.files]
    assert {array.dtype.kind for array in arrays} == {"i", "f", "b"}
    assert {len(array) for array in arrays} == {len(arrays[0])}
    for evaluations in ("", "AAAA", "no base64", entry["state"]["evaluations"][:-40]):
        entry["state"]["evaluations"] = evaluations
        path.write_text(json.dumps(entry))
        with pytest.raises(InputError, match="the evaluations that it keeps cannot be read"):
            study().explore(suppress="0.1", resume=tmp_path / "run", space="lattice")


@pytest.fixture
def unfinished(tmp_path: Path) -> Path:
    with pytest.raises(Killed):
        study().explore(
            suppress="0.1", checkpoint=tmp_path / "run", progress=killed_after(3), space="lattice"
        )
    return tmp_path / "run"


def test_what_is_kept_has_nothing_of_the_rows(unfinished: Path) -> None:
    """Levels of nodes, coarse ranks and one count of evaluations; no k, no rows, no loss."""
    entry = json.loads((unfinished / "checkpoint.json").read_text())
    assert entry["format"] == "paretonym.checkpoint/1"
    assert sorted(entry) == ["audience", "command", "format", "question", "state", "version"]
    assert sorted(entry["state"]) == ["beginning", "best", "evaluated", "kind", "ranked", "stack"]
    size = study().explore(suppress="0.1", space="lattice").search.size
    assert all(0 <= node < size for node in (*entry["state"]["beginning"], *entry["state"]["best"]))
    for rank, low, high, *sources in entry["state"]["ranked"]:
        assert -1024 <= rank <= 1
        assert 0 <= low <= high < size
        assert all(-1 <= source < size for source in sources)
    assert stat.S_IMODE((unfinished / "checkpoint.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(unfinished.stat().st_mode) == 0o700
    assert [path.name for path in unfinished.iterdir()] == ["checkpoint.json"]


def test_other_data_or_another_question_is_refused(unfinished: Path) -> None:
    refusal = "this run was started with other data, another schema, other options or another version"
    for data, suppress in ((study(1), "0.1"), (study(), "0.2")):
        with pytest.raises(InputError, match=refusal):
            data.explore(suppress=suppress, resume=unfinished, space="lattice")
    assert study().explore(suppress="0.1", resume=unfinished, space="lattice").search.complete


def test_a_run_that_has_ended_is_refused(tmp_path: Path) -> None:
    study().explore(suppress="0.1", space="lattice").save(tmp_path / "run")
    with pytest.raises(InputError, match="this run has ended"):
        study().explore(suppress="0.1", resume=tmp_path / "run", space="lattice")


def test_an_unfinished_run_is_neither_opened_nor_replaced(unfinished: Path) -> None:
    with pytest.raises(InputError, match=r"this run has not ended; explore with resume="):
        paretonym.load(unfinished)
    with pytest.raises(InputError, match="it contains the state of a search that has not ended"):
        study().explore(suppress="0.1", checkpoint=unfinished, space="lattice")
    with pytest.raises(InputError, match="already exists; give another name"):
        study().explore(suppress="0.2", space="lattice").save(unfinished)
    study().explore(suppress="0.2", space="lattice").save(unfinished, force=True)
    assert paretonym.load(unfinished).search.complete


def test_an_earlier_run_is_not_touched_by_the_state_of_another(tmp_path: Path) -> None:
    study().explore(suppress="0.1", space="lattice").save(tmp_path / "run")
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    remarks: list[Any] = []
    study().explore(suppress="0.2", checkpoint=tmp_path / "run", remark=remarks.append, space="lattice")
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before
    (remark,) = [str(each) for each in remarks if "cannot be kept" in str(each)]
    assert "an earlier output is there until this search has ended" in remark


def test_searches_that_keep_no_state_say_so(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match="the search 'nsga2' keeps no state; start it again, with the same seed"
    ):
        study().explore(space="cuts", search="nsga2", suppress="0.1", resume=tmp_path / "run")
    with pytest.raises(InputError, match="there is no unfinished run here"):
        study().explore(suppress="0.1", resume=tmp_path / "run", space="lattice")


@pytest.mark.parametrize("content", ["", "[]", '{"format": "paretonym.checkpoint/1"}', "other"])
def test_a_damaged_state_is_refused(unfinished: Path, content: str) -> None:
    entry = json.loads((unfinished / "checkpoint.json").read_text())
    entry["state"]["ranked"] = [["a", 1]]
    (unfinished / "checkpoint.json").write_text(json.dumps(entry) if content == "other" else content)
    with pytest.raises(InputError, match="is not a state that this version can go on from"):
        study().explore(suppress="0.1", resume=unfinished, space="lattice")


def test_a_search_without_solution_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(NoSolution):
        study().explore(
            suppress="0",
            at_least={"k": 79},
            at_most={"loss": 0.1},
            checkpoint=tmp_path / "run",
            space="lattice",
        )
    assert not (tmp_path / "run").exists()
