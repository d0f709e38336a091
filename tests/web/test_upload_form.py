"""What people have, uploaded: workbooks, JSON lines, compressed files, other encodings and decimal commas."""

from __future__ import annotations

import bz2
import gzip
import io
import json
from collections.abc import Callable
from typing import Any

import openpyxl
import pytest
import zstandard
from starlette.testclient import TestClient

from paretonym.base.errors import InputError
from paretonym.interfaces.web.explorer import Explorer
from tests.web.conftest import Drafted, upload
from tests.web.test_uploading import wait

PLACES = ("Köln", "Bonn", "Essen")
ROWS = [(20 + n % 40, f"{60 + n / 4:.2f}".replace(".", ","), PLACES[n % 3]) for n in range(80)]
CSV = "alter;gewicht;ort\n" + "".join(f"{a};{b};{c}\n" for a, b, c in ROWS)


def book(**sheets: list[tuple[Any, ...]]) -> bytes:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


PEOPLE: list[tuple[Any, ...]] = [("alter", "gewicht", "ort"), *ROWS]
LINES = "".join(json.dumps(dict(zip(PEOPLE[0], row, strict=True))) + "\n" for row in ROWS).encode()
FILES: dict[str, tuple[str, Callable[[], bytes], dict[str, Any]]] = {
    "Windows text": (
        "p.csv", lambda: CSV.encode("cp1252"), {"kind": "CSV", "encoding": "cp1252", "separator": ";"},
    ),
    "gzip": ("p.csv.gz", lambda: gzip.compress(CSV.encode()), {"packing": "gzip", "encoding": "utf-8"}),
    "zstd": ("p.csv.zst", lambda: zstandard.compress(CSV.encode("utf-16")), {"encoding": "utf-16"}),
    "bz2": ("p.csv.bz2", lambda: bz2.compress(CSV.encode("cp1252")), {"packing": "bz2", "separator": ";"}),
    "workbook": ("p.xlsx", lambda: book(Leute=PEOPLE), {"kind": "workbook", "sheet": "Leute"}),
    "JSON lines": ("p.jsonl", lambda: LINES, {"kind": "JSON lines", "encoding": "utf-8", "separator": None}),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_what_people_have(drafted: Drafted, name: str) -> None:
    """Read as it is written, with the decimal comma found, and its first cells as they are read."""
    given, made, expected = FILES[name]
    draft = drafted(made(), given)
    assert draft["rows"] == 80
    reading = draft["reading"]
    assert {key: reading[key] for key in expected} == expected
    assert reading["decimal"] == ","
    shown = {column["name"]: (column["type"], column["cells"][:2]) for column in reading["columns"]}
    assert shown["gewicht"] == ("decimal", ["60.00", "60.25"])
    assert shown["ort"] == ("text", ["Köln", "Bonn"])


def test_a_sheet_is_chosen_by_name(client: TestClient, explorer: Explorer) -> None:
    """The one that seems to hold the table is read; another one on request, and by the search too."""
    upload(client, book(Hinweise=[("a", "b"), (1, 2)], Leute=PEOPLE), "p.xlsx")
    first = wait(client)["result"]["reading"]
    assert (first["sheets"], first["sheet"]) == (["Leute", "Hinweise"], "Leute")
    assert client.post("/api/reading", json={"sheet": "Hinweise"}).status_code == 202
    assert wait(client)["result"]["reading"]["sheet"] == "Hinweise"
    assert client.post("/api/reading", json={"sheet": "Leute"}).status_code == 202
    draft = wait(client)["result"]
    assert (draft["rows"], draft["reading"]["sheet"]) == (80, "Leute")
    schema = draft["schema"]
    schema["columns"]["gewicht"] = {**schema["columns"]["gewicht"], "role": "quasi"}
    wanted = {"description": schema, "objectives": ["k", "loss"]}
    assert client.post("/api/explore", json=wanted).status_code == 202
    assert wait(client)["state"] == "done"
    name = client.get("/api/runs/2").json()["ids"][0]
    command = client.get(f"/api/runs/2/points/{name}").json()["command"]
    assert schema["sheet"] == "Leute"
    assert "--table Leute" in command


def test_what_cannot_be_told_is_asked(client: TestClient) -> None:
    """Two separators fit: nothing is guessed, and the file is not lost. The fields are there to say it."""
    upload(client, b"a;b,c\n" + b"1;2,3\n" * 60)
    failed = wait(client)
    assert failed["state"] == "failed"
    assert "more than one separator" in failed["problems"][0]["wrong"]
    assert (failed["reading"]["kind"], failed["reading"]["separator"]) == ("CSV", None)
    assert "columns" not in failed["reading"]
    client.post("/api/reading", json={"separator": ";"})
    reading = wait(client)["result"]["reading"]
    assert [column["name"] for column in reading["columns"]] == ["a", "b,c"]
    assert reading["asked"] == {"separator": ";"}


def test_a_comma_that_may_mean_thousands(drafted: Drafted) -> None:
    content = b"sum;place\n" + b"".join(b"1,%03d;x\n" % (100 + n) for n in range(60))
    doubtful = drafted(content, "p.csv")
    assert doubtful["schema"]["columns"]["sum"]["role"] == "undecided"
    decided = drafted(content, "p.csv", decimal=",")
    assert decided["schema"]["columns"]["sum"]["decimal"] == ","
    assert decided["reading"]["columns"][0]["cells"][0] == "1.100"
    assert drafted(content, "p.csv", decimal=".")["reading"]["columns"][0]["cells"][0] == "1,100"


WRONG = {
    "encoding": ({"encoding": "klingon"}, "unknown encoding 'klingon'"),
    "sheet": ({"sheet": "none"}, "there is no sheet called 'none'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_said_may_be_wrong(drafted: Drafted, name: str) -> None:
    asked, wrong = WRONG[name]
    content = book(A=PEOPLE, B=PEOPLE) if name == "sheet" else CSV.encode()
    with pytest.raises(InputError, match=wrong):
        drafted(content, "p.xlsx" if name == "sheet" else "p.csv", **asked)


def test_nothing_to_read_again(client: TestClient) -> None:
    answer = client.post("/api/reading", json={})
    assert answer.status_code == 409
    assert answer.json()["problems"][0]["wrong"] == "no file has been uploaded yet"


def test_a_sheet_of_billions_of_cells(client: TestClient) -> None:
    """Two cells at opposite corners: refused, and the worker takes the next file."""
    made = openpyxl.Workbook()
    made.active["A1"], made.active["XFD1048576"] = "a", 1
    file = io.BytesIO()
    made.save(file)
    upload(client, file.getvalue(), "p.xlsx")
    job = wait(client)
    assert job["state"] == "failed"
    wrong = "the workbook needs more than 1.0 GiB of memory; perhaps a cell is far from the table"
    assert job["problems"][0]["wrong"] == wrong
