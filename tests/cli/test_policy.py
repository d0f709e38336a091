"""A policy file for `audit` and `explore`: limits with who set them and why, exit codes for pipelines."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

Run = Callable[..., Any]
FORMAT = Path(__file__).parents[2] / "docs/reference/formats/policy-file.json"
POLICY = """
name = "House rules"

[[limit]]
require = "k>={k}"
set_by = "data protection officer"
why = "nobody is one of fewer"

[[limit]]
require = "sl<=0.5"
set_by = "statistics"
why = "a table of half the people is another table"
"""
FILE_POLICY = POLICY.partition('[[limit]]\nrequire = "sl')[0]


@pytest.fixture
def run(command: Run, tmp_path: Path) -> Run:
    rows = [f"{20 + i % 20},{'mf'[i % 2]}" for i in range(200)]
    (tmp_path / "people.csv").write_text("\n".join(["age,sex", *rows]) + "\n")
    columns = '[columns.age]\nrole = "quasi"\nhierarchy.intervals = [5, 10]\n[columns.sex]\nrole = "quasi"\n'
    (tmp_path / "people.toml").write_text(columns + "hierarchy.flat = true\n")
    (tmp_path / "house.toml").write_text(POLICY.format(k=20))
    (tmp_path / "strict.toml").write_text(FILE_POLICY.format(k=5000))
    (tmp_path / "file.toml").write_text(FILE_POLICY.format(k=20))
    return command


def test_explore_and_audit_by_one_policy(run: Run, tmp_path: Path) -> None:
    ended = run(
        "explore", "people.csv", "--schema", "people.toml", "-o", "run", "--policy", "house.toml", "--json"
    )
    assert ended.code == 0, ended.err
    solutions = json.loads(ended.out)["solutions"]
    assert all(solution["values"]["k"] >= 20 and solution["values"]["sl"] <= 0.5 for solution in solutions)
    assert run("release", "run", "--pick", solutions[0]["id"], "-o", "out.csv", "-q").code == 0
    ended = run("audit", "out.csv", "--policy", "file.toml")
    assert ended.code == 0, ended.err
    assert "House rules: k>=20, set by data protection officer: nobody is one of fewer" in ended.out
    ended = run("audit", "out.csv", "--policy", "strict.toml", "--json")
    assert ended.code == 1
    assert json.loads(ended.out)["policies"][0]["limits"][0]["require"] == "k>=5000"


def test_the_file_fits_its_published_format() -> None:
    jsonschema_rs.validator_for(json.loads(FORMAT.read_text())).validate(tomllib.loads(POLICY.format(k=5)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = 'x'", "it has no limit; begin each limit with [[limit]]"),
        ("limit = 3", "limit is the number 3"),
        ("[[limit]]\nrequire = 'k>=5'\nwhy = 'x'", "limit 1: set_by: set_by is missing"),
        ("[[limit]]\nrequired = 'k>=5'", "the key 'required' is unknown; did you mean 'require'?"),
        ("[[limit]", "not valid TOML"),
    ],
)
def test_mistakes(run: Run, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "wrong.toml").write_text(text)
    for command in (
        ("audit", "people.csv", "--quasi", "age,sex", "--policy", "wrong.toml"),
        ("explore", "people.csv", "--schema", "people.toml", "--policy", "wrong.toml"),
    ):
        ended = run(*command)
        assert ended.code == 2
        assert message.split(": ")[-1] in ended.err
