"""What needs no table loads nothing that reads, counts or draws one."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = (
    "numpy",
    "pyarrow",
    "rich",
    "moocore",
    "narwhals",
    "duckdb",
    "matplotlib",
    "fastapi",
    "uvicorn",
)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["init", "--help"],
        ["schema", "--help"],
        ["audit", "--help"],
        ["demo", "-h"],
        ["ask", "-h"],
        ["report", "-h"],
        ["reproduce", "-h"],
        ["serve", "-h"],
    ],
)
def test_nothing_heavy_is_loaded(arguments: list[str]) -> None:
    program = (
        f"import sys; sys.argv = ['paretonym', *{arguments!r}]\n"
        "from paretonym.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"sys.exit(str(sorted(set({HEAVY!r}) & set(sys.modules))))\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.stderr == "[]\n"
