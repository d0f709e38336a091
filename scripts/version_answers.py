"""What one version answers about a table: the facts that must not change, as one JSON document.

`compare_versions.py` starts it with the sources of a version first in the path. Only what is public is used:
the command line and the names in `paretonym`. Questions are written as the present version takes them;
`former` spells them for a version of before `--set`.
"""

from __future__ import annotations

import csv
import io
import json
import os
import secrets
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

Answers = dict[str, Any]
Command = Callable[[], None]
# Drawn keys and secrets: the same for both versions.
FIXED = bytes(range(32))
# Measures have parameters in every version, spaces and searches only in the present one.
OWNERS = ("poka", "pbg", "hybrid", "nsga2", "clusters", "exhaustive", "improve", "cuts", "buckets")
FORMER_NAMES = {"method": "buckets"}
FORMER_FLAGS = {"--allow-second-release": "--also", "--allow-unproven": "--anyway"}
TUNING = ("seed", "depth", "base", "population", "generations", "evaluations", "box")
# Of a frontier, a manifest and an answer, what must stay.
OF_FRONTIER = ("rows", "read", "dropped", "quasi", "sensitive", "space", "suppress")
OF_SEARCH = ("method", "complete", "seed", "open", "bound", "box")
OF_MANIFEST = ("roles", "recoding", "claims", "statements", "estimates", "applied")


def former_arguments(arguments: Sequence[str]) -> Iterator[str]:
    """Arguments as a version of before `--set` took them.

    >>> [*former_arguments(["--set", "poka.depth=2", "--set", "l-recursive.c=2", "--set", "cuts.sound=yes"])]
    ['--depth', '2', '--set', 'l-recursive.c=2', '--sound']
    """
    words = iter(arguments)
    for word in words:
        if word != "--set":
            yield FORMER_FLAGS.get(word, word)
            continue
        entry = next(words)
        name, _, value = entry.partition("=")
        owner, _, parameter = name.rpartition(".")
        if owner not in OWNERS:
            yield from (word, entry)
        else:
            flag = f"--{FORMER_NAMES.get(parameter, parameter)}"
            yield from (flag,) if value == "yes" else (flag, value)


def former_keywords(keywords: dict[str, Any]) -> dict[str, Any]:
    """Keywords of `explore` as a version of before `--set` took them."""
    tuning = {name: value for name, value in keywords.items() if name in TUNING}
    others = {FORMER_NAMES.get(n, n): value for n, value in keywords.items() if n not in TUNING}
    return {**others, **({"tuning": tuning} if tuning else {})}


