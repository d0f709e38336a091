"""Without the extras: what needs them says which installation brings them, and the rest works."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROWS = "age,sex,city,illness\n" + "".join(
    f"{20 + i * 7 % 40},{'fm'[i % 2]},{'abc'[i % 3]},{'xyz'[i * 5 % 3]}\n" for i in range(60)
)
SCHEMA = """
[columns.age]
role = "quasi"
hierarchy = { intervals = [10, 20] }
[columns.sex]
role = "quasi"
hierarchy = { flat = true }
[columns.city]
role = "quasi"
hierarchy = { flat = true }
[columns.illness]
role = "sensitive"
"""
PLOT, WEB = ("matplotlib",), ("fastapi", "starlette", "uvicorn")
INSTALL = "which is not installed; install it with: pip install "
BLOCKED = """
import sys
sys.modules.update(dict.fromkeys({missing!r}))
from paretonym.interfaces.cli.main import run
for arguments in {commands!r}:
    sys.argv = ["paretonym", *arguments]
    code = run()
    if code:
        sys.exit(code)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, its schema, and two runs."""
    folder = tmp_path_factory.mktemp("without-extras")
    (folder / "rows.csv").write_text(ROWS)
    (folder / "rows.toml").write_text(SCHEMA)
    explore = ("explore", "--space", "lattice", "rows.csv", "--schema", "rows.toml", "-o")
    explored = without((*PLOT, *WEB), folder, (*explore, "run"), (*explore, "wide", "--suppress", "10%"))
    assert explored.returncode == 0, explored.stderr
    return folder


def without(
    missing: tuple[str, ...], folder: Path, *commands: tuple[str, ...]
) -> subprocess.CompletedProcess[str]:
    """Commands in a process of their own, where some libraries cannot be imported; the first that does not
    end with 0 ends it."""
    program = BLOCKED.format(missing=missing, commands=commands)
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {"XDG_STATE_HOME": str(folder / "state")},
    )


@pytest.mark.parametrize("missing", [("fastapi",), ("uvicorn",)])
def test_the_explorer_says_what_to_install(folder: Path, missing: tuple[str, ...]) -> None:
    ended = without(missing, folder, ("serve", "run"))
    assert ended.returncode == 2
    assert f"serve: this needs the web server, {INSTALL}'paretonym[web]'" in ended.stderr
    assert ended.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (("compare", "run", "wide", "--measures", "k,loss", "--figure", "both.svg"), "--figure"),
    ],
)
def test_figures_say_what_to_install(folder: Path, arguments: tuple[str, ...], place: str) -> None:
    ended = without(PLOT, folder, arguments)
    assert ended.returncode == 2
    assert f"{place}: this needs matplotlib, {INSTALL}'paretonym[plot]'" in ended.stderr
    assert not [name for name in ("page.html", "both.svg") if (folder / name).exists()]


def test_a_report_without_figures(folder: Path) -> None:
    chosen = ("--at-most", "loss=60%", "--best", "k")
    ended = without(PLOT, folder, ("report", "run", "-o", "plain.html", *chosen))
    assert ended.returncode == 0
    assert (
        ended.stderr.count(
            "Warning: The page has no figures because matplotlib is not installed; install it with"
        )
        == 1
    )
    page = (folder / "plain.html").read_text(encoding="utf-8")
    assert "<svg" not in page
    assert page.count("There is no figure because matplotlib is not installed") == 1
    assert "What it shows" in page


def test_a_public_page_has_no_figures_anyway(folder: Path) -> None:
    chosen = ("--at-most", "loss=60%", "--best", "k", "--for", "public")
    ended = without(PLOT, folder, ("report", "run", "-o", "public.html", *chosen))
    assert ended.returncode == 0
    assert "figures" not in ended.stderr


PYTHON = """
import sys
sys.modules["matplotlib"] = None
import paretonym as pn
front = pn.load("run")
assert "<table" in front._repr_html_() and "<svg" not in front._repr_html_()
try: front.plot()
except pn.InputError as error: print(error)
"""


def test_in_python(folder: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PYTHON], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ended.stdout == f"figure: this needs matplotlib, {INSTALL}'paretonym[plot]'\n"


def test_the_rest_needs_no_extra(folder: Path) -> None:
    missing = (*PLOT, *WEB)
    answer = without(missing, folder, ("ask", "run", "--at-most", "loss=60%", "--best", "k"))
    (chosen,) = re.findall(r"release (\w{6}) \(proven among ", answer.stdout)
    ended = without(
        missing,
        folder,
        ("release", "run", "--pick", chosen, "-o", "public.csv"),
        ("audit", "public.csv"),
        ("compare", "run", "wide", "--measures", "k,loss"),
    )
    assert ended.returncode == 0, ended.stderr
    assert "wide" in ended.stdout  # the last of them has answered
