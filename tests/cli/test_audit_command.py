"""`audit` and `attack` on the command line: tables, exit codes, words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
from paretonym.study.study import Study
from tests.cli.conftest import Command
from tests.naive.releases import write_release

SCHEMA = """
columns.age = { role = "quasi", hierarchy.intervals = [10, 20] }
columns.sex = { role = "quasi", hierarchy.flat = true }
columns.illness = { role = "sensitive" }
"""
ILLNESSES = ("flu", "none", "secret")
PEOPLE = [f"{20 + i % 17},{'fm'[i % 2]},{ILLNESSES[i % 3]}" for i in range(60)]
BESIDE = ("--original", "data.csv", "--schema", "data.toml")


@pytest.fixture
def release(command: Command, tmp_path: Path) -> Path:
    """A release r.csv with its manifest, in the folder of the commands."""
    (tmp_path / "data.csv").write_text("\n".join(["age,sex,illness", *PEOPLE, ""]))
    (tmp_path / "data.toml").write_text(SCHEMA)
    study = Study(tmp_path / "data.csv", tmp_path / "data.toml")
    write_release(tmp_path / "r.csv", study, LatticeRecoding.of({"age": 1, "sex": 0}, {"k": ">=5"}))
    return tmp_path / "r.csv"


def rewrite(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_everything_holds(command: Command, release: Path) -> None:
    ended = command("audit", "r.csv")
    assert ended.code == 0
    assert ended.out == "r.csv: all 24 checks hold.\n"
    assert "sha256 of the file " in ended.err
    assert "sha256 of the manifest " in ended.err
    assert "Somebody who can change both can make them agree" in ended.err


def test_details_are_every_check(command: Command, release: Path) -> None:
    ended = command("audit", "r.csv", "--details")
    assert ended.out.startswith("r.csv: all 24 checks hold.\n")
    assert "t-js-release" in ended.out
    assert ended.out.count("holds") == 24
    changed = command("audit", "r.csv", "--require", "k>=100")
    assert changed.code == 1
    assert changed.out.splitlines()[1].startswith("  FAILS  k>=100: measured ")


def test_statements_too(command: Command, release: Path) -> None:
    ended = command("audit", "r.csv", *BESIDE, "--json")
    document = json.loads(ended.out)
    assert ended.code == 0
    assert {check["kind"] for check in document["checks"]} == {"file", "claim", "original", "statement"}
    assert document["passed"] is True
    assert "forge" not in ended.err


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('"[20, 30)",f', '"[20, 30)",m', {"sha256", "spread-k"}),
        ('"[20, 30)",f,flu\n', "", {"sha256", "rows", "risk-average"}),
        ("flu", "none", {"sha256", "t-release"}),
    ],
)
def test_a_changed_file_fails_and_the_claims_are_named(
    command: Command, release: Path, old: str, new: str, named: set[str]
) -> None:
    rewrite(release, old, new)
    ended = command("audit", "r.csv")
    assert ended.code == 1
    verdict, *reasons = ended.out.splitlines()
    assert "checks fail: " in verdict
    assert named <= set(verdict.split("fail: ")[1].rstrip(".").split(", "))
    assert any(
        line.startswith("  FAILS  sha256") and line.endswith("the manifest was written for another file")
        for line in reasons
    )


def test_an_edited_claim_fails(command: Command, release: Path) -> None:
    rewrite(release.with_name("r.csv.manifest.json"), '"l-distinct": 3.0', '"l-distinct": 2')
    ended = command("audit", "r.csv", "--quiet")
    assert ended.code == 1
    assert ended.out.startswith("r.csv: 1 of 24 checks fails: l-distinct.\n  FAILS  l-distinct: stated 2")
    assert ended.err == ""


def test_requirements_on_a_table_of_anyone(command: Command, release: Path) -> None:
    asked = ("audit", "data.csv", "--quasi", "age,sex", "--sensitive", "illness")
    assert command(*asked, "--require", "k>=1", "--require", "alpha<=100%").code == 0
    ended = command(*asked, "--require", "k>=2", "--require", "l-distinct@illness>=2")
    assert ended.code == 1
    assert "2 of 2 checks fail: k>=2, l-distinct@illness>=2" in ended.out
    assert command("audit", "data.csv", "--schema", "data.toml", "--require", "k>=1").code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("audit", "data.csv"), "nothing says which columns are quasi-identifiers"),
        (("audit", "r.csv", "--require", "k is large"), "does not compare a measure with a number"),
        (("audit", "r.csv", "--require", "loss<=0.5"), "'loss' cannot be measured"),
        (("audit", "r.csv", "--original", "data.csv"), "give the schema with --schema"),
        (("audit", "nothing.csv"), "this file does not exist"),
        (("attack", "r.csv", "--original", "data.csv"), "nothing says what its columns mean"),
        (("attack", "r.csv", "--schema", "data.toml"), "Missing option '--original'"),
        (("attack", "nothing.csv", *BESIDE), "this file does not exist"),
    ],
)
def test_bad_usage_ends_with_2(
    command: Command, release: Path, arguments: tuple[str, ...], words: str
) -> None:
    ended = command(*arguments)
    assert ended.code == 2
    assert words in ended.err
    assert ended.out == ""
    assert "secret" not in ended.err


def test_an_attack_that_fails(command: Command, release: Path) -> None:
    ended = command("attack", "r.csv", *BESIDE)
    assert ended.code == 0
    assert "Linkage: Narrowed for" in ended.out
    assert "somebody who knows age and sex of everybody in the original and has this file" in ended.out
    assert ended.out.startswith("These attacks found nothing.\n")
    assert "secret" not in ended.out + ended.err
    assert command("attack", "r.csv", *BESIDE, "--quiet").out.startswith("These attacks found nothing.\n")


def test_a_file_of_anyone_is_judged_by_its_schema(command: Command, release: Path, tmp_path: Path) -> None:
    """The raw table, without a manifest: everybody unique in it is found."""
    (tmp_path / "raw.csv").write_text("age,sex,illness\n20,f,flu\n21,m,flu\n21,m,none\n")
    (tmp_path / "data.csv").write_text("age,sex,illness\n20,f,flu\n21,m,flu\n21,m,none\n")
    ended = command("attack", "raw.csv", *BESIDE)
    assert ended.code == 1
    assert "Linkage: Certain for 1 person." in ended.out
    assert "Certain values of 'illness': Certain for 1 person: 'flu' for 1" in ended.out
    last = "Found for certain: the released row of 1 person and the value of 'illness' of 1 person.\n"
    assert ended.out.startswith(last)


def test_events_are_not_called_people(command: Command, release: Path, tmp_path: Path) -> None:
    """Every patient stands alone, with eight rows: nothing is said of people."""
    rows = [f"{age},{sex},{'abc'[i % 3]}" for age in (20, 30) for sex in "fm" for i in range(8)]
    (tmp_path / "visits.csv").write_text("\n".join(["age,sex,illness", *rows, ""]))
    (tmp_path / "visits.toml").write_text('rows = "events"\n' + SCHEMA)
    ended = command("attack", "visits.csv", "--schema", "visits.toml", "--original", "visits.csv")
    assert ended.code == 0
    assert ended.err.startswith("Warning: the rows of this table are events")
    assert "Linkage: Narrowed for 32 rows, to 8 candidate rows or more." in ended.out
    assert "people" not in ended.out


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"format": 1}', '{"format": "paretonym.release/1", "roles": [], "recoding": {}}',
     '{"format": "paretonym.manifest/2", "roles": {"age": "quasi"}, "recoding": []}', "[" * 100_000],
)  # fmt: skip
def test_an_odd_manifest_ends_with_2(command: Command, release: Path, tmp_path: Path, content: str) -> None:
    (tmp_path / "r.csv.manifest.json").write_text(content)
    ended = command("attack", "r.csv", *BESIDE)
    assert ended.code == 2, ended.err
    assert "r.csv.manifest.json" in ended.err


def test_a_later_manifest_is_read_too(command: Command, release: Path, tmp_path: Path) -> None:
    beside = tmp_path / "r.csv.manifest.json"
    document = json.loads(beside.read_text())
    document.update(format="paretonym.manifest/2", claims={}, statements={}, more={})
    beside.write_text(json.dumps(document))
    assert command("attack", "r.csv", *BESIDE).code == 0


def test_two_releases_attacked_together(command: Command, release: Path, tmp_path: Path) -> None:
    """By age everybody is one of 2, by sex one of 4; together three are alone."""
    people = ("20,f,a", "20,m,a", "21,f,a", "21,m,b", "30,f,c", "30,m,d", "31,f,a", "31,m,a")
    (tmp_path / "data.csv").write_text("\n".join(["age,sex,illness", *people, ""]))
    study = Study(tmp_path / "data.csv", tmp_path / "data.toml")
    write_release(tmp_path / "by-age.csv", study, LatticeRecoding.of({"age": 0, "sex": 1}, {"k": ">=2"}))
    write_release(tmp_path / "by-sex.csv", study, LatticeRecoding.of({"age": 3, "sex": 0}, {"k": ">=4"}))
    ended = command("attack", "by-age.csv", "by-sex.csv", *BESIDE)
    assert ended.code == 1
    assert "Composition of 'illness': Certain for" in ended.out
    assert "Attacks tried: linkage, certain values and composition, by somebody who" in ended.out
    assert "the value of 'illness' of 8 people.\n" in ended.out
    document = json.loads(command("attack", "by-age.csv", "by-sex.csv", *BESIDE, "--json").out)
    assert document["broken"] is True
    assert document["files"] == ["by-age.csv", "by-sex.csv"]
