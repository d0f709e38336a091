"""Notebooks are what their pages are, in notebook format 4.5; one person's path is run cell by cell."""

from __future__ import annotations

import ast
import doctest
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.make_notebooks import NOTEBOOKS, PAGES, notebooks
from tests.test_how_to_pages import PAGES as TABLE_OF_PAGE

MADE = notebooks()
OUTPUTS = {
    "stream": {"name", "text"},
    "execute_result": {"data", "metadata", "execution_count"},
    "error": {"ename", "evalue", "traceback"},
}
REMAKE = "run .venv/bin/python scripts/make_notebooks.py"


def cells(name: str, kind: str) -> Iterator[dict[str, Any]]:
    return (cell for cell in json.loads(MADE[name])["cells"] if cell["cell_type"] == kind)


def test_the_notebooks_are_what_the_pages_make() -> None:
    kept = {path.name: path.read_text(encoding="utf-8") for path in NOTEBOOKS.iterdir()}
    assert set(kept) == set(MADE), REMAKE
    assert [name for name in MADE if kept[name] != MADE[name]] == [], REMAKE


def test_every_page_that_is_run_has_one_with_its_table() -> None:
    run = {Path(page).stem: table for page, table in TABLE_OF_PAGE.items() if "/how-to/" in page}
    assert {f"{stem}.ipynb" for stem in run} == set(MADE)
    for stem, table in run.items():
        setup = "".join(next(cells(f"{stem}.ipynb", "code"))["source"])
        assert set(re.findall(r"'(\w+)\.csv'", setup)) <= {table}, stem


@pytest.mark.parametrize("name", MADE)
def test_a_notebook_has_the_shape_of_format_4_5(name: str) -> None:
    document = json.loads(MADE[name])
    assert set(document) == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in document["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", each) for each in ids)
    own: dict[str, set[str]] = {"markdown": set(), "code": {"execution_count", "outputs"}}
    for cell in document["cells"]:
        assert set(cell) == {"id", "cell_type", "metadata", "source"} | own[cell["cell_type"]]
        assert all(isinstance(line, str) for line in cell["source"])
        assert "".join(cell["source"]).strip()
    for output in (output for cell in cells(name, "code") for output in cell["outputs"]):
        assert set(output) == {"output_type"} | OUTPUTS[output["output_type"]]


@pytest.mark.parametrize("name", MADE)
def test_what_a_cell_shows_is_what_a_kernel_shows(name: str) -> None:
    """A kernel shows the last expression of a cell, or what is printed; nothing else, unlike a session."""
    for cell in cells(name, "code"):
        source = "".join(cell["source"])
        printed = [output for output in cell["outputs"] if output["output_type"] == "stream"]
        assert not printed or source.startswith("!") or "print(" in source, source


@pytest.mark.parametrize("name", MADE)
def test_the_links_of_a_notebook_lead_somewhere(name: str) -> None:
    text = "\n".join("".join(cell["source"]) for cell in cells(name, "markdown"))
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (NOTEBOOKS / link).exists(), link


def test_a_page_lists_all_of_them() -> None:
    page = (PAGES / "in-a-notebook.md").read_text(encoding="utf-8")
    assert re.findall(r"\(\.\./\.\./examples/notebooks/([^)]+)\)", page) == list(MADE)


def run_cell(source: str, names: dict[str, Any]) -> str:
    """The text of a cell's last expression, as a notebook shows it."""
    *body, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        exec(compile(ast.Module([*body, last], []), "cell", "exec"), names)
        return ""
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return "" if shown is None else repr(shown)


def test_from_an_excel_workbook_to_an_audited_release(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """German decimals, no shell, no TOML: the notebook is run cell by cell, in one namespace."""
    monkeypatch.chdir(NOTEBOOKS)
    monkeypatch.setenv("PARETONYM_STATE", "the notebook sets its own")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    names: dict[str, Any] = {}
    same = doctest.OutputChecker().check_output
    for cell in cells("from-an-excel-workbook.ipynb", "code"):
        shown = run_cell("".join(cell["source"]), names)
        expected = "".join(line for output in cell["outputs"] for line in output["data"]["text/plain"])
        assert same(expected, shown, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE), (cell, shown)
    (folder,) = tmp_path.iterdir()
    left = {"praxis.xlsx", "praxis.toml", "praxis-public.csv", "praxis-public.csv.manifest.json", "state"}
    assert {path.name for path in folder.iterdir()} == left
