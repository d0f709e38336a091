"""A release besides its code: one version everywhere, a short changelog, placeholders that are found,
workflows whose every step is a script of ours, and what other repositories call."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from paretonym.study.study import Study
from paretonym.version import __version__
from scripts import mutate, release_check, workflow_steps

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
MOST_LINES = 40


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version_everywhere(tmp_path: Path) -> None:
    project = tomllib.loads(read("pyproject.toml"))["project"]
    assert project["dynamic"] == ["version"], "pyproject.toml takes it from version.py"
    assert yaml.safe_load(read("CITATION.cff"))["version"] == __version__
    assert re.findall(r"^## \[([^\]]+)\]", read("CHANGELOG.md"), re.MULTILINE)[0] == __version__
    rows = "age,ill\n" + "".join(f"{20 + i % 9},{'ab'[i % 2]}\n" for i in range(40))
    (tmp_path / "rows.csv").write_text(rows)
    schema = {
        "columns": {"age": {"role": "quasi", "hierarchy": {"flat": True}}, "ill": {"role": "sensitive"}}
    }
    front = Study(tmp_path / "rows.csv", schema).explore("k", "loss", space="lattice")
    front[0].release(tmp_path / "public.csv")
    assert json.loads((tmp_path / "public.csv.manifest.json").read_bytes())["version"] == __version__


def test_the_changelog_is_for_readers() -> None:
    section = read("CHANGELOG.md").split("\n## ")[1]
    assert len(section.splitlines()) <= MOST_LINES
    settings = tomllib.loads(read("pyproject.toml"))["tool"]["towncrier"]
    assert settings["start_string"].strip() in read("CHANGELOG.md")
    kinds = {kind["directory"] for kind in settings["type"]}
    for fragment in (ROOT / settings["directory"]).glob("*.md"):
        if fragment.name not in settings["ignore"]:
            assert fragment.suffixes[-2].removeprefix(".") in kinds, fragment.name
            assert 0 < len(fragment.read_text(encoding="utf-8").split()) < 100, fragment.name


def test_placeholders_are_found_and_named() -> None:
    """A name or address that nobody has yet stands nowhere else; the check before a tag names every place."""
    lines = release_check.placeholders()
    assert {line.split(":")[0] for line in lines} >= {"pyproject.toml", "paper/paper.md"}
    named = {*release_check.NAMING, ".pre-commit-hooks.yaml"}
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    for name in tracked.splitlines():
        if name.endswith((".md", ".toml", ".yml", ".yaml", ".cff")) and name not in named:
            assert "paretonym.example" not in read(name) or name == "RELEASING.md", name
    ended = subprocess.run(
        [sys.executable, "scripts/release_check.py", "--placeholders"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == bool(lines)


def steps(path: Path) -> Iterator[dict[str, Any]]:
    for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values():
        yield from job["steps"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_step_is_a_script_of_ours(path: Path) -> None:
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert content["permissions"] == {"contents": "read"}
    for job in content["jobs"].values():
        assert job["timeout-minutes"] <= 120
        assert set(job.get("needs", "").split()) <= set(content["jobs"])
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.MULTILINE))
    for step in steps(path):
        if "run" not in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)", step["uses"]), step
            continue
        program, *arguments = shlex.split(step["run"])
        if program == "make":
            assert set(arguments) <= targets
            continue
        assert program == "python"
        script, *options = arguments
        assert (ROOT / script).is_file(), script
        known = subprocess.run(
            [sys.executable, script, "--help"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        words = [option for option in options if not option.isdigit()]
        assert all(re.search(rf"(?<![\w-]){re.escape(word)}\b", known) for word in words)


def test_three_systems_and_four_pythons() -> None:
    jobs = yaml.safe_load(read(".github/workflows/tests.yml"))["jobs"]
    matrix = jobs["tests"]["strategy"]["matrix"]
    assert {system.split("-")[0] for system in matrix["system"]} == {"ubuntu", "macos", "windows"}
    assert tuple(matrix["python"]) == release_check.SUPPORTED
    classifiers = tomllib.loads(read("pyproject.toml"))["project"]["classifiers"]
    assert all(f"Programming Language :: Python :: {version}" in classifiers for version in matrix["python"])
    publish = yaml.safe_load(read(".github/workflows/release.yml"))["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert "password" not in read(".github/workflows/release.yml").replace("no password", "")


def test_the_lowest_dependencies_are_those_of_the_project() -> None:
    lines = workflow_steps.lowest()
    assert "narwhals==1.40" in lines
    assert all(re.fullmatch(r"[\w.-]+==[\d.]+", line) for line in lines)


@pytest.mark.parametrize("path", mutate.TARGETS)
def test_mutants_are_programs_that_differ(path: str) -> None:
    original = read(path)
    assert all((ROOT / test).exists() for test in mutate.TARGETS[path].split())
    for mutant in mutate.mutants(path):
        compile(mutant.text, path, "exec")
        assert mutant.text != original


def test_the_image_is_small_and_runs_as_nobody() -> None:
    lines = [line for line in read("Dockerfile").splitlines() if line and not line.startswith("#")]
    assert len(lines) <= 20
    assert lines[-1].startswith("CMD")
    assert all("slim" in line for line in lines if line.startswith("FROM"))
    assert any(line.startswith("USER 1") for line in lines)
    assert not any(":latest" in line or line.startswith("ADD") for line in lines)


TABLE = "age,ill\n" + "30,flu\n30,cold\n41,flu\n41,cold\n41,flu\n"
SCHEMA = '[columns.age]\nrole = "quasi"\nhierarchy = { flat = true }\n[columns.ill]\nrole = "sensitive"\n'


@pytest.fixture
def people(tmp_path: Path) -> Path:
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text(TABLE)
    (tmp_path / "people.toml").write_text(SCHEMA)
    return tmp_path


@pytest.mark.parametrize(("require", "code"), [("k>=2", 0), ("k>=3", 1), ("k>=2 l-distinct@ill>=3", 1)])
def test_the_action_fails_a_table_that_misses_its_policy(people: Path, require: str, code: int) -> None:
    action = yaml.safe_load(read("action.yml"))
    assert action["runs"]["using"] == "composite"
    step = action["runs"]["steps"][-1]
    assert step["run"].endswith('scripts/audit_step.sh"')
    given = {"table": "one.csv", "schema": "people.toml", "require": require}
    environment = {
        name: given[re.search(r"inputs\.(\w+)", value)[1]]  # type: ignore[index]
        for name, value in step["env"].items()
    }
    command = people / "paretonym"  # a name without blanks, wherever this Python is
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m paretonym "$@"\n')
    command.chmod(0o755)
    further = {"PATH": "/usr/bin:/bin", "PARETONYM": str(command), "HOME": str(people)}
    ended = subprocess.run(
        ["sh", str(ROOT / "scripts/audit_step.sh")],
        cwd=people, env={**environment, **further}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == code, ended.stderr


@pytest.mark.parametrize(("require", "code"), [("k>=2", 0), ("k>=3", 1)])
def test_the_hook_checks_every_file(people: Path, require: str, code: int) -> None:
    (hook,) = yaml.safe_load(read(".pre-commit-hooks.yaml"))
    program, *arguments = shlex.split(hook["entry"])
    assert program == "python"
    further = ["--schema", "people.toml", "--require", require, *hook["args"], "one.csv", "two.csv"]
    (people / "bin").mkdir()
    (people / "bin/paretonym").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m paretonym "$@"\n')
    (people / "bin/paretonym").chmod(0o700)
    ended = subprocess.run(
        [sys.executable, *arguments, *further],
        cwd=people, env={"PATH": f"{people / 'bin'}:/usr/bin:/bin", "HOME": str(people)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == code, ended.stderr
    assert ended.stdout.count(".csv: ") == 2


def test_the_paper_cites_what_it_lists() -> None:
    cited = set(re.findall(r"@(\w+\d{4})", read("paper/paper.md")))
    assert cited == set(re.findall(r"@\w+\{(\w+),", read("paper/paper.bib")))
    for page in re.findall(r"`(docs/[\w/.-]+)`", read("paper/paper.md")):
        assert (ROOT / page).is_file()
