"""Projects and schema files on the page: saved, loaded, refused; and the utility of a release."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from paretonym.run import Project
from paretonym.web.explorer import Explorer
from paretonym.web.schema_drafts import Upload
from tests.web.conftest import TABLES

SCHEMA = tomllib.loads((TABLES / "school.toml").read_text(encoding="utf-8"))


def fetched(client: TestClient, answer: Any) -> tuple[str, bytes]:
    assert answer.status_code == 200, answer.text
    (file,) = answer.json()["files"]
    return file["name"], client.get(file["href"]).content


def loaded(client: TestClient, content: bytes, name: str = "x.paretonym") -> Any:
    return client.put("/api/project", params={"name": name}, content=content)


def test_a_schema_is_saved_and_loaded(client: TestClient) -> None:
    """As TOML and as a project, what is edited comes back as it was."""
    name, text = fetched(client, client.post("/api/schema", json={"description": SCHEMA}))
    assert name == "schema.toml"
    assert loaded(client, text, name).json() == {
        "schema": tomllib.loads(text.decode()),
        "run": None,
        "note": "",
    }
    name, packed = fetched(client, client.post("/api/project", json={"description": SCHEMA}))
    assert name == "project.paretonym"
    found = loaded(client, packed, name).json()
    assert set(found["schema"]["columns"]) == set(SCHEMA["columns"])


def test_a_run_comes_with_its_project(client: TestClient, explorer: Explorer, school_run: Path) -> None:
    """It is opened beside the table that it was made of, and beside no other."""
    _, packed = fetched(client, client.post("/api/runs/1/project"))
    assert packed == Project.of_run(school_run).packed()
    without = loaded(client, packed).json()
    assert (without["run"], without["note"][:28]) == (None, "Choose the table of its run ")
    explorer.upload = Upload(TABLES / "survey.csv", "survey.csv")
    other = loaded(client, packed).json()
    assert (other["run"], other["note"][:23]) == (None, "Its run was made of ano")
    explorer.upload = Upload(TABLES / "school.csv", "school.csv")
    found = loaded(client, packed).json()
    assert (found["run"], found["note"]) == ("2", "")
    assert client.get("/api/runs/2").json()["ids"] == client.get("/api/runs/1").json()["ids"]


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"PK\x03\x04...", "this is not a project: it is no archive"),
        (b"\xff\xfe\x00", "this is neither a schema nor a project"),
        (b"[columns.x]\nrole = 'boss'\n", "boss"),
        (b"[columns.x]\nrole='quasi'\nhierarchy.file='/etc/passwd'\n", "a hierarchy file cannot be used"),
    ],
)  # fmt: skip
def test_what_is_neither(client: TestClient, explorer: Explorer, content: bytes, wrong: str) -> None:
    answer = loaded(client, content, "../../x.paretonym")
    assert answer.status_code == 409
    assert wrong in answer.json()["problems"][0]["text"]
    assert [path for path in explorer.folder.rglob("*") if path.is_file()] == []


def test_utility_of_a_release(client: TestClient) -> None:
    """What `paretonym utility` says, with few values of each column and none of a sensitive one."""
    name = client.get("/api/runs/1").json()["ids"][2]
    found = client.post(f"/api/runs/1/points/{name}/utility", json={}).json()
    assert found["summary"].startswith("Shares of single values are off by ")
    assert set(found["values"]) == {"marginal-error", "association-error", "pmse"}
    assert all(len(column["values"]) <= 20 for column in found["columns"])
    by_name = {column["name"]: column for column in found["columns"]}
    assert by_name["special_needs"]["values"] == []
    assert "special_needs" in found["targets"]
    predicted = client.post(f"/api/runs/1/points/{name}/utility", json={"target": "special_needs"})
    assert "special_needs" in predicted.json()["prediction"]
    wrong = client.post(f"/api/runs/1/points/{name}/utility", json={"target": "nobody"})
    assert wrong.status_code == 409
