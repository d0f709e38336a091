"""`ask --purpose` at the command line: the answer, its exit code, its JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

Run = Callable[..., Any]
SCHEMA = """
[columns.age]
role = "quasi"
hierarchy.intervals = [5, 10, 20]

[columns.sex]
role = "quasi"
hierarchy.flat = true

[columns.stay]
role = "other"
kept = "yes"

[[purpose]]
name = "stay by age"
regression = "stay ~ age + sex"
tolerance = { ci-overlap = 0.7, sign-kept = 1 }

[[purpose]]
name = "exact"
table = ["age"]
tolerance = { table-error = 0 }
"""
FORMAT = Path(__file__).parents[2] / "docs/reference/formats/purpose-1.schema.json"


@pytest.fixture
def run(command: Run, tmp_path: Path) -> Run:
    rows = [f"{20 + i % 43},{'mf'[i % 2]},{(20 + i % 43) // 4 + i % 3 + 2 * (i % 2)}" for i in range(300)]
    (tmp_path / "stays.csv").write_text("\n".join(["age,sex,stay", *rows]) + "\n")
    (tmp_path / "stays.toml").write_text(SCHEMA)
    ended = command("explore", "stays.csv", "--schema", "stays.toml", "-o", "run", "--suppress", "0", "-q")
    assert ended.code == 0, ended.err
    return command


def test_achievable(run: Run) -> None:
    ended = run("ask", "run", "--purpose", "stay by age", "--at-least", "k=5")
    assert ended.code == 0, ended.err
    assert "'stay by age' is achievable with k at least 5: release " in ended.out
    assert "stay ~ age + sex: ci-overlap " in ended.out
    assert "  age: " in ended.out
    # The next command asks the same.
    assert "--for permit --purpose 'stay by age' --at-least k=5 -o FILE" in ended.err
    exact = run("ask", "run", "--purpose", "stay by age", "--at-most", "loss=80.5555555%")
    assert "--purpose 'stay by age' --at-most loss=0.805555555 -o FILE" in exact.err


def test_not_achievable_with_the_nearest_misses(run: Run) -> None:
    ended = run("ask", "run", "--purpose", "exact", "--at-least", "k=20", "--json")
    assert ended.code == 1
    document = json.loads(ended.out)
    jsonschema_rs.validator_for(json.loads(FORMAT.read_text())).validate(document)
    assert (document["verdict"], document["proven"]) == ("not achievable", True)
    words = [miss["words"] for miss in document["misses"]]
    assert words[0].startswith("if the tolerance were otherwise: table-error ")
    assert any(each.startswith("with k = ") for each in words)


def test_the_answer_fits_its_format(run: Run) -> None:
    document = json.loads(run("ask", "run", "--purpose", "stay by age", "--json").out)
    jsonschema_rs.validator_for(json.loads(FORMAT.read_text())).validate(document)
    assert document["format"] == "paretonym.purpose/1"
    assert document["answer"]["analyses"][0]["met"]


def test_a_purpose_that_nobody_declared(run: Run) -> None:
    ended = run("ask", "run", "--purpose", "stay by sex")
    assert ended.code == 2
    assert "the schema declares no purpose 'stay by sex'; did you mean 'stay by age'?" in ended.err


def test_what_is_recommended_can_be_written(command: Run, tmp_path: Path) -> None:
    """`release --pick` did not know the release, which lies on no frontier of k and loss. The 'yes' says what
    it costs."""
    rows = [f"{20 + i % 43},{'mf'[i % 2]},{(20 + i % 43) // 4 + i % 3 + 2 * (i % 2)}" for i in range(300)]
    (tmp_path / "stays.csv").write_text("\n".join(["age,sex,stay", *rows, "90,x,7"]) + "\n")
    purpose = '[[purpose]]\nname = "slope"\nregression = "stay ~ age"\ntolerance = { ci-overlap = 0.5 }\n'
    (tmp_path / "stays.toml").write_text(SCHEMA.partition("[[purpose]]")[0] + purpose)
    options = ("--space", "lattice", "--suppress", "5%", "-o", "run", "-q")
    assert command("explore", "stays.csv", "--schema", "stays.toml", *options).code == 0
    asked = command("ask", "run", "--purpose", "slope")
    assert asked.code == 0, asked.err
    (name,) = (entry["id"] for entry in json.loads((tmp_path / "run" / "run.json").read_text())["further"])
    lost = "but sex is not shown and 1 row is left out (1 of 1 with age [90, 95), 1 of 1 with sex x)."
    assert f"release {name} with k 20" in asked.out
    assert asked.out.splitlines()[0].endswith(lost)
    assert f"or paretonym release run --pick {name} -o FILE" in asked.err
    assert name not in command("ask", "run", "--json").out
    written = command("release", "run", "--pick", name, "-o", "out.csv")
    assert written.code == 0, written.err
    assert command("audit", "out.csv", "--original", "stays.csv", "--schema", "stays.toml").code == 0
    assert command("report", "run", "--pick", name, "-o", "report.html").code == 0
    # Asked again, it is known.
    assert command("ask", "run", "--purpose", "slope").out == asked.out
    assert len(json.loads((tmp_path / "run" / "run.json").read_text())["further"]) == 1
