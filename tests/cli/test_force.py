"""`--force` replaces only what this program wrote, whichever command writes: every writer marks its files."""

from __future__ import annotations

from pathlib import Path

import pytest

import paretonym
from paretonym.base.extras import installed
from tests.cli.conftest import AGE_AND_SEX, Command, Prepare

ROWS = "age,sex,illness\n" + "".join(f"{20 + i * 7 % 40},{'mf'[i % 2]},{i % 3}\n" for i in range(80))
PURPOSE = '[[purpose]]\nname = "ages"\ntable = ["age", "sex"]\ntolerance = {table-error = 0.9}\n'
PERMIT = "report run --for permit --purpose ages --at-least k=2 -o"
RELEASE = "release run --pick {pick} --allow-second-release -o"
APPLY = "apply run later.csv --pick {pick} --allow-second-release -o"
TABLES = "compare run later.csv --original data.csv --control data.csv --measures linkability,pmse -o"
WRITERS = {
    "draft": ("init data.csv -o", "x.toml", ""),
    "release": (RELEASE, "x.csv", ""),
    "release as Parquet": (RELEASE, "x.parquet", ""),
    "release as a workbook": (RELEASE, "x.xlsx", ""),
    "release of new rows": (APPLY, "x.csv", ""),
    "report": ("report run -o", "x.html", ""),
    "public report": ("report run --for public --pick {pick} -o", "x.html", ""),
    "printed report": ("report run -o", "x.pdf", "pdf"),
    "permit": (PERMIT, "x.html", ""),
    "permit in numbers": (PERMIT, "x.json", ""),
    "comparison": ("compare run run2 -o", "x.json", ""),
    "comparison of tables": (TABLES, "x.html", ""),
    "numbers of tables": (TABLES, "x.json", ""),
    "figure": ("compare run run2 --figure", "x.svg", "plot"),
    "picture": ("compare run run2 --figure", "x.png", "plot"),
    "printed figure": ("compare run run2 --figure", "x.pdf", "plot"),
}


@pytest.fixture
def pick(prepared: Prepare, command: Command) -> str:
    """A release of a run, in a folder with all that the writers read."""

    def runs() -> None:
        Path("data.csv").write_text(ROWS)
        Path("later.csv").write_text(ROWS.replace("\n2", "\n3"))
        Path("schema.toml").write_text(f'{PURPOSE}{AGE_AND_SEX}[columns.illness]\nrole = "sensitive"\n')
        study = paretonym.Study("data.csv", "schema.toml")
        study.explore("k", "loss", suppress=0, space="lattice").save("run")
        study.explore("k", "gl", suppress=0, space="lattice").save("run2")

    prepared(runs)
    return paretonym.load("run")[0].id


SLOW = ("printed report", "comparison of tables", "numbers of tables")


@pytest.mark.parametrize(
    "writer", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in WRITERS]
)
def test_every_writer_knows_its_own_files(command: Command, pick: str, writer: str) -> None:
    line, name, extra = WRITERS[writer]
    if extra and not installed(extra):
        pytest.skip(f"without the extra {extra}")
    words = (*line.replace("{pick}", pick).split(), name, "--quiet", "--force")
    path = Path(name)
    path.write_text("my thesis")
    ended = command(*words)
    assert (ended.code, path.read_text()) == (2, "my thesis")
    assert "--force does not replace this (paretonym did not write it, or it has changed since)" in ended.err
    assert "remove it yourself" in ended.err
    path.write_text("")
    assert command(*words).code == 0, "an empty file"
    assert command(*words).code == 0, "its own file"


def test_an_edited_release_is_no_longer_ours(command: Command, pick: str) -> None:
    words = (*RELEASE.replace("{pick}", pick).split(), "x.csv", "--quiet", "--force")
    assert command(*words).code == 0
    with Path("x.csv").open("a") as file:
        file.write("added by hand,,\n")
    assert command(*words).code == 2
    assert Path("x.csv").read_text().endswith("added by hand,,\n")


def test_schemas_of_python_have_the_mark(tmp_path: Path) -> None:
    schema = paretonym.Schema([paretonym.Column("age", role="drop")])
    schema.save(tmp_path / "x.toml")
    schema.save(tmp_path / "x.toml", force=True)
    assert (tmp_path / "x.toml").read_text().startswith("# Written by paretonym\n")
