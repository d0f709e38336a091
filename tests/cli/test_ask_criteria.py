"""Measured criteria as limits of a run: measured on demand, kept, and met by the upper end."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import paretonym as pn
from paretonym.base.errors import InputError, NoSolution
from paretonym.evidence.criteria import Criterion, Referee, measure_criteria
from tests.cli.conftest import AGE_AND_SEX, Command, Prepare

SCHEMA = AGE_AND_SEX + '[columns.job]\nrole = "sensitive"\n'
JOBS = ("cook", "nurse", "clerk", "baker")


@pytest.fixture
def run(command: Command, prepared: Prepare, tmp_path: Path) -> Command:
    """A run that kept a third of the people out."""

    def explored() -> None:
        draws = random.Random(1)
        rows = [f"{draws.randrange(20, 60)},{draws.choice('mf')},{draws.choice(JOBS)}" for _ in range(600)]
        (tmp_path / "people.csv").write_text("\n".join(["age,sex,job", *rows]) + "\n")
        (tmp_path / "s.toml").write_text(SCHEMA)
        given = ("people.csv", "--schema", "s.toml", "--space", "lattice", "--suppress", "0")
        assert command("explore", *given, "--control", "33%", "-o", "run").code == 0
        assert command("explore", *given, "-o", "bare").code == 0

    prepared(explored)
    return command


def test_the_first_that_meets_the_limit_is_the_answer(run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = run("ask", "run", "--at-most", "inference=30%", "--best", "loss", "--json")
    assert ended.code == 0
    found = json.loads(ended.out)
    opened = pn.load("run")
    ids = [solution.id for solution in sorted(opened, key=lambda one: one.values["loss"])]
    assert [one["id"] for one in found["measured"]] == ids[: len(found["measured"])]
    assert found["answer"]["id"] == found["measured"][-1]["id"]
    assert opened.data is not None
    referee = Referee.of(opened.data.source, opened.data.source.control, opened.data.schema)
    for place, one in enumerate(found["measured"], 1):
        table = referee.read(opened.pick(one["id"]).release())
        (criterion,) = measure_criteria(table, names=["inference"]).criteria
        assert Criterion.from_json(one["criteria"][0]) == criterion
        assert (criterion.upper <= 0.3) == (place == len(found["measured"]))
    # What was measured is kept: nothing is measured again.
    monkeypatch.setattr("paretonym.study.measured_release.measure_criteria", None)
    assert (
        json.loads(run("ask", "run", "--at-most", "inference=30%", "--best", "loss", "--json").out) == found
    )


def test_python_asks_alike(run: Command) -> None:
    answer = pn.load("run").ask(at_most={"inference@job": "30%", "loss": 1}, best="loss")
    found = json.loads(run("ask", "run", "--at-most", "inference=30%", "--best", "loss", "--json").out)
    assert answer.id == found["answer"]["id"]
    with pytest.raises(NoSolution, match="No release of this run has singling-out at most"):
        pn.load("run").ask(at_most={"singling-out": 0.00001}, best="k")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            ("bare", "--at-most", "inference=10%", "--best", "loss"),
            "there are no others; keep some of the people out",
        ),
        (("run", "--at-most", "inference=10%"), "nothing says which release is best within it"),
        (("run", "--at-least", "inference=10%", "--best", "k"), "a measured risk is limited from above"),
        (("run", "--at-most", "inference@age=10%", "--best", "k"), "no column 'age' was guessed"),
    ],
)
def test_refused(run: Command, options: tuple[str, ...], text: str) -> None:
    ended = run("ask", *options, "-q")
    assert ended.code == 2
    assert text in ended.err


def test_a_run_with_what_was_measured_is_replaced(run: Command) -> None:
    assert run("ask", "run", "--at-most", "linkability=50%", "--best", "loss").code == 0
    again = ("explore", "people.csv", "--schema", "s.toml", "--space", "lattice", "-o", "run")
    assert run(*again, "--force").code == 0
    with pytest.raises(InputError, match="there are no others"):
        pn.load("run").ask(at_most={"linkability": 0.5}, best="loss")
