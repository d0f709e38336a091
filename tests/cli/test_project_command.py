"""`paretonym project`: packs and unpacks, with its own words and exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

import paretonym as pn
from paretonym.cli.main import run as run_command

TABLES = Path(__file__).parents[2] / "examples" / "tables"


def test_pack_and_unpack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pn.Study(TABLES / "school.csv", TABLES / "school.toml").explore("k", "loss", suppress="5%").save("run")

    def command(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["paretonym", "project", *arguments])
        return run_command(), *capsys.readouterr()

    code, _, said = command("run", "-o", "school.paretonym")
    assert (code, said) == (
        0,
        "Wrote school.paretonym. Keep it private: it describes the table. The data are not in it.\n",
    )
    code, _, said = command("school.paretonym", "-o", "opened")
    assert (code, said) == (
        0, "Wrote opened. Then run, for example: paretonym ask opened/run --data DATA\n",
    )  # fmt: skip
    assert pn.load("opened/run").solutions[0].id == pn.load("run").solutions[0].id
    code, _, said = command("school.paretonym", "-o", "opened")
    assert (code, "already exists (a project of" in said) == (2, True)
    code, out, _ = command("opened/schema.toml", "-o", "schema.paretonym", "--json")
    assert (code, '"run": false' in out) == (0, True)
    before = (tmp_path / "opened" / "schema.toml").read_bytes()
    code, _, said = command("opened/schema.toml", "-o", "opened/schema.toml", "--force")
    assert (code, "a file whose name ends in .paretonym" in said) == (2, True)
    assert (tmp_path / "opened" / "schema.toml").read_bytes() == before
