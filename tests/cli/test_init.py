"""`init` and `init --update`: what they write and what they say."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paretonym.tables.schema.schema_file import read_schema

Command = Callable[..., Any]
ROWS = "name,age,city,illness,thing\n" + "".join(
    f"sëcret{n},{20 + n},{['Ulm', 'Wien', 'Köln', 'Graz'][n % 4]},{['flü', 'cöld'][n % 2]},{n % 2}\n"
    for n in range(40)
)
OLD = '# mine\n[columns.city]\nrole = "quasi"\n[columns.city.hierarchy.tree]\nSouth = ["Ulm", "Wien"]\n'


@pytest.fixture(autouse=True)
def _table(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(ROWS, encoding="utf-8")


def test_init(command: Command, tmp_path: Path) -> None:
    ended = command("init", "people.csv", "-o", "people.toml")
    assert ended.code == 0
    schema = read_schema(tmp_path / "people.toml")
    assert [column.role for column in schema.columns] == [
        "identifier", "quasi", "quasi", "sensitive", "undecided",
    ]  # fmt: skip
    for column in schema.columns:
        assert column.name in ended.out
        assert column.role in ended.out
    alike = (
        "generalizing one protects nothing while the other is shown exactly; drop all but one of them, or "
        "generalize all of them (levels).\n"
    )
    assert ended.err == (
        f"Warning: 'illness' follows from 'city': {alike}"
        f"Warning: 'thing' follows from 'city': {alike}"
        f"Warning: 'illness' and 'thing' determine each other: {alike}"
        "Next: paretonym schema people.toml --data people.csv\n"
        "Keep the schema private: it contains values of the table.\n"
    )
    assert ended.out.splitlines() == [
        "Wrote people.toml: 5 columns; 1 decision is left to you. Check every guess.",
        "  generalized (quasi): age, city",
        "  protected (sensitive): illness",
        "  undecided: thing",
        "  removed: name (identifier)",
        '  DECIDE thing: "quasi" if others may know it about a person, "sensitive" if nobody should '
        'learn it, "other" to release it unchanged, "drop" to remove it',
    ]
    assert stat.S_IMODE((tmp_path / "people.toml").stat().st_mode) == 0o600
    text = (tmp_path / "people.toml").read_text(encoding="utf-8") + ended.out + ended.err
    assert "Graz" in text
    assert not any(secret in text for secret in ("sëcret", "flü", "cöld"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "people.toml"]


def test_init_as_json(command: Command) -> None:
    ended = command("init", "people.csv", "-o", "people.toml", "--json")
    document = json.loads(ended.out)
    assert ended.code == 0
    assert document["schema"] == "people.toml"
    assert document["columns"][1] == {
        "name": "age", "role": "quasi", "reason": "the name suggests age", "decide": None,
    }  # fmt: skip
    assert len(document["decisions"]) == 1
    shown = json.loads(command("init", "people.csv", "--json").out)
    assert shown["schema"] is None
    assert shown["text"] == Path("people.toml").read_text(encoding="utf-8")


def test_init_without_a_file_shows_the_draft(command: Command, tmp_path: Path) -> None:
    ended = command("init", "people.csv")
    assert ended.out.startswith("# Drafted by paretonym init from people.csv: 40 rows, 5 columns.")
    assert '[columns.city.hierarchy.tree]\n# "first set" = ["Graz", "Köln"]\n' in ended.out
    assert ended.err == "Not saved; use -o SCHEMA.toml to keep it.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_a_draft_is_replaced_by_force_alone(command: Command, tmp_path: Path) -> None:
    schema = tmp_path / "people.toml"
    again = ("init", "people.csv", "-o", "people.toml")
    assert command(*again).code == 0
    draft = schema.read_bytes()
    schema.write_bytes(draft + b"# mine\n")
    assert command(*again).err == (
        "error: --out people.toml: already exists; give another name, or use --force to replace it\n"
    )
    assert schema.read_bytes() == draft + b"# mine\n"
    assert command(*again, "--force", "--quiet").err.count("Warning: ") == 3
    assert schema.read_bytes() == draft


def test_update(command: Command, tmp_path: Path) -> None:
    (tmp_path / "people.toml").write_text(OLD + '[columns.gone]\nrole = "drop"\n')
    ended = command("init", "--update", "people.toml", "people.csv")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == (
        "Updated people.toml; search for 'new in' and decide where each belongs:\n"
        "  column city: 2 new values\n"
        "  column name: new, its role is undecided\n"
        "  column age: new, its role is undecided\n"
        "  column illness: new, its role is undecided\n"
        "  column thing: new, its role is undecided\n"
        "  column gone: no longer in people.csv; kept in the schema\n"
    )
    text = (tmp_path / "people.toml").read_text(encoding="utf-8")
    assert text.startswith(OLD)
    assert '"Graz" = [] # new in people.csv: decide where it belongs\n' in text
    again = command("init", "--update", "people.toml", "people.csv")
    assert again.out == (
        "people.csv has nothing new; people.toml was not changed.\n"
        "  column gone: no longer in people.csv; kept in the schema\n"
    )
    document = json.loads(command("init", "--update", "people.toml", "people.csv", "--json").out)
    assert document == {"schema": "people.toml", "values": {}, "columns": [], "gone": ["gone"]}
