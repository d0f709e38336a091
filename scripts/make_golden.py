"""Make the golden files: one of every kind that is stored, from a table of 48 made-up people.

    python scripts/make_golden.py FOLDER

The files in tests/reference/data/golden are made by this script. Once 0.2.0 is published they are kept
unchanged: later versions must open them, and write the same again.
"""

from __future__ import annotations

import argparse
import csv
import os
import secrets
from contextlib import chdir
from pathlib import Path
from random import Random

from version_answers import FIXED, called

from paretonym.interfaces.cli.main import main as command
from paretonym.research.papers.reproductions import Fact, Reproduction, Result
from paretonym.research.papers.reproductions import reproduction_registry as registry

SCHEMA = """missing = "drop"

[columns.id]
role = "identifier"

[columns.age]
role = "quasi"
type = "integer"
hierarchy.intervals = [10, 20, 40]
top = 80

[columns.zip]
role = "quasi"
hierarchy.mask = 3

[columns.job]
role = "quasi"

[columns.job.hierarchy.tree]
Office = ["Clerk", "Chair"]
Health = ["Nurse", "Doctor"]

[columns.illness]
role = "sensitive"

[columns.visits]
role = "other"
"""
# One run of each space, and one whose release is a Parquet file.
RUNS = {
    "lattice": "--space lattice --objectives k,l,t,loss --suppress any:0.2",
    "cuts": "--space cuts --objectives k,loss --set hybrid.evaluations=200 --suppress 10%",
    "mondrian": "--space mondrian --sweep k=3,6 --sweep l=2",
    "buckets": "--space buckets --sweep k=4,8",
    "anatomy": "--space buckets --set buckets.method=anatomy --sweep l=2",
    "parquet": "--space lattice --objectives k,gl,sl --suppress 5%",
}
FILES = {name: f"{name}.csv" for name in RUNS} | {"parquet": "parquet.parquet"}
ORIGINAL = ("--original", "people.csv", "--schema", "people.toml")


def write_table(folder: Path) -> None:
    """The table, its schema and rows that came later."""
    draw = Random("golden")
    for name, numbers in (("people.csv", range(48)), ("later.csv", range(48, 60))):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["id", "age", "zip", "job", "illness", "visits"])
            writer.writerows(_person(draw, number) for number in numbers)
    (folder / "people.toml").write_text(SCHEMA, encoding="utf-8")


def _person(draw: Random, number: int) -> list[str]:
    age = "" if number == 7 else str(draw.randrange(18, 90))
    job = draw.choice(["Clerk", "Chair", "Nurse", "Doctor"])
    illness = draw.choice(["flu", "flu", "asthma", "ulcer", "angina"])
    return [f"P{number:02}", age, draw.choice(["010", "011", "104"]), job, illness, str(draw.randrange(4))]


def say(kept: str | None, *arguments: str) -> None:
    """Give a command, and keep in a file what it prints as JSON; a failure is one of this script's."""
    code, output, errors = called(command, [*arguments, "--json"])
    if code > 1:
        raise SystemExit(f"{' '.join(arguments)}: {errors}")
    if kept is not None:
        Path(kept).write_text(output, encoding="utf-8")


def middle(run: str) -> str:
    """The solution in the middle of a run's frontier."""
    import paretonym

    ids = [solution.id for solution in paretonym.load(run)]
    return ids[len(ids) // 2]


def make(folder: Path) -> None:
    """Write all golden files into an empty folder. Keys and secrets are fixed."""
    write_table(folder)
    drawn, state = secrets.token_bytes, os.environ.get("PARETONYM_STATE")
    secrets.token_bytes = lambda size=32: FIXED[:size]  # type: ignore[assignment]
    try:
        with chdir(folder):
            for name, options in RUNS.items():
                os.environ["PARETONYM_STATE"] = str(folder / f"state-{name}")
                _make_run(name, options)
            os.environ["PARETONYM_STATE"] = str(folder / "state-lattice")
            _make_others()
    finally:
        secrets.token_bytes = drawn
        os.environ.pop("PARETONYM_STATE")
        if state is not None:
            os.environ["PARETONYM_STATE"] = state
    for lock in folder.rglob("lock"):
        lock.unlink()


def _make_run(name: str, options: str) -> None:
    file = FILES[name]
    say(None, "explore", "people.csv", "--schema", "people.toml", "-o", name, *options.split())
    say(f"{name}.ask.json", "ask", name)
    say(None, "release", name, "--pick", middle(name), "-o", file)
    say(f"{name}.audit.json", "audit", file, *ORIGINAL)
    say(f"{name}.attack.json", "attack", file, *ORIGINAL)


def _make_others() -> None:
    say(None, "apply", "lattice", "--pick", middle("lattice"), "later.csv", "-o", "added.csv")
    say("schema.json", "schema", "people.toml", "--data", "people.csv")
    say("init.json", "init", "people.csv", "-o", "draft.toml")
    say(None, "compare", "lattice", "cuts", "mondrian", "-o", "comparison.json")
    _make_reproduction()


def _made_up() -> Result:
    facts = (Fact("depth 1", "nodes evaluated", 466, 502), Fact("depth 1", "share of nodes", 0.026, 0.028))
    return Result((*facts, Fact("exact", "nodes evaluated", 1019)), (), ("Hierarchies differ.",))


def _make_reproduction() -> None:
    """A folder with its list of files, and in it a reproduction that is made up, so that it is quick."""
    known = registry.REPRODUCTIONS
    registry.REPRODUCTIONS = {"a-table": Reproduction("a-table", "A paper", "Table 1: counts", _made_up)}
    try:
        say(None, "reproduce", "all", "-o", "papers")
    finally:
        registry.REPRODUCTIONS = known


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write one file of every stored format into a new folder.")
    parser.add_argument("folder", type=Path)
    target = parser.parse_args().folder.resolve()
    target.mkdir(parents=True)
    make(target)
