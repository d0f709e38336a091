"""A file that is dropped onto the chart: measured as the command measures it, and forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import paretonym as pn
from paretonym.interfaces.web.explorer import Explorer
from paretonym.study import TableComparison
from tests.web.conftest import TABLES, Server, Tab, drawn, serious, serving
from tests.web.test_uploading import wait


@pytest.fixture(scope="module")
def kept_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that kept a control group out."""
    folder = tmp_path_factory.mktemp("controlled") / "run"
    study = pn.Study(TABLES / "survey.csv", TABLES / "survey.toml", control="30%")
    study.explore("k", "loss", space="lattice").save(folder)
    return folder


@pytest.fixture
def synthetic(tmp_path: Path) -> Path:
    """Rows of nobody: every column shuffled on its own."""
    lines = [line.split(",") for line in (TABLES / "survey.csv").read_text(encoding="utf-8").splitlines()]
    columns = [sorted(column) for column in zip(*lines[1:], strict=True)]
    path = tmp_path / "made up.csv"
    rows = zip(*columns, strict=True)
    path.write_text("\n".join(",".join(row) for row in (lines[0], *rows)) + "\n", encoding="utf-8")
    return path


def sent(client: TestClient, file: Path, run: str = "1") -> Any:
    answer = client.put(f"/api/runs/{run}/compare", params={"name": file.name}, content=file.read_bytes())
    assert answer.status_code == 202, answer.text
    return wait(client)


def test_the_figures_are_those_of_the_command(
    client: TestClient, explorer: Explorer, kept_out: Path, synthetic: Path
) -> None:
    explorer.runs.open(kept_out, label="survey")
    result = sent(client, synthetic, "2")["result"]
    expected = pn.compare(
        {"survey": pn.load(kept_out), "made-up.csv": synthetic}, measures=("inference", "pmse")
    )
    assert isinstance(expected, TableComparison)
    assert result["words"] == list(expected.words)
    assert [tuple(row) for row in result["rows"]] == list(expected.rows())
    assert "made-up.csv" in [row[0] for row in result["rows"]]
    assert [path for path in explorer.folder.rglob("*") if path.is_file()] == []


def test_without_a_control_it_is_refused(client: TestClient, explorer: Explorer, synthetic: Path) -> None:
    (problem,) = sent(client, synthetic)["problems"]
    assert "there are no others" in problem["wrong"]
    assert "keep some of the people out" in problem["remedy"]
    assert [path for path in explorer.folder.rglob("*") if path.is_file()] == []
    assert client.put("/api/runs/9/compare", content=b"a,b\n1,2\n").status_code == 404


@pytest.fixture
def controlled(kept_out: Path) -> Iterator[Server]:
    server = serving(str(kept_out))
    yield server
    server.stop()
    server.process.communicate()


def test_dropped_onto_the_chart(tab: Callable[..., Tab], controlled: Server, synthetic: Path) -> None:
    opened = tab(controlled)
    page = drawn(opened.page)
    page.evaluate(
        """(text) => {
          const files = new DataTransfer();
          files.items.add(new File([text], "made up.csv", { type: "text/csv" }));
          const drop = new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true });
          document.querySelector(".trade-off .chart svg").dispatchEvent(drop);
        }""",
        synthetic.read_text(encoding="utf-8"),
    )
    page.wait_for_selector("#compared tbody tr:has-text('made-up.csv')")
    assert page.evaluate("document.querySelector('#compared img').naturalWidth") > 300
    assert page.locator("#compared tbody tr").count() > 3
    assert serious(page) == []
    assert opened.faults == []
