"""`apply`, `audit` and `attack` on releases without levels, from the command line."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path

import pytest

from paretonym.interfaces.cli.apply_command import summary
from paretonym.release.appended_release import CombinedRelease
from tests.cli.conftest import Command

SCHEMA = """
columns.age = { role = "quasi", hierarchy.intervals = [10, 20] }
columns.sex = { role = "quasi", hierarchy.flat = true }
columns.illness = { role = "sensitive" }
"""
ILLNESSES = ("flu", "none", "gout", "cold", "acne")
BESIDE = ("--original", "data.csv", "--schema", "data.toml")
EXPLORED = {
    "cuts": ("--space", "cuts", "--set", "hybrid.evaluations=200", "--at-least", "k=4"),
    "mondrian": ("--space", "mondrian", "--sweep", "k=4"),
    "buckets": ("--space", "buckets", "--sweep", "l=2"),
}


def write(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["age", "sex", "illness"], *rows])


def released(command: Command, folder: Path, space: str) -> str:
    """A run of a space and its release r.csv; the name of the solution."""
    rows = [[str(20 + 2 * (i % 17)), "fm"[i % 2], ILLNESSES[i % 5]] for i in range(80)]
    write(folder / "data.csv", rows)
    (folder / "data.toml").write_text(SCHEMA)
    command(
        "explore",
        "--space",
        "lattice",
        "data.csv",
        "--schema",
        "data.toml",
        "-o",
        "run",
        "--quiet",
        *EXPLORED[space],
    )
    solutions = json.loads((folder / "run/frontier.json").read_text())["solutions"]
    pick = str(solutions[-1]["id"])
    assert command("release", "run", "--pick", pick, "-o", "r.csv").code == 0
    return pick


@pytest.mark.parametrize("space", ["cuts", "mondrian"])
def test_new_rows_are_added_and_audited(command: Command, tmp_path: Path, space: str) -> None:
    pick = released(command, tmp_path, space)
    write(tmp_path / "new.csv", [["24", "f", "flu"], ["26", "m", "gout"], ["26", "m", "cold"]])
    ended = command("apply", "run", "--pick", pick, "new.csv", "-o", "new-r.csv")
    assert ended.code == 0
    assert "Old release and new rows together: " in ended.out
    audited = command(
        "audit", "new-r.csv", "--schema", "data.toml", "--original", "new.csv", "--old", "data.csv"
    )
    assert audited.code == 0
    assert "cannot be decided: boundaries, classes kept against the rule" in audited.out


def test_new_rows_in_buckets_are_refused(command: Command, tmp_path: Path) -> None:
    pick = released(command, tmp_path, "buckets")
    write(tmp_path / "new.csv", [["24", "f", "flu"]])
    ended = command("apply", "run", "--pick", pick, "new.csv", "-o", "new-r.csv")
    assert ended.code == 2
    assert "new rows would need their own buckets and permutation" in ended.err
    assert not (tmp_path / "new-r.csv").exists()


def test_buckets_are_attacked(command: Command, tmp_path: Path) -> None:
    """Nothing is found in buckets of two values, nor in the same file twice; its two tables suffice."""
    released(command, tmp_path, "buckets")
    for arguments in (("r.csv", *BESIDE), ("r.csv", "r.csv", *BESIDE)):
        ended = command("attack", *arguments)
        assert ended.code == 0, ended.err
        assert ended.out.startswith("These attacks found nothing.\n")
    (tmp_path / "r.csv").unlink()
    assert command("attack", "r.csv", *BESIDE).code == 0


@pytest.mark.parametrize(
    ("left_out", "classes", "nowhere", "said"),
    [
        (0, 0, 0, "; 0 rows suppressed."),
        (3, 0, 3, "; 3 rows suppressed."),
        (3, 2, 0, "; 3 rows in 2 classes suppressed."),
        (3, 1, 1, "; 3 rows suppressed, 2 of them in 1 class."),
    ],
)
def test_rows_in_no_region_are_of_no_class(left_out: int, classes: int, nowhere: int, said: str) -> None:
    union = CombinedRelease(80, 9, 0, left_out, classes, 9 - left_out, 4, 4, 4, True, nowhere)
    lines, _warnings = summary(union, Path("new-r.csv"))
    assert said in lines[0]


def test_a_value_in_another_bucket_is_found(command: Command, tmp_path: Path) -> None:
    released(command, tmp_path, "buckets")
    ended = command("audit", "r.csv", *BESIDE)
    assert ended.code == 0
    apart, mixed = tmp_path / "r.st.csv", tmp_path / "r.csv"
    tables = {path: list(csv.reader(path.read_text().splitlines())) for path in (apart, mixed)}
    values = {row[0]: row[1] for row in tables[apart][1:]}
    one, other = next((a, b) for a in values for b in values if values[a] != values[b])
    for path, (bucket, illness) in ((apart, (0, 1)), (mixed, (3, 2))):
        first = next(r for r in tables[path][1:] if (r[bucket], r[illness]) == (one, values[one]))
        second = next(r for r in tables[path][1:] if (r[bucket], r[illness]) == (other, values[other]))
        first[illness], second[illness] = second[illness], first[illness]
        with path.open("w", newline="") as file:
            csv.writer(file).writerows(tables[path])
    beside = tmp_path / "r.csv.manifest.json"
    manifest = json.loads(beside.read_text())
    for path in (apart, mixed):
        manifest["output"]["files"][path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    beside.write_text(json.dumps(manifest))
    ended = command("audit", "r.csv", *BESIDE)
    assert ended.code == 1
    assert "sensitive values in a wrong bucket" in ended.out


def test_the_shortlist_says_what_buckets_keep(command: Command, tmp_path: Path) -> None:
    released(command, tmp_path, "buckets")
    ended = command("ask", "run")
    assert "Every bucket (mondrian) meets l=2" in " ".join(ended.out.split())
    assert ended.out.startswith("1 of 1 release worth a look:")


def test_exact_sensitive_values_are_warned_of(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "data.csv", [["24", "fm"[i % 2], f"cost {i}"] for i in range(40)])
    (tmp_path / "data.toml").write_text(SCHEMA)
    careful = "Warning: Column 'illness' is published exactly. 40 of 40 rows (100.0 %) have a value that no"
    assert careful in command("schema", "data.toml", "--data", "data.csv", "--details").err
    assert (
        len(json.loads(command("schema", "data.toml", "--data", "data.csv", "--json").out)["warnings"]) == 1
    )
    command(
        "explore",
        "--space",
        "lattice",
        "data.csv",
        "--schema",
        "data.toml",
        "-o",
        "run",
        "--quiet",
        *EXPLORED["mondrian"],
    )
    pick = json.loads((tmp_path / "run/frontier.json").read_text())["solutions"][0]["id"]
    ended = command("release", "run", "--pick", pick, "-o", "r.csv", "--details")
    assert (ended.code, careful in ended.err) == (0, True)
    command("report", "run", "--pick", pick, "-o", "report.html")
    assert "Warning: Column" in (tmp_path / "report.html").read_text()
