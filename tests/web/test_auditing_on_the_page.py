"""A released file that is dropped onto the page: audited as the command audits it, and forgotten."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import paretonym as pn
from paretonym.interfaces.web.explorer import Explorer
from tests.web.conftest import Server, Tab, drawn, serious
from tests.web.test_uploading import wait


@pytest.fixture
def release(school_run: Path, tmp_path: Path) -> Path:
    path = tmp_path / "school-release.csv"
    pn.load(school_run)[4].release(path, allow_second_release=True)
    return path


def audited(client: TestClient, content: bytes, name: str, **query: str) -> Any:
    answer = client.put("/api/audit", params={"name": name, **query}, content=content)
    assert answer.status_code == 202, answer.text
    return wait(client)


def manifest_of(release: Path) -> bytes:
    return release.with_name(f"{release.name}.manifest.json").read_bytes()


def test_a_file_with_its_manifest(client: TestClient, explorer: Explorer, release: Path) -> None:
    """The checks are those of the command; nothing of the file stays."""
    assert client.put("/api/audit/manifest", content=manifest_of(release)).status_code == 200
    job = audited(client, release.read_bytes(), release.name)
    expected = pn.audit(release).to_dict()
    result = job["result"]
    assert (result["passed"], result["failed"], result["by"]) == (True, [], "sent")
    assert result["file"] == release.name
    assert [(c["name"], c["holds"]) for c in result["checks"]] == [
        (c["name"], c["holds"]) for c in expected["checks"]
    ]
    assert [path for path in explorer.folder.rglob("*") if path.is_file()] == []


def test_a_row_less_does_not_pass(client: TestClient, release: Path) -> None:
    lines = release.read_bytes().splitlines(keepends=True)
    client.put("/api/audit/manifest", content=manifest_of(release))
    result = audited(client, b"".join(lines[:-1]), release.name)["result"]
    assert not result["passed"]
    assert {"sha256", "rows"} <= set(result["failed"])
    # The manifest was for that file alone.
    assert audited(client, b"".join(lines[:-1]), release.name, run="1")["result"]["by"] == "roles"


def test_a_release_made_here_is_known_by_its_content(client: TestClient, explorer: Explorer) -> None:
    name = client.get("/api/runs/1").json()["ids"][4]
    made = client.post(f"/api/runs/1/points/{name}/release", json={"allow_second_release": True}).json()
    content = client.get(made["files"][0]["href"]).content
    result = audited(client, content, "renamed.csv", run="1")["result"]
    assert (result["by"], result["passed"]) == ("made", True)


def test_without_a_manifest_it_is_measured(client: TestClient, release: Path, school_run: Path) -> None:
    result = audited(client, release.read_bytes(), release.name, run="1")["result"]
    measured = {check["name"]: check["found"] for check in result["checks"]}
    assert (result["by"], measured["k"]) == ("roles", pn.load(school_run)[4]["k"])


@pytest.mark.parametrize("content", [b"", b"\x7fELF\x02\x01\x01\x00" * 9, b"\0" * 99])
def test_what_is_no_table_is_refused(client: TestClient, explorer: Explorer, content: bytes) -> None:
    answer = client.put("/api/audit", params={"name": "x.csv"}, content=content)
    assert answer.status_code == 409 or wait(client)["state"] == "failed"
    assert [path for path in explorer.folder.rglob("*") if path.is_file()] == []


def test_dropped_onto_the_page(tab: Callable[..., Tab], server: Server, release: Path) -> None:
    opened = tab(server)
    page = drawn(opened.page)
    page.set_input_files("#released", [release, release.with_name(f"{release.name}.manifest.json")])
    number = len(pn.audit(release).checks)
    page.wait_for_selector(f"#audit-verdict:has-text('school-release.csv: All {number} checks hold.')")
    page.locator("#audit summary").click()
    assert page.locator("#audit tbody tr").count() == number
    assert serious(page) == []
    page.set_input_files("#released", [release.with_name(f"{release.name}.manifest.json")])
    page.wait_for_selector("#audit:has-text('Choose the released file, too.')")
    assert opened.faults == []
