"""What needs no table loads nothing that reads, counts or draws one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from paretonym.study.study import Study

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
        "from paretonym.interfaces.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"sys.exit(str(sorted(set({HEAVY!r}) & set(sys.modules))))\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.stderr == "[]\n"


# What a question to a run of the lattice needs no part of.
UNASKED = {
    "pyarrow",
    "duckdb",
    "pandas",
    "narwhals",
    "paretonym.release",
    "paretonym.report",
    "paretonym.study.study",
    "paretonym.tables.schema.draft",
    "paretonym.engine.spaces.cuts",
    "paretonym.engine.spaces.mondrian",
}


def test_an_answer_from_a_saved_run_reads_no_table(tmp_path: Path) -> None:
    """All that answers need is in the run's folder; Arrow alone takes a third of a second to load."""
    table, schema = tmp_path / "people.csv", tmp_path / "schema.toml"
    table.write_text("age,city\n" + "".join(f"{20 + i % 5},{'ab'[i % 2]}\n" for i in range(40)))
    schema.write_text(
        '[columns.age]\nrole = "quasi"\ntype = "integer"\nhierarchy.intervals = [2]\n'
        '[columns.city]\nrole = "quasi"\nhierarchy.flat = true\n'
    )
    Study(str(table), str(schema)).explore("k", "loss", suppress=0, space="lattice").save(tmp_path / "run")
    table.unlink()
    for question in (["--best", "k", "--at-most", "loss=50%"], [], ["--json"]):
        program = (
            f"import sys; sys.argv = ['paretonym', 'ask', {str(tmp_path / 'run')!r}, *{question!r}]\n"
            "from paretonym.interfaces.cli.main import main\n"
            "try: main()\n"
            "except SystemExit as stop: assert not stop.code, stop.code\n"
            f"sys.exit(str(sorted({UNASKED!r} & set(sys.modules))))\n"
        )
        ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert ended.stderr.endswith("[]\n"), ended.stderr


def test_a_csv_file_is_read_without_pandas(tmp_path: Path) -> None:
    """Arrow imports pandas where it is installed, for conversions that codes do not need."""
    table = tmp_path / "people.csv"
    table.write_text("age,city\n1,a\n,b\n3,\n1,a\n")
    program = (
        "import sys; from paretonym.tables.source.engines import read\n"
        f"table = read({str(table)!r})\n"
        "columns = [table.column(name) for name in table.names]\n"
        "print([(each.texts, each.codes.tolist()) for each in columns], 'pandas' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    columns = [(("1", "3"), [0, 1, -1]), (("a", "b"), [0, -1, 1])]
    assert ended.stdout == f"{columns} False\n"
