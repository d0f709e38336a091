"""Many questions over eleven tables, asked of two versions: what must not change is the same in both.

    python scripts/compare_versions.py OLD/src NEW/src            (all tables: some minutes)
    python scripts/compare_versions.py OLD/src NEW/src --only clinic jobs

Both explore the same tables and do with each run whatever can be done: ask, release, audit, attack, apply,
compare. Compared are exit codes (so verdicts of audits and attacks), frontiers (ids, values, recodings, what
is proven, bounds), answers, rows of released files, roles, claims and statements of manifests, and measures
of comparisons; numbers to 10 digits. Texts, fingerprints, times, and the order of rows and checks are not.
OLD may be a version of before `--set`: its options are spelled as it takes them. It ends with 1 if anything
differs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeAlias

from version_tables import MadeTable, write_tables

Answers: TypeAlias = dict[str, dict[str, Any]]
CHILD = Path(__file__).with_name("version_answers.py")
# Each is asked of every sixth table.
LATTICE = {
    "plain": "--objectives k,loss --suppress 1%",
    "rigid": "--objectives k,loss --suppress 0 --search exhaustive",
    "any": "--objectives k,loss --suppress any:0.1",
    "parts": "--objectives k,gl,sl,discernibility --suppress 5%",
    "close": "--objectives k,l,t,loss --suppress any:0.1",
    "distances": "--objectives t-js,t,precision-loss --suppress any:0.05",
    "entropy": "--objectives k,l-entropy,delta,entropy-loss --suppress any:0.1",
    "recursive": "--objectives l-recursive,alpha,average-class --set l-recursive.c=2 --suppress 2%",
    "distinct": "--objectives l-distinct,privacy-loss,utility-loss --suppress 1%",
    "spread": "--objectives weighted-k,spread-k,spread-l,loss --suppress 0",
    "shown": "--objectives t-release,delta-release,t-js-release,loss --suppress 5%",
    "risk": "--objectives risk-highest,risk-average,uniques,loss --suppress 5%",
    "queries": "--objectives k,query-error --suppress 1% --seed 4",
    "limits": "--objectives k,loss --at-least k=3 --at-least l=1.2 --at-most loss=90% --suppress any:0.1",
    "boxes": "--objectives k,l,loss --set box.k=5 --set box.l=1 --set box.loss=0.05 --suppress any:0.1",
    "poka": "--search poka --set poka.depth=2 --suppress 5%",
    "pbg": "--search pbg --set pbg.evaluations=150 --set pbg.population=10 --seed 3 --suppress any:0.1",
}
OTHERS = {
    "cuts": "--space cuts --set hybrid.evaluations=300 --suppress 5%",
    "cuts-any": "--space cuts --objectives k,l,loss --set hybrid.evaluations=200 --suppress any:0.1 --seed 2",
    "nsga2": "--space cuts --search nsga2 --set nsga2.population=20 --set nsga2.evaluations=300 --suppress 0",
    "problem-1": "--space cuts --set cuts.problem=1 --set hybrid.evaluations=200",
    "problem-4": "--space cuts --set cuts.problem=4 --set cuts.prefer=l --set hybrid.evaluations=200",
    "mondrian": "--space mondrian --sweep k=2,5,10 --sweep l=2",
    "mondrian-both": "--space mondrian --sweep k=3+t-js=0.1,0.3 --objectives k,t,query-error",
    "mondrian-close": "--space mondrian --sweep delta=1,2 --sweep l-entropy=1.5 --sweep t=0.2,0.4",
    "buckets": "--space buckets --sweep k=4,10 --sweep l=2",
}
# Tables that are also asked through the names in `paretonym`.
IN_PYTHON = ("visits", "typed", "school")
# What only some tables can be asked.
FURTHER = {
    "clinic": {
        "tree": "--objectives k,t-tree,t-tree-release,loss --suppress 1%",
        "anatomy": "--space buckets --set buckets.method=anatomy --sweep l=2,3",
        "exhaustive": "--objectives k,l,loss --search exhaustive --suppress any:0.1",
    },
    "jobs": {
        "classes": "--objectives k,classification-error --suppress 1%",
        "one-column": "--objectives l@religion,t-ordered@stage,loss --at-least l-distinct@income=2",
    },
    "latin": {
        "ordered": "--objectives k,t-ordered,t-ordered-release,loss --suppress any:0.1",
        "anatomy": "--space buckets --set buckets.method=anatomy --sweep l=2",
    },
    "wages": {"any-number": "--objectives k,loss --suppress any"},
}
ASKED_OF_EVERY = 6


@dataclass(frozen=True, slots=True)
class Version:
    """The sources of a version and the function that its command calls."""

    source: Path

    @property
    def entry(self) -> str:
        described = self.source.parent / "pyproject.toml"
        if not described.exists():
            return "paretonym.interfaces.cli.main:main"
        return str(tomllib.loads(described.read_text())["project"]["scripts"]["paretonym"])

    @property
    def spelling(self) -> str:
        """How its options are written: "former" before `--set`."""
        spaces = (self.source / "paretonym").rglob("space_registry.py")
        named = any("OWNER.PARAMETER" in path.read_text(encoding="utf-8") for path in spaces)
        return "present" if named else "former"

    def answers(self, folder: Path, name: str) -> Answers:
        """What it answers about the table in `folder/now`, in a process of its own."""
        place = folder / f"{name}.json"
        environment = {**os.environ, "PYTHONPATH": str(self.source), "COLUMNS": "100", "NO_COLOR": "1"}
        subprocess.run(
            [sys.executable, str(CHILD), str(place), self.entry, self.spelling],
            cwd=folder / "now",
            env=environment,
            check=True,
        )
        answers: Answers = json.loads(place.read_text(encoding="utf-8"))
        return answers


def differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """In what the answers to one question differ, the first place of each."""
    for label in dict.fromkeys([*old, *new]):
        if label not in old or label not in new:
            yield f"{label}: only {'old' if label in old else 'new'} has it"
        elif place := next(_paths(_rounded(old[label]), _rounded(new[label])), None):
            yield f"{label}: {place}"


def _rounded(value: Any) -> Any:
    """A value whose numbers have 10 digits."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value


