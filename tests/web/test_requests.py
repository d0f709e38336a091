"""What the page asks, and that it gets the same facts as the commands."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow.csv
import pytest
from starlette.testclient import TestClient

import paretonym as pn
from paretonym.engine.frontier.queries.landmarks import landmarks
from paretonym.interfaces.web.explorer import Explorer

POINT = "/api/runs/1/points"


@pytest.fixture
def front(school_run: Path) -> pn.Run:
    return pn.load(school_run)


@pytest.fixture
def middle(front: pn.Run) -> pn.Solution:
    return next(s for s in front if 5 <= s["k"] < 40)


def test_the_state(client: TestClient, front: pn.Run) -> None:
    state = client.get("/api/state").json()
    assert [run["text"] for run in state["runs"]] == [str(front)]
    assert state["job"]["state"] == "none"
    assert state["draft"] is None


def test_a_run_as_it_is_drawn(client: TestClient, front: pn.Run) -> None:
    facts = client.get("/api/runs/1").json()
    assert facts["ids"] == [s.id for s in front]
    assert facts["values"]["loss"] == [s["loss"] for s in front]
    assert facts["suppressed"] == [s.suppressed for s in front]
    assert [m["name"] for m in facts["measures"]][:2] == ["k", "loss"]
    marks = [(m.kind, m.solution.id, m.reason) for m in landmarks(front)]
    assert [(m["kind"], m["id"], m["reason"]) for m in facts["landmarks"]] == marks
    assert [c["id"] for c in facts["shortlist"]] == [c.solution.id for c in front.shortlist()]


def test_asking(client: TestClient, front: pn.Run) -> None:
    question = {"best": "k", "limits": [{"measure": "loss", "sense": "at-most", "bound": 0.5}]}
    found = client.post("/api/runs/1/ask", json=question).json()
    pick = front.ask(best="k", at_most={"loss": 0.5})
    assert found["answer"] == pick.id
    assert found["text"].startswith("With loss at most 50 %, the best k is ")
    assert found["proven"]
    # Every step that is offered leads to a release, and its bound lets it pass.
    for step in found["bought"]:
        assert front.pick(step["id"])[step["measure"]] <= step["bound"]


def test_asking_too_much(client: TestClient) -> None:
    limits = [
        {"measure": "loss", "sense": "at-most", "bound": 0.01},
        {"measure": "k", "sense": "at-least", "bound": 300},
    ]
    found = client.post("/api/runs/1/ask", json={"best": "k", "limits": limits}).json()
    assert found["answer"] is None
    assert found["text"].startswith("No release of this run has loss at most 1 % and k at least 300.")
    assert found["nearest"]


def test_asking_for_a_shortlist(client: TestClient) -> None:
    limits = [{"measure": "k", "sense": "at-least", "bound": 3}]
    found = client.post("/api/runs/1/ask", json={"limits": limits}).json()
    assert found["shortlist"]


def test_a_point(client: TestClient, middle: pn.Solution, school_run: Path) -> None:
    facts = client.get(f"{POINT}/{middle.id}").json()
    assert facts["text"] == str(middle.describe())
    assert facts["risk"]["text"] == str(middle.risk())
    assert sum(bin_["rows"] for bin_ in facts["risk"]["bins"]) == facts["risk"]["rows"]
    assert (sum(group["gone"] for group in facts["gone"]) > 0) == (middle.suppressed > 0)
    assert all(0 < group["gone"] <= group["rows"] for group in facts["gone"])
    levels = middle.recoding.as_json()["levels"]
    assert {c["name"]: c["level"] for c in facts["columns"]} == levels
    assert all(c["level"] <= c["height"] for c in facts["columns"])
    assert facts["command"].startswith(f"paretonym release {school_run} --pick {middle.id} -o ")


def test_twenty_rows_before_and_after(client: TestClient, explorer: Explorer, middle: pn.Solution) -> None:
    """What a row is shown as stands in the release, and suppressed rows are not there."""
    found = client.get(f"{POINT}/{middle.id}/rows", params={"start": 30}).json()
    released = {tuple(row) for row in zip(*_columns(middle.release()), strict=True)}
    assert [row["number"] for row in found["rows"]] == list(range(31, 51))
    assert set(found["hidden"]) >= {"pupil_id", "name"}
    for row in found["rows"]:
        assert row["after"] is None or tuple(row["after"]) in released
        assert row["after"] is not None or row["reason"]
    before = [row["before"][found["columns"].index("gender")] for row in found["rows"]]
    table = explorer.runs["1"].data.table.column("gender")
    assert before == [table.texts[table.codes[i]] for i in range(30, 50)]


def _columns(table: Any) -> list[list[str]]:
    return [[str(value) for value in table[name]] for name in table.columns]


def test_rows_beyond_the_end(client: TestClient, middle: pn.Solution) -> None:
    found = client.get(f"{POINT}/{middle.id}/rows", params={"start": 10**9}).json()
    assert found["rows"][-1]["number"] == found["total"]


def test_take_a_release_home(client: TestClient, middle: pn.Solution, tmp_path: Path) -> None:
    taken = client.post(f"{POINT}/{middle.id}/release", json={"kind": "csv"}).json()
    assert taken["audit"]["holds"]
    for file in taken["files"]:
        answer = client.get(file["href"])
        assert answer.headers["content-disposition"] == f'attachment; filename="{file["name"]}"'
        (tmp_path / file["name"]).write_bytes(answer.content)
    audit = pn.audit(tmp_path / taken["files"][0]["name"])
    assert audit.passed
    assert audit["k"] == middle["k"]
    table = pyarrow.csv.read_csv(io.BytesIO((tmp_path / taken["files"][0]["name"]).read_bytes()))
    assert table.num_rows == taken["rows"]


def test_a_second_release_needs_a_word(client: TestClient, front: pn.Run, school_run: Path) -> None:
    first, second = front[2].id, front[3].id
    assert client.post(f"{POINT}/{first}/release", json={}).status_code == 200
    assert client.post(f"{POINT}/{first}/release", json={"kind": "parquet"}).status_code == 200
    refused = client.post(f"{POINT}/{second}/release", json={})
    assert refused.status_code == 409
    assert refused.json()["second"]
    assert "two releases of one table can be joined" in refused.json()["problems"][0]["wrong"]
    assert client.post(f"{POINT}/{second}/release", json={"allow_second_release": True}).status_code == 200
    made = json.loads((school_run / "run.json").read_text())["releases"]
    assert {release["id"] for release in made} == {first, second}


@pytest.mark.parametrize("reader", ["officer", "public"])
def test_reports(client: TestClient, middle: pn.Solution, reader: str) -> None:
    taken = client.post(f"{POINT}/{middle.id}/report", json={"reader": reader}).json()
    page = client.get(taken["files"][0]["href"]).text
    assert page.lower().startswith("<!doctype html>")
    assert ("Confidential" in page) == (reader == "officer")


def test_the_schema_to_take_home(client: TestClient) -> None:
    taken = client.post("/api/runs/1/schema").json()
    assert [file["name"] for file in taken["files"]] == ["schema.toml"]


def test_a_table_that_changed(client: TestClient, explorer: Explorer, school_run: Path) -> None:
    record = json.loads((school_run / "run.json").read_text())
    record["data"] |= {"fingerprint": "sha256:other", "counted": "sha256:other"}
    (school_run / "run.json").write_text(json.dumps(record))
    explorer.runs.open(school_run)
    facts = client.get("/api/runs/2").json()
    point = client.get(f"/api/runs/2/points/{facts['ids'][1]}").json()
    assert "the data have changed since this run was made" in point["note"]
    assert (point["columns"], point["risk"]) == ([], None)


def test_data_that_are_gone(client: TestClient, explorer: Explorer, front: pn.Run, tmp_path: Path) -> None:
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    record["data"]["path"] = str(tmp_path / "gone.csv")
    (tmp_path / "run" / "run.json").write_text(json.dumps(record))
    explorer.runs.open(tmp_path / "run")
    facts = client.get(f"/api/runs/2/points/{front[1].id}").json()
    assert facts["risk"] is None
    assert "this file, from which the run was made, no longer exists" in facts["note"]
    assert client.post(f"/api/runs/2/points/{front[1].id}/release", json={}).status_code == 409


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/runs/2", 404),
        ("/api/runs/x", 422),
        (f"{POINT}/ffffff", 409),
        (f"{POINT}/..%2f..", 404),
        ("/api/files/abc", 409),
        ("/static/nothing.js", 404),
        ("/docs", 404),
    ],
)
def test_what_is_not_there(client: TestClient, path: str, status: int) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert set(answer.json()["problems"][0]) == {"field", "column", "text", "place", "wrong", "remedy"}
