"""From a table to an audited release with the commands themselves; damage is named, and the end is 1."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random

import pytest

from paretonym.research.exams.random_tables import random_table
from paretonym.tables.schema.schema_file import schema_from, write_schema
from paretonym.tables.source.example_data import example_path, write_adult_csv
from tests.cli.conftest import Command
from tests.properties.test_release_audit import DAMAGES

# Ten are audited in tests/reference/test_adult_audits.py; these three with the commands.
ACROSS = (0, 17, 44)


def explored(command: Command, *options: str) -> list[str]:
    """The ids of the solutions of a run, best k first."""
    ended = command(
        "explore",
        "--space",
        "lattice",
        "data.csv",
        "--schema",
        "schema.toml",
        "-o",
        "run",
        "--json",
        *options,
    )
    assert ended.code == 0, ended.err
    return [solution["id"] for solution in json.loads(ended.out)["solutions"]]


def audited(command: Command, file: str, *options: str) -> tuple[int, list[str]]:
    ended = command("audit", file, "--json", *options)
    return ended.code, json.loads(ended.out)["failed"]


@pytest.mark.slow
def test_releases_of_adult(command: Command, tmp_path: Path) -> None:
    write_adult_csv(tmp_path / "data.csv")
    (tmp_path / "schema.toml").write_text(example_path("adult.toml").read_text(encoding="utf-8"))
    ids = explored(command, "--suppress", "1%")
    for place in ACROSS:
        made = command(
            "release", "run", "--pick", ids[place], "-o", f"{place}.csv", "--allow-second-release", "--quiet"
        )
        assert made.code == 0, made.err
        beside = ("--original", "data.csv", "--schema", "schema.toml")
        assert audited(command, f"{place}.csv", *beside) == (0, [])
    for place, damage in zip(ACROSS[-3:], DAMAGES, strict=True):
        named = damage(tmp_path / f"{place}.csv", Random(place))
        code, failed = audited(command, f"{place}.csv")
        assert code == 1
        assert named in failed


@pytest.mark.parametrize("seed", range(20))
def test_releases_of_random_tables(seed: int, command: Command, tmp_path: Path) -> None:
    table = random_table(Random(seed), sensitive=seed % 3, rows=(20, 60))
    with (tmp_path / "data.csv").open("w", encoding="utf-8", newline="") as written:
        writer = csv.DictWriter(written, list(table.columns))
        writer.writeheader()
        writer.writerows(table.rows)
    write_schema(schema_from(table.schema), tmp_path)
    pick = Random(seed).choice(explored(command))
    file = f"out.{('csv', 'parquet')[seed % 2]}"
    assert command("release", "run", "--pick", pick, "-o", file).code == 0
    beside = ("--original", "data.csv", "--schema", "schema.toml")
    assert audited(command, file) == (0, [])
    assert audited(command, file, *beside) == (0, [])
    if file.endswith("csv"):
        damage = DAMAGES[seed // 2 % len(DAMAGES)]
        named = damage(tmp_path / file, Random(seed))
        code, failed = audited(command, file)
        assert code == 1
        assert named in failed
