"""The files around the code: what they name exists, and what they state is what the project says."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from paretonym.version import __version__

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def wanted(project: dict[str, Any]) -> list[Requirement]:
    """What development asks for: the dependencies, the extras of `all` and the development group."""
    table, extras = project["project"], project["project"]["optional-dependencies"]
    (everything,) = map(Requirement, extras["all"])
    texts = [*table["dependencies"], *project["dependency-groups"]["dev"]]
    texts += [text for name in everything.extras for text in extras[name]]
    return list(map(Requirement, texts))


def test_the_lock_holds_every_direct_dependency_within_its_bounds(project: dict[str, Any]) -> None:
    first, *lines = (ROOT / "dev.lock").read_text(encoding="utf-8").splitlines()
    assert first.startswith("# Python 3.")
    assert lines == sorted(lines)
    locked = {}
    for line in lines:
        pinned, digest = line.split(" --hash=sha256:")
        assert len(digest) == 64
        name, version = pinned.split("==")
        locked[canonicalize_name(name)] = version
    for requirement in wanted(project):
        found = locked.get(canonicalize_name(requirement.name))
        assert found is not None, f"{requirement.name} is not in dev.lock: run scripts/make_lock.py"
        assert requirement.specifier.contains(found, prereleases=True), f"{requirement} but {found}"


def test_the_citation_is_of_this_version(project: dict[str, Any]) -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == __version__
    assert cited["license"] == project["project"]["license"]
    assert cited["title"].startswith("paretonym: ")
    assert cited["cff-version"] == "1.2.0"


def test_hooks_run_what_is_installed() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    (local,) = hooks["repos"]
    assert local["repo"] == "local"
    assert {hook["language"] for hook in local["hooks"]} == {"system"}
    assert all(hook["entry"].startswith(".venv/bin/python -m ") for hook in local["hooks"])


def test_cases_that_were_never_tried_are_tried_by_night_alone() -> None:
    """`make test` passes today where it passed yesterday; new cases are for whoever can look into them."""
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    fresh = [place for place, line in enumerate(lines) if "PARETONYM_CASES" in line]
    assert [lines[place - 1] for place in fresh] == ["nightly: setup"]
    workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
    steps = {
        path.stem: "workflow_steps.py test --fresh" in path.read_text(encoding="utf-8") for path in workflows
    }
    assert [name for name, runs in steps.items() if runs] == ["nightly"]


def test_forms_for_issues_can_be_filled_in() -> None:
    for form in sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")):
        content = yaml.safe_load(form.read_text(encoding="utf-8"))
        if form.name == "config.yml":
            continue
        assert {"name", "description", "body"} <= set(content)
        ids = [part["id"] for part in content["body"] if part["type"] != "markdown"]
        assert ids
        assert len(ids) == len(set(ids))
