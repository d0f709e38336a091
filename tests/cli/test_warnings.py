"""Warnings on the way from a table to a release: they come first, on stderr, with --quiet and --json too."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random

import pytest

from tests.cli.conftest import Command

EVENTS = "Warning: k counts rows, not people: rows are events here, and several may belong to one person."
VISITS = """
rows = "events"
[columns.patient]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy.intervals = [5, 10, 20]
[columns.diagnosis]
role = "sensitive"
"""
HEALTH = """
[columns.town]
role = "quasi"
hierarchy.flat = true
[columns.health]
role = "sensitive"
[columns.wage]
role = "sensitive"
hierarchy.intervals = [1000, 10000]
"""


def write(path: Path, head: list[str], rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


@pytest.fixture
def visits(command: Command, tmp_path: Path) -> str:
    """40 patients of 5 visits each, every patient unique; the id of the unchanged table."""
    draw = Random(1)
    rows = [[f"P{p}", str(20 + p), draw.choice("ABCD")] for p in range(40) for _ in range(5)]
    write(tmp_path / "visits.csv", ["patient", "age", "diagnosis"], rows)
    (tmp_path / "visits.toml").write_text(VISITS)
    ended = command(
        "explore",
        "--space",
        "lattice",
        "visits.csv",
        "--schema",
        "visits.toml",
        "-o",
        "run",
        "--json",
        "--quiet",
    )
    assert ended.err.startswith(EVENTS)
    document = json.loads(ended.out)
    assert document["warnings"][0].startswith("k counts rows, not people")
    unchanged = document["solutions"][-1]
    assert (unchanged["values"]["k"], unchanged["values"]["loss"]) == (5, 0)
    return str(unchanged["id"])


def test_events_are_warned_of_by_every_command(command: Command, visits: str, tmp_path: Path) -> None:
    ended = command("ask", "run", "--at-most", "loss=25%", "--best", "k")
    assert ended.err.startswith(EVENTS)
    ended = command("ask", "run")
    assert ended.err.startswith(EVENTS)
    assert visits not in ended.out
    document = json.loads(command("ask", "run", "--at-most", "loss=0", "--best", "k", "--json").out)
    assert document["warnings"][0].startswith("k counts rows, not people")
    ended = command("release", "run", "--pick", visits, "-o", "out.csv", "--quiet")
    assert ended.err.startswith(EVENTS)
    assert "risk-highest" not in ended.out
    for reader in ("officer", "public"):
        ended = command("report", "run", "--pick", visits, "--for", reader, "-o", f"{reader}.html")
        assert ended.err.startswith(EVENTS)
        assert EVENTS in (tmp_path / f"{reader}.html").read_text()
    assert EVENTS in command("schema", "visits.toml", "--data", "visits.csv").err
    assert EVENTS in command("compare", "run", "run/../run", "--measures", "k,loss").err


OF_THE_AUDIT = (
    "Warning: rows are events here, and several may belong to one person: k counts rows, not people, and no "
    "claim gives a person's re-identification risk or says how well a person's sensitive values are hidden."
)


@pytest.mark.parametrize("further", [(), ("--space", "buckets", "--sweep", "l=2")])
def test_who_has_only_file_and_manifest_learns_that_rows_are_events(
    command: Command, visits: str, tmp_path: Path, further: tuple[str, ...]
) -> None:
    """The unchanged table, k = 5: five visits of one patient are not five people."""
    command("explore", "--space", "lattice", "visits.csv", "--schema", "visits.toml", "-o", "other", *further)
    pick = json.loads((tmp_path / "other" / "frontier.json").read_text())["solutions"][-1]["id"]
    command("release", "other", "--pick", pick, "-o", "out.csv")
    manifest = json.loads((tmp_path / "out.csv.manifest.json").read_text())
    assert manifest["rows"] == "events"
    assert not [name for name in manifest["claims"] if name.startswith("risk")]
    ended = command("attack", "out.csv", "--original", "visits.csv", "--schema", "visits.toml")
    assert "Warning: the rows of this table are events" in ended.err
    assert "people" not in ended.out
    for more in ((), ("--quiet",), ("--schema", "visits.toml", "--original", "visits.csv")):
        ended = command("audit", "out.csv", *more)
        assert (ended.code, OF_THE_AUDIT in ended.err) == (0, True)


def test_a_manifest_that_hides_its_events_fails_the_audit(
    command: Command, visits: str, tmp_path: Path
) -> None:
    command("release", "run", "--pick", visits, "-o", "out.csv")
    beside = tmp_path / "out.csv.manifest.json"
    manifest = json.loads(beside.read_text())
    risks = {"risk-highest": 0.2, "risk-average": 0.2}
    claimed = {**manifest, "claims": {**manifest["claims"], **risks}}
    beside.write_text(json.dumps(claimed))
    ended = command("audit", "out.csv")
    assert ended.code == 1
    assert "it claims a risk of people, but its rows are events" in ended.out
    beside.write_text(json.dumps({key: value for key, value in claimed.items() if key != "rows"}))
    ended = command("audit", "out.csv", "--schema", "visits.toml")
    assert ended.code == 1
    assert "1 of 23 checks fails: what a row is." in ended.out
    beside.write_text(json.dumps({**manifest, "rows": "people"}))
    ended = command("audit", "out.csv")
    assert ended.code == 2
    assert "one of 'events', 'persons' is expected" in ended.err


def health(
    command: Command, tmp_path: Path, further: str = "level = 1", names: str = "k,loss"
) -> list[dict[str, object]]:
    """323 people of a town with one state of health; wages that single people have. The run's solutions."""
    draw = Random(2)
    rows = [["A", "good", str(draw.randint(1000, 9999))] for _ in range(323)]
    rows += [
        [draw.choice("BC"), draw.choice(["good", "bad"]), str(draw.randint(1000, 9999))] for _ in range(700)
    ]
    write(tmp_path / "health.csv", ["town", "health", "wage"], rows)
    (tmp_path / "health.toml").write_text(f"{HEALTH}{further}\n")
    asked = ("--objectives", names, "--suppress", "0", "-o", "run", "--json")
    ended = command("explore", "--space", "lattice", "health.csv", "--schema", "health.toml", *asked)
    solutions: list[dict[str, object]] = json.loads(ended.out)["solutions"]
    return solutions


