"""Files from the browser: what is taken in, what is refused, and that nothing of it stays."""

from __future__ import annotations

import asyncio
import gzip
import io
import re
import stat
import time
import tomllib
import zipfile
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
import zstandard
from starlette.testclient import TestClient

from paretonym.base.errors import InputError
from paretonym.interfaces.web.explorer import Explorer
from paretonym.interfaces.web.request_guard import MOST_BYTES
from paretonym.interfaces.web.schema_drafts import Upload
from paretonym.interfaces.web.uploads import (
    LONGEST_LINE,
    MOST_CELLS,
    MOST_COLUMNS,
    Bounds,
    file_name,
    receive,
)
from tests.web.conftest import TABLES, Drafted, upload

SURVEY = (TABLES / "survey.csv").read_bytes()


def wait(client: TestClient, seconds: float = 240.0) -> Any:
    end = time.monotonic() + seconds
    while (job := client.get("/api/job").json())["state"] == "running" and time.monotonic() < end:
        time.sleep(0.05)
    return job


def test_from_a_file_to_a_run(client: TestClient, explorer: Explorer) -> None:
    assert upload(client, SURVEY, "survey.csv").status_code == 202
    draft = wait(client)["result"]
    assert (draft["name"], draft["rows"]) == ("survey.csv", 800)
    assert [c["name"] for c in draft["columns"] if c["decide"]] == ["household_income", "interview_mode"]
    assert [each["columns"] or each["key"] for each in draft["decisions"]] == [
        ["household_income"],
        ["interview_mode"],
        "missing",
    ]
    schema = draft["schema"]

    first = client.post("/api/review", json={"description": schema}).json()
    assert any("undecided" in problem["wrong"] for problem in first["problems"])
    # What is right already can be seen.
    assert "age" in [column["name"] for column in first["columns"] if column["levels"]]

    schema["columns"]["interview_mode"]["role"] = "other"
    schema["missing"] = "value"
    undecided = client.post("/api/review", json={"description": schema}).json()
    assert [(p["column"], p["field"]) for p in undecided["problems"]] == [
        ("household_income", "release_level")
    ]
    schema["columns"]["household_income"]["release_level"] = 1
    second = client.post("/api/review", json={"description": schema}).json()
    assert second["problems"] == []
    assert second["lattice"] == 480
    age = next(column for column in second["columns"] if column["name"] == "age")
    assert [level["groups"] for level in age["levels"]][-1] == 1

    wanted = {"description": schema, "objectives": ["k", "loss"], "suppress": "5%"}
    assert client.post("/api/explore", json=wanted).status_code == 202
    job = wait(client)
    assert (job["state"], job["result"]["run"]) == ("done", "2")
    facts = client.get("/api/runs/2").json()
    assert not facts["own"]
    point = client.get(f"/api/runs/2/points/{facts['ids'][1]}").json()
    # Every method was searched, so no space is named.
    command = point["command"].splitlines()[0]
    assert command.startswith("paretonym explore survey.csv --schema schema.toml -o run --objectives k,loss")
    assert "--space" not in command


QUESTIONS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "all at once": (
        {"at_least": ["k=five"], "at_most": ["loss"], "time": "soon", "suppress": "2", "objectives": []},
        ["objectives", "suppress", "time", "at_least", "at_most"],
    ),
    "twice": ({"at_least": ["k=5", "k=6"]}, ["at_least"]),
    "too many": ({"objectives": [str(n) for n in range(9)]}, ["objectives"]),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_questions_that_the_command_would_refuse(client: TestClient, explorer: Explorer, name: str) -> None:
    explorer.upload = Upload(TABLES / "survey.csv", "survey.csv")
    wanted, places = QUESTIONS[name]
    answer = client.post("/api/explore", json={"description": {"columns": {}}, **wanted})
    assert answer.status_code == 409
    assert [problem["field"] for problem in answer.json()["problems"]] == places


