"""Write examples/notebooks: a notebook for each page of docs/how-to that shows something to run.

    .venv/bin/python scripts/make_notebooks.py

Text becomes Markdown, commands become `!` cells, a session in Python becomes cells, a change of the schema
becomes a cell that makes it; what the page shows as output is the output. So the notebooks are true where the
pages are, and those are run by tests/test_how_to_pages.py. Run it after a change of a page.
"""

from __future__ import annotations

import ast
import doctest
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs/how-to"
TABLES = ROOT / "examples/tables"
NOTEBOOKS = ROOT / "examples/notebooks"
BLOCK = re.compile(r"^```(console|python|diff|text)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(\]\()([^)#:\s]+)((?:#[^)]*)?\))")
NOTE = """

*Made from [its page]({page}), with the output that the page shows. It works in a temporary folder.*
"""
SETUP = """\
# An empty folder to work in{with_tables}, and a release log of its own.
import os, shutil, tempfile
from pathlib import Path

if "tables" not in globals():  # so that this cell can be run again
    tables = Path("../tables").resolve()
os.chdir(tempfile.mkdtemp())
os.environ["PARETONYM_STATE"] = str(Path("state").resolve())
"""
COPY = "for name in {names}:\n    shutil.copy(tables / name, name)\n"
CHANGE = """\
schema = Path("{schema}")
text = schema.read_text(encoding="utf-8")
before = {before!r}
after = {after!r}
assert before in text
_ = schema.write_text(text.replace(before, after, 1), encoding="utf-8")
"""

Cell = dict[str, Any]


def notebook(page: Path) -> dict[str, Any]:
    """A page as a notebook of format 4.5."""
    cells = list(_cells(page))
    return {
        "cells": [{"id": f"cell-{number}", **cell} for number, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _cells(page: Path) -> Iterator[Cell]:
    first, *rest = _page_cells(page.read_text(encoding="utf-8"))
    note = NOTE.format(page=os.path.relpath(page, NOTEBOOKS))
    yield first | {"source": _lines("".join(first["source"]) + note)}
    yield _code(_setup(page))
    yield from rest


def _setup(page: Path) -> str:
    """Copies the example tables that a page names, and their schemas unless the page makes them."""
    text = page.read_text(encoding="utf-8")
    names = [table.name for table in sorted(TABLES.glob("*.csv")) if re.search(rf"\b{table.name}", text)]
    if "\nparetonym init" not in text:
        names += [name.replace(".csv", ".toml") for name in names]
    setup = SETUP.format(with_tables=", with the example table" if names else "")
    return setup + (COPY.format(names=tuple(names)) if names else "")


def _page_cells(text: str) -> Iterator[Cell]:
    """Text and code by turns; a `text` block right after a command is its output, others stay in the text."""
    prose, end = "", 0
    command: Cell | None = None
    for block in BLOCK.finditer(text):
        prose += text[end : block.start()]
        kind, content, end = block[1], block[2], block.end()
        if kind == "text":
            if command is None or prose.strip():
                prose += block[0]
            else:
                command["outputs"].append(_stream(content))
            continue
        if command is not None:
            yield command
        if prose.strip():
            yield _markdown(prose)
        *before, command = _block_cells(kind, content, text)
        yield from before
        prose = ""
    if command is not None:
        yield command
    if (prose + text[end:]).strip():
        yield _markdown(prose + text[end:])


def _block_cells(kind: str, content: str, page: str) -> Iterator[Cell]:
    if kind == "console":
        yield _code("".join(f"!{line}\n" for line in content.splitlines()))
    elif kind == "diff":
        yield _code(_change(content, page))
    else:
        yield from _session_cells(content)


def _change(diff: str, page: str) -> str:
    """The lines that begin with a minus are replaced by those that begin with a plus."""
    schema = re.search(r"\b\w+\.toml\b", page)
    assert schema is not None
    before, after = (
        "".join(f"\n{line[1:]}" for line in diff.splitlines() if line[0] == sign) + "\n" for sign in "-+"
    )
    return CHANGE.format(schema=schema[0], before=before, after=after)


def _session_cells(session: str) -> Iterator[Cell]:
    """A cell ends where something is shown, as a notebook shows the last expression of a cell."""
    source = ""
    for example in doctest.DocTestParser().get_examples(session):
        source += example.source
        if example.want:
            yield _code(source, _shown(example))
            source = ""
    if source:
        yield _code(source)


def _shown(example: doctest.Example) -> dict[str, Any]:
    if example.exc_msg is not None:
        named, _, message = example.exc_msg.strip().partition(": ")
        # A kernel gives the name without its module.
        name = named.rpartition(".")[2]
        lines = example.want.splitlines()
        return {"output_type": "error", "ename": name, "evalue": message, "traceback": lines}
    last = ast.parse(example.source).body[-1]
    if isinstance(last, ast.Expr) and not ast.unparse(last).startswith("print("):
        data = {"text/plain": _lines(example.want)}
        return {"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"}
    return _stream(example.want)


def _stream(text: str) -> dict[str, Any]:
    return {"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)}


def _code(source: str, *outputs: dict[str, Any]) -> Cell:
    fails = any(output["output_type"] == "error" for output in outputs)
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {"tags": ["raises-exception"]} if fails else {},
        "outputs": list(outputs),
        "source": _lines(source),
    }


def _markdown(text: str) -> Cell:
    """Text whose links lead from the folder of notebooks to where they led from the page."""

    def moved(link: re.Match[str]) -> str:
        place = os.path.relpath(os.path.normpath(PAGES / link[2]), NOTEBOOKS)
        return f"{link[1]}{place}{link[3]}"

    return {"cell_type": "markdown", "metadata": {}, "source": _lines(LINK.sub(moved, text))}


def _lines(text: str) -> list[str]:
    return text.strip("\n").splitlines(keepends=True)


def notebooks() -> dict[str, str]:
    """Every notebook by the name of its file."""
    found = {}
    for page in sorted(PAGES.glob("*.md")):
        if any(kind != "text" for kind, _ in BLOCK.findall(page.read_text(encoding="utf-8"))):
            found[f"{page.stem}.ipynb"] = json.dumps(notebook(page), indent=1, ensure_ascii=False) + "\n"
    return found


def main() -> None:
    made = notebooks()
    NOTEBOOKS.mkdir(exist_ok=True)
    for path in set(NOTEBOOKS.glob("*.ipynb")) - {NOTEBOOKS / name for name in made}:
        path.unlink()
    for name, text in made.items():
        (NOTEBOOKS / name).write_text(text, encoding="utf-8")
    print(f"{len(made)} notebooks in {NOTEBOOKS.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
