"""`ask` and `report` at the command line: answers, exit codes, messages, files."""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Prepare

TABLES = Path(__file__).parents[2] / "examples" / "tables"
Run = Callable[..., Any]


@pytest.fixture
def run(command: Run, prepared: Prepare, tmp_path: Path) -> Run:
    """Runs a command beside a table, its schema and the folder of a run in (k, loss)."""

    def explored() -> None:
        for suffix in ("csv", "toml"):
            shutil.copy(TABLES / f"school.{suffix}", tmp_path)
        assert (
            command(
                "explore", "--space", "lattice", "school.csv", "--schema", "school.toml", "-o", "run", "-q"
            ).code
            == 0
        )

    prepared(explored)
    return command


ASK = ("ask", "run", "--at-most", "loss=55%", "--best", "k")


def test_an_answer(run: Run) -> None:
    ended = run(*ASK)
    assert ended.code == 0
    assert ended.err.splitlines() == [
        "Warning: a sensitive value is certain for some: special_needs (21 people).",
        "Warning: column absences shows rare values: whoever knows one finds the row.",
        "Next: paretonym release run --pick 29134a -o FILE",
    ]
    first = ended.out.splitlines()[0]
    assert first.startswith("With loss at most 55 %, the best k is ")
    assert first.endswith("(proven among releases with one level per column).")
    for words in (
        "rows are suppressed",
        "the re-identification risk is at most 1 in 5 (20 %)",
        "A sensitive value is certain for some: 'special_needs' (21 people).",
        "Not covered: ",
        "Relaxed: ",
        "Stricter: ",
    ):
        assert words in ended.out
    assert "in steps of 20" in ended.out or "not shown" in ended.out


def test_where_is_the_same(run: Run) -> None:
    answers = [
        run("ask", "run", *options, "--best", "loss", "--json").out
        for options in (("--at-least", "k=5"), ("--where", "k>=5"))
    ]
    assert answers[0] == answers[1]


def test_json(run: Run) -> None:
    ended = run(*ASK, "--json")
    document = json.loads(ended.out)
    assert all(line.startswith("Warning: ") for line in ended.err.splitlines())
    assert document["format"] == "paretonym.answer/1"
    assert document["limits"] == [{"measure": "loss", "sense": "at-most", "bound": 0.55}]
    solutions = json.loads(Path("run/frontier.json").read_text())["solutions"]
    within = [s for s in solutions if s["values"]["loss"] <= 0.55]
    assert document["answer"] == max(within, key=lambda s: s["values"]["k"])
    assert document["proven"] is True
    losses = [column["loss"] for column in document["description"]["columns"]]
    assert len(losses) == 7
    assert all(0 <= loss <= 1 for loss in losses)


def test_nothing_satisfies(run: Run) -> None:
    ended = run("ask", "run", "--at-most", "loss=10%", "--at-least", "k=5", "--best", "k")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith(
        "No release of this run has loss at most 10 % and k at least 5.\nWith k at least 5, the lowest loss "
    )
    told = run("ask", "run", "--at-most", "loss=10%", "--at-least", "k=5", "--best", "k", "--json")
    document = json.loads(told.out)
    assert told.code == 1
    assert document["answer"] is None
    assert len(document["nearest"]) == 2


def test_a_limit_that_cannot_be_proven(run: Run) -> None:
    refused = run(*ASK, "--at-most", "sl=1%")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err == (
        "error: the limit 'sl at most 1 %': sl was not an objective of this run, so the best release within "
        "this limit may not be on its frontier; explore again with --objectives k,loss,sl or with "
        "--at-most sl=0.01, or use --allow-unproven for an answer that is not proven\n"
    )
    answered = run(*ASK, "--at-most", "sl=1%", "--allow-unproven")
    assert answered.code == 0
    assert "(not proven)" in answered.out
    assert "Not proven: sl was not an objective of this run" in answered.out
    # What the run's own rule says needs no proof.
    assert run(*ASK, "--at-most", "sl=10%").code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--best", "l"),
            "error: --best: 'l' is not an objective of this run; choose k or loss, or",
        ),
        (("--best", "k", "--where", "k"), "error: --where: 'k' is not of the form MEASURE>=NUMBER; use, for"),
        (("--best", "k", "--at-most", "loss"), "error: --at-most: 'loss' is not of the form MEASURE=NUMBER"),
        (
            ("--best", "k", "--at-most", "los=1"),
            "error: the limit 'los at most 1': unknown measure 'los'",
        ),
        (("--best", "k", "--best", "loss"), "error: --best: given 2 times; give one measure"),
        (
            ("--best", "k", "--at-least", "k=10", "--at-most", "k=5"),
            "error: the limits: 'k at least 10' and 'k at most 5' contradict each other; no value meets both",
        ),
    ],
)
def test_refused(run: Run, options: tuple[str, ...], said: str) -> None:
    ended = run("ask", "run", *options)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(said)
    assert ended.err.count("\n") == 1


def test_without_its_data_the_same_answer_comes(run: Run) -> None:
    before = run(*ASK)
    assert "the best k is" in before.out
    Path("school.csv").rename("moved.csv")
    assert run(*ASK) == before
    found = run(*ASK, "--data", "moved.csv")
    assert found == before


def test_data_that_are_named_must_be_those_of_the_run(run: Run) -> None:
    Path("school.csv").rename("moved.csv")
    Path("moved.csv").write_text(
        Path("moved.csv").read_text() + Path("moved.csv").read_text().splitlines()[-1]
    )
    changed = run(*ASK, "--data", "moved.csv")
    assert "the data have changed since this run was made" in changed.err


