"""The commands: what they print where, their exit codes, and the words of their refusals."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import paretonym
from paretonym.base.errors import did_you_mean
from paretonym.engine.measures.registry import MEASURES
from paretonym.engine.spaces.lattice.lattice_space import LATTICE
from paretonym.study.study import Study

SCHEMA = """
[columns.age]
role = "quasi"
hierarchy.intervals = [10, 20]
[columns.sex]
role = "quasi"
hierarchy.flat = true
[columns.illness]
role = "sensitive"
"""
ROWS = "age,sex,illness\n" + "".join(
    f"{20 + number % 17},{'fm'[number % 2]},{['flu', 'none', 'secret'][number % 3]}\n" for number in range(60)
)


@dataclass(frozen=True)
class Ended:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def run(command: Run, tmp_path: Path) -> Run:
    """Runs a command in this process, in a folder with a table and its schema."""
    (tmp_path / "people.csv").write_text(ROWS)
    (tmp_path / "people.toml").write_text(SCHEMA)
    return command


EXPLORE = ("explore", "--space", "lattice", "people.csv", "--schema", "people.toml")


@pytest.mark.parametrize(
    "name", ["ask", "compare", "demo", "explore", "init", "measures", "report", "reproduce", "schema"]
)
def test_help_shows_examples(run: Run, name: str) -> None:
    ended = run(name, "--help")
    assert ended.code == 0
    assert "Examples:" in ended.out
    assert f"paretonym {name}" in ended.out.split("Examples:")[1]
    for option in ("--json", "--quiet", "--help"):
        assert option in ended.out


def test_help_names_every_command(run: Run) -> None:
    ended = run("--help")
    assert ended.code == 0
    for command in ("ask", "demo", "explore", "measures", "report"):
        assert f"\n  {command} " in ended.out
    assert run().code == 2


def test_version(run: Run) -> None:
    ended = run("--version")
    assert (ended.code, ended.out, ended.err) == (0, f"paretonym {paretonym.__version__}\n", "")


def test_measures(run: Run) -> None:
    ended = run("measures")
    assert ended.code == 0
    for name, card in MEASURES.items():
        assert name in ended.out
        assert card.question.split()[0] in ended.out
    listed = json.loads(run("measures", "--json").out)["measures"]
    assert [entry["name"] for entry in listed] == list(MEASURES)
    assert all({"direction", "lowest", "highest", "question", "reference"} <= set(entry) for entry in listed)


def test_explore(run: Run, tmp_path: Path) -> None:
    ended = run(*EXPLORE, "-o", "run")
    assert ended.code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "people.toml", "run"]
    front = paretonym.load("run")
    assert ended.out.startswith(f"{front}.\n")
    assert len(ended.out.splitlines()) <= 10
    detailed = run(*EXPLORE, "--details")
    for solution in front:
        assert solution.id in detailed.out
    assert "Saved in run. Next: paretonym release run --pick ID" in ended.err
    assert "secret" not in ended.out + ended.err
    assert "\x1b" not in ended.out + ended.err
    assert (tmp_path / "run/schema.toml").read_text() == SCHEMA


def test_explore_without_a_folder_says_so(run: Run, tmp_path: Path) -> None:
    ended = run(*EXPLORE)
    assert ended.code == 0
    assert ended.err.endswith("Not saved; use -o FOLDER to keep it.\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "people.toml"]


def test_json_is_all_of_stdout(run: Run) -> None:
    ended = run(*EXPLORE, "--json", "-o", "run")
    document = json.loads(ended.out)
    assert document.pop("run") == "run"
    assert document.pop("warnings") == []
    assert document == json.loads(Path("run/frontier.json").read_text())
    assert ended.err == ""
    assert json.loads(run(*EXPLORE, "--json").out)["run"] is None


def test_quiet(run: Run) -> None:
    ended = run(*EXPLORE, "--quiet")
    assert ended.code == 0
    assert ended.err == ""
    assert ended.out


def test_options_are_used(run: Run) -> None:
    document = json.loads(run(*EXPLORE, "--objectives", "k, gl,sl", "--suppress", "5%", "--json").out)
    assert [objective["name"] for objective in document["objectives"]] == ["k", "gl", "sl"]
    assert document["suppress"] == "0.05"


KNOWN = f"known: {', '.join(sorted(MEASURES))}"
REFUSALS: dict[str, tuple[Sequence[str], str]] = {
    "unknown measure": (
        ["--objectives", "k,los"],
        "--objectives: unknown measure 'los'; did you mean 'loss'?",
    ),
    "no measure": (
        ["--objectives", ","],
        "--objectives: no objective is given; give at least one, such as k,loss",
    ),
    "objective twice": (
        ["--objectives", "k,loss,k"],
        "--objectives: 'k' is given twice; give each objective once",
    ),
    "unknown search": (
        ["--search", "exhausting"],
        f"--search: the space lattice has no search 'exhausting'; "
        f"{did_you_mean('exhausting', LATTICE.searches)}",
    ),
    "unknown space": (
        ["--space", "latice"],
        "--space: unknown space 'latice'; did you mean 'lattice'?",
    ),
    "suppression outside": (
        ["--suppress", "1.5"],
        "--suppress: '1.5' is not a fraction from 0 to below 1; use, for example, 0.01, 1%, any or any:0.1",
    ),
    "suppression is no number": (
        ["--suppress", "many"],
        "--suppress: 'many' is not a number; give a decimal such as 0.01 or a percentage such as 1%",
    ),
    "any without k": (
        ["--objectives", "gl,sl", "--suppress", "any"],
        "--suppress: 'any:0.1' needs an objective that belongs to one class alone, and there is none; "
        "add k to the objectives, or give a limit such as --suppress 0.01",
    ),
    "no folder for it": (
        ["--out", "none/run"],
        "--out none/run: the folder '{here}/none' does not exist; create the folder first, or give another "
        "name",
    ),
    "exists": (
        ["--out", "people.csv"],
        "--out people.csv: this is people.csv, which the command reads; give another name",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refused(run: Run, tmp_path: Path, case: str) -> None:
    """Exit code 2, one message on stderr, nothing on stdout, nothing written."""
    options, said = REFUSALS[case]
    ended = run(*EXPLORE, "--quiet", *(("-o", "new") if "--out" not in options else ()), *options)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err == f"error: {said.format(here=tmp_path)}\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "people.toml"]
    assert (tmp_path / "people.csv").read_text() == ROWS


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("explore", "--space", "lattice", "nobody.csv", "--schema", "people.toml"),
            "error: nobody.csv: this file does not exist; ",
        ),
        (
            ("explore", "--space", "lattice", "people.csv", "--schema", "none.toml"),
            "error: none.toml: this file does not exist; ",
        ),
    ],
)
def test_files_that_are_not_there(run: Run, arguments: tuple[str, ...], said: str) -> None:
    ended = run(*arguments, "-q")
    assert ended.code == 2
    assert ended.err.startswith(said)
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [("explore",), ("exploer",), (*EXPLORE, "--seed", "-1"), (*EXPLORE, "--nothing")]
)
def test_usage(run: Run, arguments: tuple[str, ...]) -> None:
    ended = run(*arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert "Error: " in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    "arguments",
    [
        (*EXPLORE, "--seed", "99999999999999999999"),
        (*EXPLORE, "--set", "query-error.seed=99999999999999999999", "--objectives", "k,query-error"),
        ("compare", "none.csv", "--seed", "4294967296"),
    ],
)
def test_a_seed_beyond_the_range_is_refused_at_once(run: Run, arguments: tuple[str, ...]) -> None:
    """It was an error of ours after the whole search."""
    ended = run(*arguments, "-o", "run", "-q")
    assert ended.code == 2
    assert "4294967295" in ended.err
    assert not Path("run").exists()


def test_existing_run_is_kept_unless_forced(run: Run) -> None:
    assert run(*EXPLORE, "-o", "run", "--objectives", "k,gl").code == 0
    before = Path("run/frontier.json").read_bytes()
    refused = run(*EXPLORE, "-o", "run", "-q")
    assert refused.code == 2
    assert refused.err == (
        "error: --out run: already exists; give another name, or use --force to replace it\n"
    )
    assert Path("run/frontier.json").read_bytes() == before
    assert run(*EXPLORE, "-o", "run", "--force").code == 0
    assert Path("run/frontier.json").read_bytes() != before


def test_a_bug_of_ours_shows_no_data(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def broken(*arguments: Any, **options: Any) -> None:
        raise ValueError("illness of person 7: secret")

    monkeypatch.setattr(Study, "explore", broken)
    ended = run(*EXPLORE, "-o", "run", "-q")
    assert ended.code == 70
    assert ended.out == ""
    assert "secret" not in ended.err
    ours = f"bug: this is a mistake in paretonym {paretonym.__version__}, not yours: "
    assert ended.err.startswith(f"{ours}ValueError at test_commands.py, line ")
    assert "Please report it with this line and the command you ran, without any data." in ended.err
    assert "Traceback" not in ended.err
    assert not (tmp_path / "run").exists()
    monkeypatch.setenv("PARETONYM_DEBUG", "1")
    with pytest.raises(ValueError, match="secret"):
        run(*EXPLORE)


def test_memory_that_runs_out(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: Any, **options: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(Study, "explore", broken)
    ended = run(*EXPLORE, "-q")
    assert ended.code == 2
    assert ended.err == "error: out of memory; use fewer quasi-identifiers or coarser lowest levels\n"


@pytest.mark.parametrize("moment", ["__init__", "explore"])
def test_an_interrupt_at_any_moment(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, moment: str
) -> None:
    def interrupted(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Study, moment, interrupted)
    ended = run(*EXPLORE, "-o", "run")
    assert ended.code == 130
    assert ended.out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "people.toml"]


def test_demo(run: Run, tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[object, Any] = {}
    explore = Study.explore

    def explored(study: Study, *objectives: str, **options: Any) -> Any:
        found[options.get("space")] = explore(study, *objectives, **options)
        return found[options.get("space")]

    with monkeypatch.context() as watched:
        watched.setattr(Study, "explore", explored)
        ended = run("demo", "--out", "kept")
    assert ended.code == 0
    assert "UCI Adult: 30,162 people, 8 quasi-identifiers that can be generalized in 17,920 ways" in ended.err
    assert "all 21 checks hold" in ended.out
    assert len(ended.out.splitlines()) <= 11
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == [
        ".paretonym.json", "adult-public.csv", "adult-public.csv.manifest.json", "adult.csv", "adult.toml",
        "report.html", "run",
    ]  # fmt: skip
    beside = ("--original", "kept/adult.csv", "--schema", "kept/adult.toml")
    assert run("audit", "kept/adult-public.csv", *beside).code == 0
    assert "With loss at most 20 %, the best k is 273: release ded924 (" in ended.out
    assert "No generalization by these hierarchies with loss at most 20 % has a k above 2,197." in ended.out
    assert (
        "One level per column would give only k 2, and lose 62.0 % for k 273; no generalization" in ended.out
    )
    front = paretonym.load("kept/run")
    assert front.record is not None
    assert front.record.path == str(tmp_path / "kept/adult.csv")
    asked = ("--schema", "kept/adult.toml", "--suppress", "1%", "--space", "lattice", "--json")
    again = json.loads(run("explore", "kept/adult.csv", *asked).out)
    one_level = {solution.id for solution in front if solution.space == "lattice"}
    assert one_level
    assert one_level <= {entry["id"] for entry in again["solutions"]}
    frontier = (tmp_path / "kept/run/frontier.json").read_bytes()
    assert run("demo", "--out", "kept").code == 2
    # What the demo makes is its own affair; it stands in nobody's way.
    assert not state.exists()
    # What is written again needs no second search.
    monkeypatch.setattr(Study, "explore", lambda *_, **options: found[options.get("space")])
    assert run("demo", "--out", "kept", "--force", "-q").err == ""
    assert (tmp_path / "kept/run/frontier.json").read_bytes() == frontier
    (tmp_path / "kept/adult.toml").write_text("mine")
    assert "'adult.toml' in it has changed since" in run("demo", "--out", "kept", "--force").err
    assert (tmp_path / "kept/adult.toml").read_text() == "mine"