def test_what_is_required_is_in_the_run_and_in_its_lines(client: TestClient, explorer: Explorer) -> None:
    path = explorer.folder / "school.csv"
    path.write_bytes((TABLES / "school.csv").read_bytes())
    explorer.upload = Upload(path, "school.csv")
    schema = tomllib.loads((TABLES / "school.toml").read_text(encoding="utf-8"))
    wanted = {"suppress": "5%", "at_least": ["k=4"], "at_most": ["loss=80%", "sl=0.04"], "time": "2s"}
    assert client.post("/api/explore", json={"description": schema, **wanted}).status_code == 202
    assert wait(client)["state"] == "done"
    facts = client.get("/api/runs/2").json()
    assert min(facts["values"]["k"]) >= 4
    assert max(facts["values"]["loss"]) <= 0.8
    assert facts["required"] == ["k at least 4", "loss at most 80 %", "sl at most 4 %"]
    # Only the levels of each column are proven.
    (doubt,) = facts["doubts"]
    assert doubt.startswith("these methods do not prove their frontiers: split where the data are")
    command = client.get(f"/api/runs/2/points/{facts['ids'][0]}").json()["command"]
    assert "--at-least k=4 --at-most loss=0.8 --at-most sl=0.04" in command


def test_what_went_wrong_is_english_on_a_german_page(client: TestClient) -> None:
    client.params = client.params.set("language", "de")
    assert upload(client, b"a;b\n1;2\n3;4;5\n", "x.csv").status_code == 202
    (problem,) = wait(client)["problems"]
    assert problem["text"].partition("x.csv, ")[2].startswith("line 3: the header has 2 fields")


def sent_files(explorer: Explorer) -> list[str]:
    return sorted(path.name for path in explorer.folder.rglob("*.csv"))


def test_a_replaced_upload_is_removed_at_once(client: TestClient, explorer: Explorer) -> None:
    upload(client, SURVEY, "first.csv")
    assert wait(client)["state"] == "done"
    upload(client, SURVEY, "second.csv")
    assert wait(client)["state"] == "done"
    assert sent_files(explorer) == ["second.csv"]
    assert explorer.known_upload().table.rows > 0


def test_a_refused_upload_is_removed_at_once(client: TestClient, explorer: Explorer) -> None:
    """The one before it is still there to be edited."""
    upload(client, SURVEY, "first.csv")
    assert wait(client)["state"] == "done"
    upload(client, gzip.compress(b"%PDF-1.7 " + bytes(100)), "report.csv")
    assert wait(client)["state"] == "failed"
    assert sent_files(explorer) == ["first.csv"]
    assert client.post("/api/reading", json={}).status_code == 202
    assert wait(client)["state"] == "done"


def test_an_upload_that_can_be_read_otherwise_stays_until_the_next(
    client: TestClient, explorer: Explorer
) -> None:
    upload(client, b"a;b\n1;2\n3;4;5\n", "uneven.csv")
    assert wait(client)["reading"] is not None
    assert sent_files(explorer) == ["uneven.csv"]
    upload(client, SURVEY, "survey.csv")
    assert wait(client)["state"] == "done"
    assert sent_files(explorer) == ["survey.csv"]


def test_a_report_names_the_file_that_was_sent(client: TestClient, explorer: Explorer) -> None:
    """And not where it is kept; the run of an upload that was replaced still has its rows."""
    schema = tomllib.loads((TABLES / "school.toml").read_text(encoding="utf-8"))
    upload(client, (TABLES / "school.csv").read_bytes(), "pupils.csv")
    assert wait(client)["state"] == "done"
    assert client.post("/api/explore", json={"description": schema, "suppress": "5%"}).status_code == 202
    assert wait(client)["state"] == "done"
    upload(client, SURVEY, "survey.csv")
    assert wait(client)["state"] == "done"
    name = client.get("/api/runs/2").json()["ids"][1]
    taken = client.post(f"/api/runs/2/points/{name}/report", json={"reader": "officer"}).json()
    page = client.get(taken["files"][0]["href"]).text
    assert "<dd>pupils.csv</dd>" in page
    assert str(explorer.folder) not in page
    assert explorer.folder.name not in page