def test_a_certain_value_is_warned_of_before_a_release(command: Command, tmp_path: Path) -> None:
    pick = str(health(command, tmp_path)[-1]["id"])
    certain = (
        "Warning: The value of 'health' is certain for 323 people: all rows of their equivalence class have"
    )
    ended = command("ask", "run", "--at-most", "loss=0", "--best", "k")
    assert ended.err.startswith("Warning: a sensitive value is certain for some: health (323 people).")
    assert "A sensitive value is certain for some: 'health' (323 people)." in ended.out
    ended = command("release", "run", "--pick", pick, "-o", "out.csv", "--quiet", "--details")
    assert certain in ended.err
    ended = command("release", "run", "--pick", pick, "-o", "again.csv", "--json")
    assert json.loads(ended.out)["warnings"][0] == certain.removeprefix("Warning: ") + (
        " it, so somebody who knows the quasi-identifiers learns it. Explore with l or alpha as an "
        "objective to find releases without this."
    )
    command("report", "run", "--pick", pick, "-o", "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "is certain for 323 people" in page
    assert "Attribute disclosure: what is learned about sensitive values" in page


def test_exact_wages_are_warned_of_until_they_are_published_coarser(command: Command, tmp_path: Path) -> None:
    pick = str(health(command, tmp_path)[-1]["id"])
    ended = command("release", "run", "--pick", pick, "-o", "exact.csv", "-qd")
    assert "Warning: Column 'wage' is published exactly." in ended.err
    assert "publish it coarser" in ended.err


def test_two_figures_of_one_measure_have_two_names(command: Command, tmp_path: Path) -> None:
    """l of the wages as published, and l of the intervals by which they are measured."""
    health(command, tmp_path)
    wages_alone = HEALTH.replace('health]\nrole = "sensitive"', 'health]\nrole = "drop"')
    (tmp_path / "health.toml").write_text(f"{wages_alone}level = 1\n")
    command(
        "explore",
        "--space",
        "lattice",
        "health.csv",
        "--schema",
        "health.toml",
        "--objectives",
        "k,l,loss",
        "-o",
        "wages",
    )
    pick = json.loads((tmp_path / "wages" / "frontier.json").read_text())["solutions"][-1]["id"]
    table = command("release", "wages", "--pick", pick, "-o", "out.csv", "--quiet", "--details").out
    names = [line.split("  ")[0].strip() for line in table.splitlines()]
    assert {"l (values as published)", "l (at the measured level)"} <= set(names)
    assert "l" not in names


def test_a_sensitive_column_is_published_at_its_level(command: Command, tmp_path: Path) -> None:
    pick = str(health(command, tmp_path, "release_level = 1")[-1]["id"])
    ended = command("release", "run", "--pick", pick, "-o", "coarse.csv", "-qd")
    assert "published exactly" not in ended.err
    with (tmp_path / "coarse.csv").open(newline="") as file:
        wages = {row["wage"] for row in csv.DictReader(file)}
    assert wages == {f"[{low}, {low + 1000})" for low in range(1000, 10000, 1000)}
    beside = ("--schema", "health.toml", "--original", "health.csv")
    ended = command("audit", "coarse.csv", *beside)
    assert (ended.code, "FAILS" in ended.out) == (0, False)
    # One wage moved into the next interval is found.
    text = (tmp_path / "coarse.csv").read_text().splitlines()
    text[1] = text[1].replace("[1000, 2000)", "[9000, 10000)")
    (tmp_path / "coarse.csv").write_text("\n".join(text) + "\n")
    ended = command("audit", "coarse.csv", *beside)
    assert ended.code == 1
    assert "rows not from the original" in ended.err + ended.out


def test_it_is_not_published_coarser_than_it_is_measured(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "health.csv", ["town", "health", "wage"], [["A", "good", "1"], ["A", "bad", "2"]])
    (tmp_path / "health.toml").write_text(f"{HEALTH}level = 1\nrelease_level = 2\n")
    ended = command("explore", "--space", "lattice", "health.csv", "--schema", "health.toml")
    assert ended.code == 2
    assert (
        "health.toml, column 'wage': it is published at level 2, but measured at level 1, which the file "
        "does not show; set level = 2 or more, or publish it at level 1" in ended.err
    )
    for key in ("release_level", "top", "bottom"):
        (tmp_path / "x.toml").write_text(f'[columns.a]\nrole = "class"\n{key} = 1\n')
        ended = command("schema", "x.toml", "--data", "health.csv")
        assert f"{key} has no meaning for the role class; the column is published unchanged" in ended.err


@pytest.mark.parametrize("name", ["report.docx", "report", "report.html.txt"])
def test_a_report_is_html_or_pdf(command: Command, tmp_path: Path, name: str) -> None:
    health(command, tmp_path)
    ended = command("report", "run", "-o", name)
    assert ended.code == 2
    assert f"a report is HTML or PDF, but {name} does not end in .html, .htm, .pdf" in ended.err
    assert not (tmp_path / name).exists()


def test_a_report_in_german(command: Command, tmp_path: Path) -> None:
    health(command, tmp_path)
    ended = command("report", "run", "--language", "de", "-o", "bericht.html")
    assert ended.code == 0
    page = (tmp_path / "bericht.html").read_text(encoding="utf-8")
    assert "Wie viel Detail, wie viel Schutz" in page
    ended = command("report", "run", "--language", "tlh", "-o", "other.html")
    assert ended.code == 2
    assert "--language: there is no translation for 'tlh'; choose one of en, de" in ended.err
    assert not (tmp_path / "other.html").exists()


def test_what_would_help_an_impossible_question(command: Command, visits: str) -> None:
    asked = ("explore", "--space", "lattice", "visits.csv", "--schema", "visits.toml")
    ended = command(*asked, "--at-least", "k=50", "--at-most", "loss=10%")
    assert ended.code == 1
    assert "or add finer levels to the hierarchies." in ended.err
    assert "coarser" not in ended.err
    ended = command(*asked, "--at-least", "l=4.5")
    assert ended.code == 1
    assert "Require less, or allow more suppression." in ended.err