@dataclass
class Asked:
    """One question to one table, and the facts of its answers by label."""

    plan: dict[str, Any]
    command: Command
    former: bool
    answers: Answers

    def __post_init__(self) -> None:
        os.environ["PARETONYM_STATE"] = str(Path.cwd() / f"state-{self.name}")

    @property
    def name(self) -> str:
        return str(self.plan["name"])

    @property
    def run(self) -> Path:
        return Path(f"run-{self.name}")

    @property
    def original(self) -> list[str]:
        reading = self.plan["reading"] if self.former else ()
        return ["--original", self.plan["data"], "--schema", self.plan["schema"], *reading]

    def tell(self, label: str, *arguments: str) -> dict[str, Any]:
        """Give a command: its exit code is a fact. Returns what it printed."""
        words = [*(former_arguments(arguments) if self.former else arguments), "--json"]
        code, output, _ = called(self.command, words)
        self.answers[f"{label}: exit code"] = code
        try:
            printed = json.loads(output)
        except ValueError:
            return {}
        return printed if isinstance(printed, dict) else {}

    def everything(self) -> None:
        """Explore, and do with the run whatever can be done."""
        self.explore()
        if not (self.run / "frontier.json").is_file():
            return
        front = json.loads((self.run / "frontier.json").read_text(encoding="utf-8"))
        self.answers["frontier"] = frontier_facts(front)
        self.ask(front)
        picks = [solution["id"] for solution in front["solutions"]]
        if picks:
            self.release("release", picks[len(picks) // 2], self.first)
            self.release_more(picks)
            self.check(self.first)
            self.attack()

    def explore(self) -> None:
        plan = self.plan
        if "python" not in plan:
            reading = plan["reading"] if self.former else ()
            words = [plan["data"], "--schema", plan["schema"], *reading, *plan["explore"]]
            # Without a space, earlier versions searched the lattice, later ones every space.
            words += [] if "--space" in words else ["--space", "lattice"]
            self.tell("explore", "explore", *words, "-o", str(self.run))
            return
        import paretonym

        study = (
            paretonym.Study(plan["data"], schema=plan["schema"])
            if plan["data"]
            else paretonym.example(plan["example"])
        )
        keywords = former_keywords(plan["options"]) if self.former else plan["options"]
        keywords = {"space": "lattice", **keywords}
        front: Any = study.explore(*plan["python"], **keywords)
        unproven = {"anyway" if self.former else "allow_unproven": True}
        self.answers["python: ask"] = front.ask(best=plan["python"][-1], **unproven).id
        front.save(str(self.run))

    @property
    def first(self) -> str:
        """Every third release is a Parquet file."""
        return f"first-{self.name}" + (".parquet" if self.plan["number"] % 3 == 2 else ".csv")

    def ask(self, front: dict[str, Any]) -> None:
        objectives, solutions = front["objectives"], front["solutions"]
        if not solutions:
            return
        limit, best = objectives[0], objectives[-1]["name"]
        bound = solutions[len(solutions) // 3]["values"][limit["name"]]
        option = "--at-least" if limit["direction"] == "max" else "--at-most"
        question = ["ask", str(self.run), option, f"{limit['name']}={bound}", "--best", best]
        for label, further in (("ask", ()), ("ask unproven", ("--where", "sl<=5%", "--allow-unproven"))):
            answer = self.tell(label, *question, *further).get("answer") or {}
            self.answers[label] = {name: answer.get(name) for name in ("id", "proven")}

    def release(self, label: str, pick: str, file: str, *options: str) -> None:
        self.tell(label, "release", str(self.run), "--pick", pick, "-o", file, *options)
        self.keep_release(label, file)

    def keep_release(self, label: str, file: str) -> None:
        """The rows of the files that were written, and what the manifest says."""
        for path in sorted(Path().glob(f"{Path(file).stem}.*")):
            if path.name.endswith(".manifest.json"):
                manifest = json.loads(path.read_text(encoding="utf-8"))
                self.answers[f"{label}: manifest"] = {n: manifest[n] for n in OF_MANIFEST if n in manifest}
            else:
                self.answers[f"{label}: rows of {path}"] = rows_of(path)

    def release_more(self, picks: list[str]) -> None:
        second, chosen = f"second-{self.name}.csv", picks[len(picks) // 2]
        pick = picks[len(picks) // 4]
        if pick != chosen:
            self.release("second refused", pick, second)
            self.release("second", pick, second, "--allow-second-release")
        if self.plan["later"]:
            added = f"added-{self.name}.csv"
            words = ["--pick", chosen, self.plan["later"], "-o", added, *self.plan["reading"]]
            self.tell("apply", "apply", str(self.run), *words)
            self.keep_release("apply", added)

    def check(self, file: str) -> None:
        """The verdicts of audits, with and without the original."""
        if Path(f"{file}.manifest.json").exists():
            self.tell("audit required", "audit", file, "--require", "k>=3", "--require", "l>=1.5")
            if self.plan["data"]:
                self.tell("audit original", "audit", file, *self.original)

    def attack(self) -> None:
        if self.plan["data"] and Path(f"{self.first}.manifest.json").exists():
            self.tell("attack", "attack", self.first, *self.original)


def frontier_facts(front: dict[str, Any]) -> dict[str, Any]:
    """Of a frontier, what must stay: what was searched, what is proven, and the solutions."""
    facts = {name: front.get(name) for name in (*OF_FRONTIER, "objectives", "solutions")}
    return {**facts, "search": {name: front["search"].get(name) for name in OF_SEARCH}}


def rows_of(path: Path) -> list[list[str]]:
    """The rows of a table as texts, in order of their values."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as parquet

        table = parquet.read_table(path)
        cells = zip(*(column.to_pylist() for column in table.columns), strict=True)
        rows = [table.column_names, *([str(cell) for cell in row] for row in cells)]
    else:
        with path.open(encoding="utf-8", newline="") as file:
            rows = [list(row) for row in csv.reader(file)]
    return [rows[0], *sorted(rows[1:])]


def called(command: Command, arguments: list[str]) -> tuple[int, str, str]:
    """Run the command in this process: its exit code, output and messages."""
    written = io.BytesIO(), io.BytesIO()
    output, errors = (io.TextIOWrapper(stream, encoding="utf-8") for stream in written)
    before = sys.argv, sys.stdout, sys.stderr
    sys.argv, sys.stdout, sys.stderr = ["paretonym", *arguments], output, errors
    code = 0
    try:
        command()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 0
    finally:
        sys.argv, sys.stdout, sys.stderr = before
    output.flush()
    errors.flush()
    said, noted = (stream.getvalue().decode("utf-8") for stream in written)
    return code, said, noted


def _say_in_schema(schema: Path, reading: Sequence[str]) -> None:
    """Write options of reading into the schema, where the present version expects them."""
    pairs = zip(reading[::2], reading[1::2], strict=True)
    lines = [f'{flag.removeprefix("--")} = "{value}"\n' for flag, value in pairs]
    schema.write_text("".join(lines) + schema.read_text(encoding="utf-8"), encoding="utf-8")


def answered(plan: dict[str, Any], command: Command, former: bool) -> dict[str, Answers]:
    """The answers to all questions about a table."""
    if plan["table"]["schema"] and not former:
        _say_in_schema(Path(plan["table"]["schema"]), plan["table"]["reading"])
    answers: dict[str, Answers] = {question["name"]: {} for question in plan["questions"]}
    for question in plan["questions"]:
        asked = Asked({**plan["table"], **question}, command, former, answers[question["name"]])
        try:
            asked.everything()
        except Exception:
            asked.answers["failed"] = traceback.format_exc(limit=-1).strip().splitlines()[-1]
    table = Asked({**plan["table"], "name": "table", "number": 0}, command, former, {})
    runs = [str(path) for path in sorted(Path().glob("run-*")) if (path / "frontier.json").exists()]
    if runs and plan["table"]["data"]:
        compared = table.tell("compare", "compare", *runs[:3], "--measures", "k,loss,query-error")
        table.answers["compare"] = [
            {name: release.get(name) for name in ("run", "id", "values")}
            for release in compared.get("releases", ())
        ]
    return {**answers, "table": table.answers}


def main() -> None:
    """Arguments: the file for the answers, the function of the command, and "former" or "present"."""
    secrets.token_bytes = lambda size=32: FIXED[:size]  # type: ignore[assignment]
    place, entry, spelling = sys.argv[1:]
    plan = json.loads(Path("../plan.json").read_text(encoding="utf-8"))
    module, _, name = entry.partition(":")
    command = getattr(import_module(module), name)
    Path(place).write_text(json.dumps(answered(plan, command, spelling == "former")), encoding="utf-8")


if __name__ == "__main__":
    main()