def test_private_files_are_gone_at_the_end(client: TestClient, explorer: Explorer) -> None:
    upload(client, SURVEY)
    kept = [path for path in explorer.folder.rglob("*") if path.is_file()]
    assert [stat.S_IMODE(path.stat().st_mode) for path in kept] == [0o600]
    assert stat.S_IMODE(explorer.folder.stat().st_mode) == 0o700
    explorer.close()
    assert not explorer.folder.exists()


def test_one_job_at_a_time_and_cancelled(client: TestClient) -> None:
    upload(client, SURVEY)
    second = upload(client, SURVEY)
    assert second.status_code == 409
    assert second.json()["problems"][0]["wrong"] == "a job is running"
    assert client.post("/api/job/cancel").json()["state"] == "cancelled"
    assert client.get("/api/job").json()["state"] == "cancelled"
    assert upload(client, SURVEY).status_code == 202


def test_a_worker_that_dies(client: TestClient, explorer: Explorer) -> None:
    upload(client, SURVEY)
    explorer.jobs._process.kill()
    job = wait(client)
    assert job["state"] == "failed"
    assert "its process ended early" in job["problems"][0]["wrong"]


BOMBS = {
    "larger than is taken": (b"a,b\n" + b"1,2\n" * (1 << 19), "it is larger than 1 MB"),
    "nothing": (b"", "it is empty"),
    "many columns": (b"," * (MOST_COLUMNS + 1) + b"\n1\n", f"more than {MOST_COLUMNS} columns"),
    "a document": (b"%PDF-1.7 " + bytes(100), "the file is a PDF document, not a table"),
    "half a Parquet file": (b"PAR1" + bytes(100), "the Parquet file is damaged or incomplete"),
    "a large Parquet file": (b"PAR1" + bytes(1 << 21) + b"PAR1", "it is larger than 1 MB"),
    "a database": (b"SQLite format 3\0" + bytes(100), "the file is an SQLite database, not a table"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs(client: TestClient, explorer: Explorer, name: str) -> None:
    content, wrong = BOMBS[name]
    answer = upload(client, content)
    assert answer.status_code == 409
    assert wrong in answer.json()["problems"][0]["wrong"]
    assert [path for path in explorer.folder.rglob("*") if path.is_file()] == []


def packed(**columns: Any) -> bytes:
    """A table as Parquet."""
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), file)
    return file.getvalue()


@pytest.mark.parametrize("name", ["people.PARQUET", "people"])
def test_from_a_parquet_file_to_a_review(client: TestClient, explorer: Explorer, name: str) -> None:
    """Known by its first bytes, whatever it is called."""
    content = packed(age=[20, 21, 22, 23] * 20, sex=["f", "m"] * 40)
    assert upload(client, content, name).status_code == 202
    draft = wait(client)["result"]
    assert draft["name"] == ("people.PARQUET" if name.endswith("PARQUET") else "people.parquet")
    assert (draft["rows"], [c["name"] for c in draft["columns"]]) == (80, ["age", "sex"])
    found = client.post("/api/review", json={"description": draft["schema"]}).json()
    assert [c["type"] for c in found["columns"] if c["name"] == "age"] == ["integer"]


def test_a_text_that_is_called_parquet(client: TestClient) -> None:
    upload(client, SURVEY, "survey.parquet")
    assert wait(client)["result"]["name"] == "survey.csv"