def _paths(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Where two documents differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        gone, come = ([k for k in a if k not in b] for a, b in ((old, new), (new, old)))
        if gone or come:
            yield f"{path or 'document'}: keys gone {gone}, new {come}"
        for key in (key for key in old if key in new):
            yield from _paths(old[key], new[key], f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list):
        for place, (before, after) in enumerate(zip_longest(old, new)):
            yield from _paths(before, after, f"{path}[{place}]")
    elif old != new:
        yield f"{path}: {_short(old)} became {_short(new)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 90 else f"{text[:90]}…"


def questions(table: MadeTable, number: int) -> list[dict[str, Any]]:
    """What is asked about a table."""
    if table.is_built_in:
        asked: list[dict[str, Any]] = [
            {"name": "plain", "python": ["k", "loss"], "options": {"suppress": 0.01}},
            {"name": "close", "python": ["k", "l", "t", "loss"], "options": {"suppress": 0}},
            {"name": "mondrian", "python": ["k", "utility-loss"],
             "options": {"space": "mondrian", "sweep": ["k=50,200"]}},
            {"name": "cuts", "python": ["k", "loss"], "example": "adult-nine",
             "options": {"space": "cuts", "suppress": 0, "evaluations": 60}},
        ]  # fmt: skip
    else:
        chosen = [
            (name, options)
            for place, (name, options) in enumerate({**LATTICE, **OTHERS}.items())
            if (place + number) % ASKED_OF_EVERY == 0
        ]
        chosen += FURTHER.get(table.name, {}).items()
        asked = [{"name": name, "explore": in_a_space(options.split())} for name, options in chosen]
        if table.name in IN_PYTHON:
            asked.append({"name": "python", "python": ["k", "l", "loss"], "options": {"suppress": "any:0.1"}})
    return [{"example": "adult", **each, "number": place} for place, each in enumerate(asked)]


def in_a_space(options: list[str]) -> list[str]:
    """Options that name a space: without one, older versions searched the lattice alone."""
    return options if {"--space", "--search"} & {*options} else ["--space", "lattice", *options]


def compared_table(
    folder: Path, table: MadeTable, number: int, old: Version, new: Version
) -> tuple[dict[str, list[str]], int]:
    """The differences of each question about a table, and how many answers there were."""
    plan = {"table": _described(folder, table), "questions": questions(table, number)}
    place = folder / f"about-{table.name}"
    place.mkdir()
    (place / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    answers = []
    for name, version in (("old", old), ("new", new)):
        shutil.copytree(folder / "tables", place / "now")
        answers.append(version.answers(place, name))
        (place / "now").rename(place / f"files-{name}")
    before, after = answers
    differing = {f"{table.name} {name}": [*differences(before[name], after[name])] for name in before}
    return differing, sum(len(each) for each in before.values())


def _described(folder: Path, table: MadeTable) -> dict[str, Any]:
    described = {**asdict(table), "columns": ""}
    if table.schema:
        columns = tomllib.loads((folder / "tables" / table.schema).read_text(encoding="utf-8"))["columns"]
        described["columns"] = ",".join(n for n in columns if columns[n]["role"] == "quasi" and "," not in n)
    return described


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("old", type=Path, help="the sources of the old version, such as OLD/src")
    asked.add_argument("new", type=Path, help="those of the new one")
    asked.add_argument("--only", metavar="TABLE", nargs="*", help="these tables alone")
    asked.add_argument("--jobs", type=int, default=2, help="tables at a time (default 2)")
    asked.add_argument("--keep", type=Path, metavar="FOLDER", help="keep all files in this new folder")
    given = asked.parse_args()
    old, new = (Version(source.resolve()) for source in (given.old, given.new))
    for version in (old, new):
        if not (version.source / "paretonym").is_dir():
            asked.error(f"{version.source} holds no paretonym; give a folder such as OLD/src")
        if not any(version.source.rglob("_kernels.*")):
            asked.error(f"{version.source} has no compiled kernels; run scripts/build_kernels.py there")
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        (folder / "tables").mkdir(parents=True)
        sys.exit(_compare_all(folder.resolve(), given, old, new))


def _compare_all(folder: Path, given: argparse.Namespace, old: Version, new: Version) -> int:
    """Print what each question gave; the exit code."""
    tables, start = write_tables(folder / "tables"), time.monotonic()
    differing, questions_asked, answers = 0, 0, 0
    chosen = [(n, table) for n, table in enumerate(tables) if not given.only or table.name in given.only]
    with ThreadPoolExecutor(given.jobs) as pool:
        compared = [pool.submit(compared_table, folder, t, n, old, new) for n, t in chosen]
        for each in compared:
            found, count = each.result()
            answers += count
            for question, differences in found.items():
                questions_asked += 1
                differing += bool(differences)
                print(f"{question:30} {'DIFFERS' if differences else 'same'}", flush=True)
                for difference in differences:
                    print(f"    {difference}", flush=True)
    print(
        f"{questions_asked} questions over {len(chosen)} tables, {answers} answers and files: "
        f"{differing} questions differ ({time.monotonic() - start:.0f} s)"
    )
    return 1 if differing else 0


if __name__ == "__main__":
    main()
