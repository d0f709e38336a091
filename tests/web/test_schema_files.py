"""Schema files on the page: saved, loaded, refused; and risk and utility of a release."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
import tomlkit
from starlette.testclient import TestClient

from paretonym.interfaces.web.explorer import Explorer
from paretonym.interfaces.web.schema_drafts import Upload
from tests.web.conftest import TABLES

SCHEMA = tomllib.loads((TABLES / "school.toml").read_text(encoding="utf-8"))


def fetched(client: TestClient, answer: Any) -> tuple[str, bytes]:
    assert answer.status_code == 200, answer.text
    (file,) = answer.json()["files"]
    return file["name"], client.get(file["href"]).content


def loaded(client: TestClient, content: bytes, name: str = "x.toml") -> Any:
    return client.put("/api/schema", params={"name": name}, content=content)


def test_a_schema_is_saved_and_loaded(client: TestClient) -> None:
    """What is edited comes back as it was."""
    name, text = fetched(client, client.post("/api/schema", json={"description": SCHEMA}))
    assert name == "schema.toml"
    assert loaded(client, text, name).json() == {"schema": tomllib.loads(text.decode())}


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"\xff\xfe\x00", "this is not a schema"),
        (b"[columns.x]\nrole = 'boss'\n", "boss"),
        (b"role = boss", "line 1, column 8: not valid TOML"),
        (b"a" + b".a" * 50_000 + b" = 1", "a key has more than 100 parts"),
        (b"[columns.x]\nrole='quasi'\nhierarchy.file='/etc/passwd'\n", "which is not known here"),
    ],
)  # fmt: skip
def test_what_is_neither(client: TestClient, explorer: Explorer, content: bytes, wrong: str) -> None:
    answer = loaded(client, content, "../../x.toml")
    assert answer.status_code == 409
    assert wrong in answer.json()["problems"][0]["text"]
    assert [path for path in explorer.folder.rglob("*") if path.is_file()] == []


TREE = "north;cold;all\nsouth;warm;all\nwest;warm;all\neast;east;all\n"
WITH_FILE = {
    **SCHEMA,
    "columns": {**SCHEMA["columns"], "district": {"role": "quasi", "hierarchy": {"file": "trees/d.csv"}}},
}


@pytest.fixture
def districts(explorer: Explorer) -> Explorer:
    """The school table with the districts of the tree."""
    folder = explorer.shelf.place()
    lines = (TABLES / "school.csv").read_text(encoding="utf-8").splitlines()
    place = lines[0].split(",").index("district")
    rows = [line.split(",") for line in lines[1:]]
    for number, row in enumerate(rows):
        row[place] = ("north", "south", "west", "east")[number % 4]
    text = "\n".join([lines[0], *(",".join(row) for row in rows)]) + "\n"
    (folder / "school.csv").write_text(text, encoding="utf-8")
    explorer.upload = Upload(folder / "school.csv", "school.csv")
    return explorer


def test_a_hierarchy_file(client: TestClient, districts: Explorer) -> None:
    """A schema is edited with the file that it names: seen as a tree, kept until it is changed."""
    text = tomlkit.dumps(WITH_FILE).encode()
    refused = loaded(client, text, "s.toml")
    assert refused.status_code == 409
    assert refused.json()["problems"][0]["text"] == (
        "column 'district': its hierarchy is in the file d.csv, which is not known here; choose the schema "
        "and that file together, or write the hierarchy as a tree"
    )
    sent = client.put("/api/hierarchy", params={"name": "d.csv"}, content=TREE.encode())
    assert sent.json() == {"files": ["d.csv"]}
    mapping = loaded(client, text, "s.toml").json()["schema"]
    assert mapping["columns"]["district"]["hierarchy"] == {"file": "trees/d.csv"}
    described = {"description": mapping}
    reviewed = client.post("/api/review", json=described).json()
    assert reviewed["problems"] == []
    values = client.post("/api/values", json={**described, "column": "district"}).json()
    assert values["tree"] == [{"cold": ["north"]}, {"warm": ["south", "west"]}, "east"]
    # Kept as a file where it is unchanged, and the same hierarchy as a tree.
    made = client.post("/api/schema", json=described).json()["files"]
    assert {file["name"]: client.get(file["href"]).content for file in made}["d.csv"] == TREE.encode()
    mapping["columns"]["district"]["hierarchy"] = {"tree": values["tree"]}
    again = client.post("/api/review", json={"description": mapping}).json()
    levels = [next(c for c in each["columns"] if c["name"] == "district") for each in (reviewed, again)]
    assert levels[0]["levels"][:2] == levels[1]["levels"][:2]
    assert [len(each["levels"]) for each in levels] == [3, 3]


def test_another_table_has_its_own_hierarchy_files(client: TestClient, explorer: Explorer) -> None:
    client.put("/api/hierarchy", params={"name": "d.csv"}, content=TREE.encode())
    assert list(explorer.hierarchies) == ["d.csv"]
    assert client.post("/api/example").is_success
    assert explorer.hierarchies == {}


def test_a_file_that_is_no_hierarchy(client: TestClient, districts: Explorer) -> None:
    answer = client.put("/api/hierarchy", params={"name": "d.csv"}, content=b"\xff\xfe")
    assert (answer.status_code, answer.json()["problems"][0]["wrong"]) == (409, "it is not text in UTF-8")
    client.put("/api/hierarchy", params={"name": "d.csv"}, content=b"north;a\nnorth;b\n")
    found = client.post("/api/review", json={"description": WITH_FILE}).json()
    assert "district" in {problem["column"] for problem in found["problems"]}


def test_where_the_risk_of_the_table_comes_from(client: TestClient, explorer: Explorer) -> None:
    """What `paretonym risk` says, without any value of a column."""
    data = explorer.runs["1"].data
    found = client.get("/api/runs/1/risk").json()
    known = data.table_risk(3)
    assert found["summary"] == str(known)
    assert found["sizes"]["bins"] == [each._asdict() for each in known.classes.bins() if each.classes]
    assert {each["name"] for each in found["columns"]} == {axis.name for axis in data.cube.axes}
    scores = [each["score"] for each in found["columns"]]
    assert scores == sorted(scores, reverse=True)
    assert [tuple(each["columns"]) for each in found["combinations"]] == [
        each.columns for each in known.combinations[:15]
    ]
    assert (found["estimates"], found["more"]) == (None, max(0, len(known.combinations) - 15))


def test_utility_of_a_release(client: TestClient) -> None:
    """What `Solution.utility` says, with few values of each column and none of a sensitive one."""
    name = client.get("/api/runs/1").json()["ids"][2]
    found = client.get(f"/api/runs/1/points/{name}/utility").json()
    assert found["summary"].startswith("Shares of single values are off by ")
    assert set(found["values"]) == {"marginal-error", "association-error", "pmse"}
    assert all(len(column["values"]) <= 20 for column in found["columns"])
    by_name = {column["name"]: column for column in found["columns"]}
    assert by_name["special_needs"]["values"] == []
