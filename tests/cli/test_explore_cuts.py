"""`paretonym explore --space cuts`, and what can be done with what it finds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from paretonym.audit.row_checks import RULE, UNKNOWN_CLASS
from paretonym.engine.spaces.cuts import genome_evaluation as evaluating
from paretonym.engine.spaces.cuts.genome_evaluation import Candidates, Evaluator
from paretonym.engine.spaces.cuts.genome_space import Genomes
from tests.cli.conftest import Command

TABLES = Path(__file__).parents[2] / "examples" / "tables"
SURVEY = ("explore", "school.csv", "--schema", "school.toml", "--space", "cuts")
FEW = ("--set", "hybrid.evaluations=600", "--quiet")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for kind in ("csv", "toml"):
        shutil.copy(TABLES / f"school.{kind}", tmp_path)
    return tmp_path


def test_a_run_is_saved_and_can_be_asked_and_released(command: Command, folder: Path) -> None:
    ended = command(*SURVEY, "-o", "run", "--suppress", "5%", *FEW, "--details")
    assert ended.code == 0
    assert "The number of groups in which" in ended.out
    saved = json.loads((folder / "run" / "frontier.json").read_text(encoding="utf-8"))
    assert saved["space"]["kind"] == "cuts"
    assert saved["search"]["method"] == "hybrid"
    assert saved["search"]["seed"] == 0
    assert saved["search"]["complete"] is False
    assert set(saved["solutions"][0]["recoding"]) == {"groups", "keep"}
    asked = command("ask", "run", "--at-most", "loss=60%", "--best", "k", "--json")
    assert asked.code == 0
    pick = saved["solutions"][len(saved["solutions"]) // 2]
    assert command("release", "run", "--pick", pick["id"], "-o", "out.csv").code == 0
    assert command("audit", "out.csv", "--require", f"k>={pick['values']['k']}").code == 0


@pytest.mark.parametrize("search", ["hybrid", "nsga2"])
def test_a_table_where_nothing_can_be_cut(command: Command, tmp_path: Path, search: str) -> None:
    (tmp_path / "t.csv").write_text("a\nx\nx\nx\n")
    (tmp_path / "t.toml").write_text('[columns.a]\nrole = "quasi"\nhierarchy.flat = true\n')
    asked = ("--space", "cuts", "--search", search)
    ended = command(
        "explore", "--space", "lattice", "t.csv", "--schema", "t.toml", *asked, "-o", "run", "--json"
    )
    assert ended.code == 0
    assert [solution["values"]["k"] for solution in json.loads(ended.out)["solutions"]] == [3]


def test_the_same_seed_gives_the_same_bytes(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, threads in (("one", "1"), ("two", "2")):
        monkeypatch.setenv("PARETONYM_THREADS", threads)
        ended = command(*SURVEY, "-o", name, "--seed", "7", "--suppress", "5%", *FEW)
        assert ended.code == 0
    files = [(folder / name / "frontier.json").read_bytes() for name in ("one", "two")]
    assert files[0] == files[1]


def test_one_of_the_four_problems(command: Command, folder: Path) -> None:
    ended = command(*SURVEY, "--set", "cuts.problem=3", "--json", *FEW)
    assert ended.code == 0
    found = json.loads(ended.out)
    assert [o["name"] for o in found["objectives"]] == ["weighted-k", "gl", "sl"]
    assert found["suppress"] == "below the mean k"
    limited = command(*SURVEY, "--set", "cuts.problem=3", "--at-most", "sl=5%", "--json", *FEW)
    assert limited.code == 0
    assert max(solution["values"]["sl"] for solution in json.loads(limited.out)["solutions"]) <= 0.05
    assert command(*SURVEY, "--set", "cuts.problem=1", "--suppress", "0", *FEW).code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--search", "exact"), "--search: the space cuts has no search 'exact'"),
        (
            ("--objectives", "k,precision-loss"),
            "precision-loss needs levels, but the space of cuts has none",
        ),
        (
            ("--set", "cuts.prefer=l"),
            "--set cuts.prefer: it belongs to --set cuts.problem; give",
        ),
        (("--set", "cuts.sound=yes"), "--set cuts.sound: it belongs to --set cuts.problem"),
        (("--set", "cuts.floor-l=yes"), "--set cuts.floor-l: it belongs to --set cuts.problem"),
        (("--set", "cuts.problem=7"), "--set cuts.problem: there is no problem 7; give 1, 2, 3 or 4"),
        (
            ("--set", "cuts.problem=4", "--set", "cuts.sound=maybe"),
            "--set cuts.sound: 'maybe' is neither yes nor no; give --set cuts.sound=yes",
        ),
        (("--set", "box.l=5"), "--set box.MEASURE=SIDE: 'l' is not an objective of this run"),
        (
            ("--set", "cuts.problem=2", "--space", "lattice"),
            "--set: 'cuts.problem' is given, but the search is exact in the space lattice; omit it, or use "
            "--space cuts",
        ),
        (
            ("--set", "cuts.problem=1", "--suppress", "5%"),
            "--suppress: problem 1 suppresses nothing, whatever the limit; omit it; --at-most sl=5% excludes",
        ),
        (
            ("--set", "cuts.problem=3", "--suppress", "any:2.5%"),
            "--suppress: problem 3 suppresses every class below the mean, whatever the limit; omit it; "
            "--at-most sl=2.5% excludes releases that suppress more",
        ),
        (
            ("--set", "cuts.problem=2", "--objectives", "k,gl"),
            "--objectives: --set cuts.problem sets the objectives",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(
    command: Command, folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    ended = command(*SURVEY, "-o", "run", *arguments)
    assert ended.code == 2
    assert message in ended.err
    assert not (folder / "run").exists()


def test_utility_can_be_searched_for_and_compared(command: Command, folder: Path) -> None:
    """What `compare` measures anew is what the search said."""
    for search in ("hybrid", "nsga2"):
        ended = command(
            *SURVEY, "-o", search, "--objectives", "k,utility-loss", "--at-most", "query-error=20",
            "--suppress", "5%", "--search", search, "--set", f"{search}.population=20",
            "--set", f"{search}.evaluations=120", "--quiet",
        )  # fmt: skip
        assert ended.code == 0, ended.err
    ended = command("compare", "hybrid", "nsga2", "--measures", "k,utility-loss,query-error", "--json")
    releases = json.loads(ended.out)["releases"]
    for search in ("hybrid", "nsga2"):
        saved = json.loads((folder / search / "frontier.json").read_text(encoding="utf-8"))["solutions"]
        measured = {each["id"]: each["values"] for each in releases if each["run"] == search}
        assert len(saved) > (1 if search == "hybrid" else 0)
        for each in saved:
            again = measured[each["id"]]
            assert again.pop("query-error") <= 20
            assert again == pytest.approx({name: each["values"][name] for name in again})


@pytest.mark.parametrize("options", [(), ("prefer=k",), ("floor-l=yes",), ("floor-l=yes", "prefer=k")])
def test_a_release_of_problem_4_passes_its_audit(
    command: Command, folder: Path, options: tuple[str, ...]
) -> None:
    """Which classes stay is a matter of two measures in order: the second opinion knows that, too."""
    given = [word for option in ("problem=4", *options) for word in ("--set", f"cuts.{option}")]
    assert command(*SURVEY, "-o", "run", *given, "--suppress", "5%", *FEW).code == 0
    saved = json.loads((folder / "run" / "frontier.json").read_text(encoding="utf-8"))["solutions"]
    pick = [each for each in saved if each["suppressed"]][-1]
    assert command("release", "run", "--pick", pick["id"], "-o", "out.csv").code == 0
    manifest = json.loads((folder / "out.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["recoding"]["keep"] == pick["recoding"]["keep"]
    (names,) = manifest["recoding"]["keep"]
    assert _kept(command) == (0, True)
    manifest["recoding"]["keep"] = {names: ">=1,1"}
    (folder / "out.csv.manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert _kept(command) == (1, False)


def _kept(command: Command) -> tuple[int, bool]:
    """How an audit ends, and whether the classes stayed that the manifest says: those whose classes labels
    show, and those of rows with a value that is shown nowhere."""
    ended = command("audit", "out.csv", "--original", "school.csv", "--schema", "school.toml", "--json")
    checks = [each for each in json.loads(ended.out)["checks"] if each["name"] in (RULE, UNKNOWN_CLASS)]
    return ended.code, all(check["holds"] is not False for check in checks)


def test_boxes_thin_the_frontier_out(command: Command, folder: Path) -> None:
    asked = (*SURVEY, "--suppress", "5%", "--set", "hybrid.evaluations=400", "--json")
    whole, few = (
        json.loads(command(*asked, *box).out) for box in ((), ("--set", "box.k=10", "--set", "box.loss=0.1"))
    )
    assert few["search"]["box"] == {"k": 10, "loss": 0.1}
    assert {each["id"] for each in few["solutions"]} < {each["id"] for each in whole["solutions"]}
    boxes = [(each["values"]["k"] // 10, each["values"]["loss"] // 0.1) for each in few["solutions"]]
    assert len(set(boxes)) == len(boxes) > 1


def test_an_interrupted_search_keeps_what_it_found(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Evaluator.evaluate
    calls = []

    def impatient(self: Evaluator, genomes: Genomes) -> Candidates:
        calls.append(len(genomes))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return whole(self, genomes)

    monkeypatch.setattr(evaluating.Evaluator, "evaluate", impatient)
    ended = command(*SURVEY, "-o", "run", "--suppress", "5%")
    assert ended.code == 130
    assert "this is the frontier found so far; it is not complete" in ended.err
    saved = json.loads((folder / "run" / "frontier.json").read_text(encoding="utf-8"))
    assert saved["search"]["interrupted"] is True
    assert saved["search"]["complete"] is False
    assert len(saved["solutions"]) > 1