def test_a_shortlist(run: Run) -> None:
    ended = run("ask", "run")
    assert ended.code == 0
    assert ended.out.splitlines()[0] == "3 of 10 releases worth a look:"
    manners = [line.split()[0] for line in ended.out.splitlines()[1::2]]
    assert manners == ["careful", "balanced", "detailed"]
    assert ended.err.endswith("Next: paretonym ask run --best MEASURE with --at-most or --at-least\n")
    listed = json.loads(run("ask", "run", "--at-most", "loss=60%", "--json").out)["shortlist"]
    assert 0 < len(listed) <= 7
    assert all(entry["values"]["loss"] <= 0.6 and entry["reasons"] for entry in listed)
    assert run("ask", "run", "--at-most", "loss=0%", "--at-least", "k=2").code == 1


def test_no_such_run(run: Run) -> None:
    ended = run("ask", "nothing", "--best", "k")
    assert ended.code == 2
    assert (
        ended.err == "error: nothing: this run does not exist; create it with 'paretonym explore … -o RUN'\n"
    )


def test_a_folder_that_is_not_a_run(run: Run) -> None:
    ended = run("ask", ".", "--best", "k")
    assert ended.code == 2
    assert ended.err == (
        "error: .: this folder is not a run: it has no frontier.json; give a folder that explore wrote\n"
    )


def test_a_report(run: Run) -> None:
    ended = run("report", "run", "--at-most", "loss=55%", "--best", "k", "-o", "r.html")
    assert ended.code == 0
    assert ended.err.startswith("Warning: a sensitive value is certain for some: special_needs (21 people).")
    assert ended.out == "Wrote r.html: confidential, for the publisher only.\n"
    assert Path("r.html").stat().st_mode & 0o777 == 0o600
    refused = run("report", "run", "-o", "r.html")
    assert refused.code == 2
    assert refused.err.startswith("error: --out r.html: already exists; ")


def test_a_public_report(run: Run) -> None:
    chosen = json.loads(run(*ASK, "--json").out)["answer"]["id"]
    ended = run("report", "run", "--pick", chosen, "--for", "public", "-o", "p.html", "--json")
    document = json.loads(ended.out)
    assert document.pop("warnings")[0].startswith("The value of 'special_needs' is certain for ")
    assert document == {
        "format": "paretonym.report/1", "report": "p.html", "for": "public", "chosen": chosen,
    }  # fmt: skip
    page = Path("p.html").read_text()
    assert "school.csv" not in page
    assert "frontier" not in page


REPORTS_REFUSED = {
    "nothing chosen": (
        ("--for", "public"),
        "error: --for public: a report for the public is about one release, and none is chosen; choose it "
        "with --pick ID\n",
    ),
    "no such reader": (
        ("--for", "officers"),
        "error: --for: unknown reader 'officers'; did you mean 'officer'?",
    ),
    "no such id": (
        ("--pick", "zz"),
        "error: --pick: no solution has the id 'zz'; the frontier has 8b36d1, 936703, ",
    ),
    "limits alone": (
        ("--at-most", "loss=30%"),
        "error: --best: missing, though limits are given; name the measure to optimize\n",
    ),
    "a checklist of nothing": (
        ("--checklist", "wp216"),
        "error: --checklist: a checklist is about one release, and none is chosen; choose it with "
        "--pick ID\n",
    ),
    "no such checklist": (
        ("--checklist", "wp261"),
        "error: --checklist: there is no checklist 'wp261'; did you mean 'wp216'?, or give a file (TOML)\n",
    ),
    "a purpose without a permit": (
        ("--purpose", "grades"),
        "error: --purpose: only a paper for a permit is about a purpose; add --for permit\n",
    ),
    "a permit without a purpose": (
        ("--for", "permit"),
        "error: --purpose: the schema declares no purpose; add [[purpose]] to the schema, and explore "
        "again\n",
    ),
    "a permit that is picked": (
        ("--for", "permit", "--pick", "1a2b3c"),
        "error: --pick: a permit is about the release with the largest k that meets requirement and purpose; "
        "omit it\n",
    ),
}


@pytest.mark.parametrize("case", REPORTS_REFUSED)
def test_reports_refused(run: Run, case: str) -> None:
    options, said = REPORTS_REFUSED[case]
    ended = run("report", "run", "-o", "r.html", *options)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(said)
    assert not Path("r.html").exists()


def test_a_report_needs_its_data(run: Run) -> None:
    Path("school.csv").rename("moved.csv")
    question = ("--at-most", "loss=55%", "--best", "k")
    ended = run("report", "run", *question, "-o", "r.html")
    assert ended.code == 2
    assert "this file, from which the run was made, no longer exists" in ended.err
    assert not Path("r.html").exists()
    assert run("report", "run", *question, "-o", "r.html", "--data", "moved.csv").code == 0


def test_the_warnings_of_a_german_report_are_printed_as_it_says_them(run: Run) -> None:
    ended = run(
        "report", "run", "--at-least", "k=1", "--best", "loss", "--language", "de", "-o", "bericht.html"
    )
    assert ended.code == 0
    sentence = re.search(r"Warning: (.*)", ended.err)
    assert sentence is not None
    assert sentence[1] in html.unescape(Path("bericht.html").read_text("utf-8"))
