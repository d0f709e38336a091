"""`paretonym risk`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.cli.conftest import Command

TABLES = Path(__file__).parents[2] / "examples" / "tables"


def test_what_is_said(command: Command, tmp_path: Path) -> None:
    for name in ("survey.csv", "survey.toml"):
        shutil.copy(TABLES / name, tmp_path)
    ended = command("risk", "survey.csv", "--schema", "survey.toml", "--sampling-fraction", "2%", "--details")
    assert ended.code == 0
    assert ended.out.startswith("784 people of 800 (98 %) are unique in the quasi-identifiers together; 752 ")
    assert "pitman, trusted here" in ended.out
    assert "Confidential, for the publisher alone" in ended.err
    document = json.loads(command("risk", "survey.csv", "--schema", "survey.toml", "--json").out)
    assert document["format"] == "paretonym.risk/1"
    assert (document["audience"], document["uniques"], document["suda"]["size"]) == ("publisher", 784, 3)
    # In the database and in memory the same.
    counted = command("risk", "survey.csv", "--schema", "survey.toml", "--json", "--engine", "duckdb")
    assert json.loads(counted.out) == document


def test_no_value_is_shown(command: Command, tmp_path: Path) -> None:
    """Not of a quasi-identifier, of a sensitive column or of an identifier."""
    secret = ["id,age,town,illness", *(f"ID{i},{20 + i},SECRETTOWN{i % 3},ILL{i % 2}" for i in range(9))]
    Path("people.csv").write_text("\n".join(secret) + "\n", encoding="utf-8")
    flat = "\nhierarchy.flat = true"
    roles = {"id": "identifier", "age": "quasi", "town": "quasi", "illness": "sensitive"}
    lines = (f'[columns.{n}]\nrole = "{r}"{flat if r == "quasi" else ""}\n' for n, r in roles.items())
    Path("people.toml").write_text("".join(lines), encoding="utf-8")
    for options in ((), ("--json",)):
        ended = command("risk", "people.csv", "--schema", "people.toml", *options)
        assert ended.code == 0
        assert not any(word in ended.out + ended.err for word in ("SECRETTOWN", "ILL", "ID1"))


def test_mistakes(command: Command, tmp_path: Path) -> None:
    for name in ("survey.csv", "survey.toml"):
        shutil.copy(TABLES / name, tmp_path)
    ended = command("risk", "survey.csv", "--schema", "survey.toml", "--size", "6")
    assert (ended.code, ended.out) == (2, "")
    assert "--size 6: there are 6 quasi-identifiers, and a combination has fewer; give a number" in ended.err
    ended = command("risk", "survey.csv", "--schema", "survey.toml", "--sampling-fraction", "2")
    assert (ended.code, ended.out) == (2, "")
    assert "--sampling-fraction 2: a sampling fraction is above 0 and at most 1" in ended.err
