"""Files with titles above the header and sums below the rows: seen, shown, and changed by hand."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from tests.web.conftest import Drafted, Server, Tab, upload
from tests.web.test_uploading import wait

ROWS = [f"{200 - n};{'Bern' if n % 3 else 'Genf'};{n % 7 + 20}" for n in range(90)]
TITLED = "\n".join(["Umfrage 2024;;", "Stand: März;;", "nummer;ort;alter", *ROWS, "Summe;;2070"]) + "\n"


def test_titles_and_sums_are_left_out_and_said(drafted: Drafted) -> None:
    draft = drafted(TITLED.encode(), "umfrage.csv")
    reading = draft["reading"]
    assert (reading["header_row"], reading["footer_rows"], draft["rows"]) == (3, 1, 90)
    assert [column["name"] for column in reading["columns"]] == ["nummer", "ort", "alter"]
    # The schema says it, so that whoever reads the file with it finds the same table.
    assert (draft["schema"]["header_row"], draft["schema"]["footer_rows"]) == (3, 1)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_the_first_rows_are_those_of_the_file(drafted: Drafted, kind: str) -> None:
    """As they lie there, not as they are counted."""
    import pyarrow
    import pyarrow.parquet

    cells = [row.split(";") for row in ROWS]
    content = "\n".join(["nummer;ort;alter", *ROWS]).encode()
    if kind == "jsonl":
        content = "".join(f'{{"nummer": {a}, "ort": "{b}", "alter": {c}}}\n' for a, b, c in cells).encode()
    if kind == "parquet":
        file = io.BytesIO()
        pyarrow.parquet.write_table(pyarrow.table({"nummer": [int(row[0]) for row in cells]}), file)
        content = file.getvalue()
    columns = drafted(content, f"umfrage.{kind}")["reading"]["columns"]
    # The lines of JSON have no order of columns.
    (number,) = (column for column in columns if column["name"] == "nummer")
    assert number["cells"] == ["200", "199", "198", "197", "196", "195"]


def test_another_header_row_is_read_again_and_searched(client: TestClient) -> None:
    upload(client, TITLED.encode(), "umfrage.csv")
    assert wait(client)["result"]["rows"] == 90
    assert client.post("/api/reading", json={"header_row": 3, "footer_rows": 0}).status_code == 202
    draft = wait(client)["result"]
    assert (draft["rows"], draft["reading"]["asked"]) == (91, {"header_row": 3, "footer_rows": 0})
    assert client.post("/api/reading", json={"header_row": 0}).status_code == 422
    client.post("/api/reading", json={"header_row": 3})
    schema = wait(client)["result"]["schema"]
    schema["columns"] = {
        "nummer": {"role": "identifier"},
        "ort": {"role": "quasi", "hierarchy": {"flat": True}},
        "alter": {"role": "quasi", "hierarchy": {"intervals": [5]}},
    }
    assert client.post("/api/explore", json={"description": schema, "objectives": ["k", "loss"]}).is_success
    assert wait(client)["state"] == "done"
    facts = client.get("/api/runs/2").json()
    rows = client.get(f"/api/runs/2/points/{facts['ids'][0]}/rows").json()
    assert (facts["rows"], rows["total"], len(rows["rows"])) == (90, 90, 20)


def test_a_field_on_the_page(tab: Callable[..., Tab], start: Callable[..., Server]) -> None:
    page = tab(start()).page
    file = {"name": "umfrage.csv", "mimeType": "text/csv", "buffer": TITLED.encode()}
    page.set_input_files("#file", files=[file])
    page.wait_for_selector("#schema-title:has-text('umfrage.csv: 90 rows')")
    assert (page.input_value("#reading-header_row"), page.input_value("#reading-footer_rows")) == ("3", "1")
    page.fill("#reading-footer_rows", "0")
    page.keyboard.press("Tab")
    page.wait_for_selector("#schema-title:has-text('umfrage.csv: 91 rows')")
    assert page.input_value("#reading-footer_rows") == "0"