def repeated() -> bytes:
    """So many equal rows take a few thousand bytes."""
    column = pyarrow.nulls(MOST_CELLS // 16 + 1, pyarrow.int8())
    return packed(**{f"c{i}": column for i in range(16)})


def endless() -> bytes:
    """More than is accepted, in a few kilobytes of zstd."""
    lines = b"a,b\n" + b"0,".ljust(1023, b"0") + b"\n"
    lines += lines[4:] * 255
    return zstandard.compress(lines + lines * ((256 << 20) // len(lines)))


def archive(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return file.getvalue()


def huge() -> bytes:
    """An archive whose directory claims four gigabytes."""
    content = bytearray(archive({"xl/workbook.xml": b"<x/>"}))
    place = content.rindex(b"PK\x01\x02") + 24
    content[place : place + 4] = (0xFFFFFFF0).to_bytes(4, "little")
    return bytes(content)


UNBEARABLE = {
    "rows without end": (repeated, "too large once unpacked"),
    "columns without end": (
        lambda: packed(**{f"c{i}": [1] for i in range(MOST_COLUMNS + 1)}),
        f"more than {MOST_COLUMNS} columns",
    ),
    "nothing inside": (lambda: b"PAR1" + bytes(50) + b"PAR1", "damaged or incomplete"),
    "a lying end": (lambda: b"PAR1" + b"\xff" * 20 + b"PAR1", "damaged or incomplete"),
    "lists": (lambda: packed(a=[[1], [2]]), "its type, list, is not supported"),
    "a compressed line": (
        lambda: gzip.compress(b'a,b\n"' + b"x" * (LONGEST_LINE + 10)), "a line is longer than 1 MB",
    ),
    "a compressed file without end": (endless, "it is larger than 256 MB once unpacked"),
    "compressed columns": (
        lambda: gzip.compress(b"," * (MOST_COLUMNS + 1) + b"\n1\n"), f"more than {MOST_COLUMNS} columns",
    ),
    "half a workbook": (lambda: b"PK\x03\x04" + bytes(100), "the workbook is damaged"),
    "a workbook that says it is huge": (huge, "too large once unpacked"),
    "another archive": (lambda: archive({"readme.txt": b"x"}), "this is a zip archive, not a table"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNBEARABLE)
def test_files_that_nobody_should_unpack(drafted: Drafted, name: str) -> None:
    made, wrong = UNBEARABLE[name]
    with pytest.raises(InputError, match=re.escape(wrong)):
        drafted(made(), "x.parquet")


def test_a_refusal_of_the_worker_reaches_the_page(client: TestClient) -> None:
    assert upload(client, b"PAR1" + bytes(50) + b"PAR1", "x.parquet").status_code == 202
    job = wait(client)
    assert job["state"] == "failed"
    assert "damaged or incomplete" in job["problems"][0]["wrong"]
    # By the name that the person gave it, not by the private folder where it is kept.
    assert job["problems"][0]["place"] == "x.parquet"
    assert "paretonym-serve" not in str(job["problems"])


def test_what_is_noticed_in_a_table_reaches_the_page(client: TestClient) -> None:
    rows = "".join(f"{20 + n % 60},{'fm'[n % 7 % 2]}{' ' * (n % 9 == 0)}\n" for n in range(100))
    assert upload(client, f"age,sex\n{rows}".encode()).status_code == 202
    draft = wait(client)["result"]
    assert any("only by blanks at its ends" in sentence for sentence in draft["noticed"])
    reviewed = client.post("/api/review", json={"description": draft["schema"]}).json()
    assert any("only by blanks at its ends" in sentence for sentence in reviewed["warnings"])


def test_a_line_without_end(explorer: Explorer, client: TestClient) -> None:
    explorer.bounds = Bounds(bytes=LONGEST_LINE * 3)
    answer = upload(client, b'a,b\n"' + b"x" * (LONGEST_LINE + 10))
    assert "a line is longer than 1 MB" in answer.json()["problems"][0]["wrong"]


def test_bytes_that_are_no_table_are_refused_by_the_reader(client: TestClient) -> None:
    """What passes the first look meets the worker, and is refused there without being shown."""
    upload(client, b"name,age\nsecret-person,1,2,3\n")
    job = wait(client)
    assert job["state"] == "failed"
    assert "secret-person" not in str(job)


class TestReceiving:
    """The receiving itself, with a sender that takes its time."""

    @staticmethod
    def run(receiving: Coroutine[Any, Any, int]) -> int:
        """In a thread of its own: where a browser is tested too, this one has a loop already."""
        with ThreadPoolExecutor(1) as beside:
            return beside.submit(asyncio.run, receiving).result()

    @staticmethod
    async def slowly(pause: float) -> AsyncIterator[bytes]:
        for _ in range(100):
            await asyncio.sleep(pause)
            yield b"a,b\n"

    @pytest.mark.parametrize(
        "bounds", [Bounds(seconds=60, waiting=0.02), Bounds(seconds=0.2, waiting=60)], ids=["stalls", "drips"]
    )
    def test_slow_senders(self, tmp_path: Path, bounds: Bounds) -> None:
        with pytest.raises(InputError, match="the upload is too slow"):
            self.run(receive(self.slowly(0.05), tmp_path / "x.csv", bounds))
        assert not (tmp_path / "x.csv").exists()

    def test_steady_senders(self, tmp_path: Path) -> None:
        assert self.run(receive(self.slowly(0), tmp_path / "x.csv")) == 400


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "..\\..\\boot.ini",
        "/etc/shadow",
        "a\0b.csv",
        ".ssh",
        "x" * 300,
        "<script>.csv",
        "ü.csv",
    ],
)
def test_names_never_leave_the_folder(client: TestClient, explorer: Explorer, name: str) -> None:
    plain = file_name(name)
    assert Path(plain).name == plain
    assert not plain.startswith(".")
    upload(client, SURVEY, name[:300])
    kept = [path for path in explorer.folder.rglob("*") if path.is_file()]
    assert len(kept) == 1
    assert kept[0].resolve().is_relative_to(explorer.folder.resolve())
    client.post("/api/job/cancel")


@pytest.mark.parametrize("file", ["/etc/passwd", "../../../../etc/passwd", "schema.toml"])
def test_a_schema_from_the_page_reads_no_file(client: TestClient, explorer: Explorer, file: str) -> None:
    explorer.upload = Upload(TABLES / "survey.csv", "survey.csv")
    schema = {"columns": {"sex": {"role": "quasi", "hierarchy": {"file": file}}}}
    for path in ("/api/review", "/api/explore"):
        answer = client.post(path, json={"description": schema})
        assert answer.status_code == 409
        wrong = f"its hierarchy is in the file {Path(file).name}, which is not known here"
        assert answer.json()["problems"][0]["wrong"] == wrong


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/door.py", "//etc/passwd"]
)
def test_no_path_leads_out(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "import" not in answer.text


def test_a_request_may_not_be_long(client: TestClient) -> None:
    answer = client.post("/api/review", content=b" " * (MOST_BYTES + 1))
    assert answer.status_code == 413
    assert answer.json()["problems"][0]["wrong"] == "the request is too large or too slow"


def test_malformed_requests_are_not_repeated(client: TestClient) -> None:
    answer = client.post("/api/runs/1/ask", json={"best": ["secret-value"], "limits": "secret-value"})
    assert answer.status_code == 422
    assert "secret-value" not in answer.text


def test_a_bug_of_ours_shows_no_data(
    client: TestClient,
    explorer: Explorer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("secret-value")

    monkeypatch.setattr(explorer, "review", broken)
    answer = client.post("/api/review", json={"description": {}})
    assert answer.status_code == 500
    assert "a mistake in paretonym" in answer.json()["problems"][0]["wrong"]
    assert "secret-value" not in answer.text + "".join(capsys.readouterr())
