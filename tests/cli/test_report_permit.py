"""`report --for permit` and `--checklist` at the command line: the paper, its twin, its exit code."""

from __future__ import annotations

import json
import re
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
role = "sensitive"

[[purpose]]
name = "stay by age"
regression = "stay ~ age + sex"
tolerance = { ci-overlap = 0.2, sign-kept = 1 }

[[purpose]]
name = "exact"
table = ["age"]
tolerance = { table-error = 0 }
"""
POLICY = """
[[limit]]
require = "k>=5"
set_by = "ethics committee"
why = "<b>no group</b> below five"
"""
FORMAT = Path(__file__).parents[2] / "docs/reference/formats/permit-1.schema.json"
PERMIT = ("report", "run", "--for", "permit", "--purpose")


@pytest.fixture
def run(command: Run, tmp_path: Path) -> Run:
    rows = [f"{20 + i % 43},{'mf'[i % 2]},{(20 + i % 43) // 4 + i % 3 + 2 * (i % 2)}" for i in range(860)]
    (tmp_path / "stays.csv").write_text("\n".join(["age,sex,stay", *rows]) + "\n")
    (tmp_path / "stays.toml").write_text(SCHEMA)
    (tmp_path / "house.toml").write_text(POLICY)
    ended = command("explore", "stays.csv", "--schema", "stays.toml", "-o", "run", "--suppress", "0",
                    "--control", "30%", "--space", "lattice", "-q")  # fmt: skip
    assert ended.code == 0, ended.err
    return command


def twin(run: Run, *options: str) -> dict[str, Any]:
    run(*PERMIT, *options, "-o", "permit.json")
    document: dict[str, Any] = json.loads(Path("permit.json").read_text())
    jsonschema_rs.validator_for(json.loads(FORMAT.read_text())).validate(document)
    assert document["format"] == "paretonym.permit/1"
    return document


def test_a_paper_that_says_yes(run: Run) -> None:
    ended = run(*PERMIT, "stay by age", "--policy", "house.toml", "-o", "permit.html")
    assert ended.code == 0, ended.err
    assert ended.out.endswith(
        "Wrote permit.html: confidential, for those who decide on access to the data.\n"
    )
    assert Path("permit.html").stat().st_mode & 0o777 == 0o600
    page = Path("permit.html").read_text()
    assert "Yes, with the release below." in page
    assert "ethics committee: &lt;b&gt;no group&lt;/b&gt; below five" in page
    assert "<script" not in page
    headings = re.findall(r"<h2>(.*?)</h2>", page)
    assert headings[:4] == ["1 Purpose", "2 Requirement", "3 Result", "4 Residual risk"]
    assert headings[-2:] == ["Method and versions", "Decision"]
    for criterion in ("singling out", "linkability", "inference"):
        assert f"<td>{criterion}</td>" in page


def test_the_twin_says_what_ask_says(run: Run) -> None:
    answer = json.loads(run("ask", "run", "--purpose", "stay by age", "--at-least", "k=5", "--json").out)
    document = twin(run, "stay by age", "--policy", "house.toml", "--checklist", "wp216")
    assert document["result"] == {key: value for key, value in answer.items() if key != "format"}
    assert document["requirement"][0]["set_by"] == "ethics committee: <b>no group</b> below five"
    residual = document["residual_risk"]
    assert residual["release"] == answer["answer"]["id"]
    assert residual["prosecutor"] == 1 / residual["values"]["k"]
    assert {one["criterion"] for one in residual["criteria"]} == {"singling-out", "linkability", "inference"}
    assert [one["name"] for one in document["checklists"]] == ["wp216"]


def test_a_paper_that_says_no(run: Run) -> None:
    ended = run(*PERMIT, "exact", "--at-least", "k=20", "-o", "no.html")
    assert ended.code == 1
    page = Path("no.html").read_text()
    assert "No, with none of the releases that show each column at one level: this is proven." in page
    assert "What comes nearest" in page
    assert "4 Residual risk" not in page
    document = twin(run, "exact", "--at-least", "k=20", "--checklist", "wp216")
    assert document["residual_risk"] is None
    assert document["checklists"] == []
    assert document["result"]["verdict"] == "not achievable"


def test_numbers_are_the_same_in_german(run: Run) -> None:
    english = twin(run, "stay by age", "--at-least", "k=5")
    Path("permit.json").unlink()
    german = twin(run, "stay by age", "--at-least", "k=5", "--language", "de")
    assert german["language"] == "de"
    assert "ist erreichbar" in german["result"]["text"]
    assert german["residual_risk"]["values"] == english["residual_risk"]["values"]
    assert german["result"]["answer"]["analyses"] == english["result"]["answer"]["analyses"]
    ended = run(*PERMIT, "stay by age", "--language", "de", "-o", "permit.html", "--checklist", "wp216")
    assert ended.code == 0
    page = Path("permit.html").read_text()
    assert "Lässt sich der Zweck mit anonymisierten Daten erreichen?" in page
    assert "Niemand lässt sich aussondern" in page
    assert not re.search(
        r"\b(the|met|release)\b", re.sub(r"<[^>]*>|Data Protection.*", "", page).split("@media")[-1]
    )


def test_a_purpose_must_be_named_if_there_are_several(run: Run) -> None:
    ended = run("report", "run", "--for", "permit", "-o", "permit.html")
    assert ended.code == 2
    assert ended.err == ("error: --purpose: the schema declares 2 purposes; known: exact, stay by age\n")
    assert not Path("permit.html").exists()


def test_a_checklist_in_the_report(run: Run) -> None:
    pick = json.loads(run("ask", "run", "--at-least", "k=5", "--best", "loss", "--json").out)["answer"]["id"]
    ended = run("report", "run", "--pick", pick, "--checklist", "ema-0070", "-o", "r.html")
    assert ended.code == 0, ended.err
    page = Path("r.html").read_text()
    assert "EMA Policy 0070" in page
    assert 'href="https://www.ema.europa.eu/' in page
    assert "No item is legal advice" in page
    assert "compliant" not in page
    ended = run("report", "run", "--pick", pick, "--for", "public", "--checklist", "ema-0070", "-o", "p.html")
    assert ended.code == 2
    assert "error: --checklist: a checklist shows more than the public may see" in ended.err
