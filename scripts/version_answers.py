"""What one version answers: every command in one process, and what each wrote, as one JSON document.

`compare_versions.py` starts it with the sources of a version first in the path. Only what is public is used:
the command line and the names in `paretonym`.
"""

from __future__ import annotations

import io
import json
import os
import secrets
import shutil
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

Answers = dict[str, str]
# Drawn keys and secrets: the same for both versions.
FIXED = bytes(range(32))


@dataclass
class Asked:
    """One question to one table, its folders, and what was answered: a text for each label."""

    plan: dict[str, Any]
    command: Callable[[], None]
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
        return ["--original", self.plan["data"], "--schema", self.plan["schema"], *self.plan["reading"]]

    def tell(self, label: str, *arguments: str) -> int:
        """Give a command; its exit code, output and messages are answers."""
        code, output, errors = called(self.command, [*arguments, "--json"])
        self.answers[f"{label}: exit code"] = str(code)
        self.answers[f"{label}: stdout"] = output
        self.answers[f"{label}: messages"] = errors
        return code

    def keep(self, label: str, *paths: Path) -> None:
        """Files are answers too, byte for byte."""
        for path in paths:
            self.answers[f"{label}: file {path}"] = path.read_bytes().decode("latin-1")

    def explore(self) -> None:
        if "python" in self.plan:
            self._explore_in_python()
            return
        plan = self.plan
        arguments = [plan["data"], "--schema", plan["schema"], *plan["reading"], *plan["explore"]]
        self.tell("explore", "explore", *arguments, "-o", str(self.run))
        if self.run.is_dir():
            self.keep("run", *sorted(self.run.iterdir()))

    def _explore_in_python(self) -> None:
        import paretonym

        plan = self.plan
        study = (
            paretonym.Study(plan["data"], schema=plan["schema"])
            if plan["data"]
            else paretonym.example(plan["example"])
        )
        front = study.explore(*plan["python"], **plan["options"])
        self.answers["python: frontier"] = json.dumps(front.as_json(), indent=1, ensure_ascii=False)
        pick = front.ask(best=plan["python"][-1], allow_unproven=True)
        self.answers["python: ask"] = pick.id
        if plan["data"]:
            table: Any = pick.release()
            self.answers["python: release"] = repr(
                table.to_pylist() if hasattr(table, "to_pylist") else table
            )
        front.save(str(self.run))
        self.keep("run", *sorted(self.run.iterdir()))

    def publish(self) -> None:
        """Everything that is done with a run."""
        self.resume()
        self.check(self.first)
        self.attack("attack", self.first)
        second = f"second-{self.name}.csv"
        if self.plan["number"] % 2:
            self.check(second)
        elif self.plan["number"] % 4 == 2:
            self.attack("attack both", self.first, second)
        self._check_added()

    def resume(self) -> None:
        """Ask a run, and write what can be written of it."""
        if not (self.run / "frontier.json").is_file():
            return
        front = json.loads((self.run / "frontier.json").read_text(encoding="utf-8"))
        picks = [solution["id"] for solution in front["solutions"]]
        self._ask(front)
        if not picks:
            return
        self.release("release", picks[len(picks) // 2], self.first)
        self._release_more(picks)
        self.keep("run after", self.run / "run.json")
        for log in sorted(Path(f"state-{self.name}").rglob("releases.json")):
            self.keep("log", log)

    @property
    def first(self) -> str:
        """Every other release is a Parquet file."""
        return f"first-{self.name}" + (".parquet" if self.plan["number"] % 3 == 2 else ".csv")

    def _ask(self, front: dict[str, Any]) -> None:
        self.tell("ask", "ask", str(self.run))
        objectives, solutions = front["objectives"], front["solutions"]
        if not solutions:
            return
        limit, best = objectives[0], objectives[-1]["name"]
        bound = solutions[len(solutions) // 3]["values"][limit["name"]]
        option = "--at-least" if limit["direction"] == "max" else "--at-most"
        question = ["ask", str(self.run), option, f"{limit['name']}={bound}", "--best", best]
        self.tell("ask best", *question)
        self.tell("ask anyway", *question, "--where", "sl<=5%", "--anyway")
        if not self.plan["number"]:
            self.tell("ask too much", "ask", str(self.run), "--where", "k>=1000000", "--best", best)

    def release(self, label: str, pick: str, file: str, *options: str) -> None:
        self.tell(label, "release", str(self.run), "--pick", pick, "-o", file, *options)
        self.keep_release(label, file)

    def keep_release(self, label: str, file: str) -> None:
        """The file, its manifest and its two halves, if it has any."""
        self.keep(label, *sorted(Path().glob(f"{Path(file).stem}.*")))

    def check(self, file: str) -> None:
        """What an audit says, with and without the original."""
        if Path(f"{file}.manifest.json").exists():
            required = ["audit", file, "--require", "k>=3", "--require", "l>=1.5"]
            self.tell(f"audit required {file}", *required)
            if self.plan["data"]:
                self.tell(f"audit original {file}", "audit", file, *self.original)

    def attack(self, label: str, *files: str) -> None:
        if not self.plan["data"] or not all(Path(f"{file}.manifest.json").exists() for file in files):
            return
        self.tell(f"{label} original", "attack", *files, *self.original)
        if self.plan["number"] % 2 == 0:
            self.tell(label, "attack", *files, "--schema", self.plan["schema"])

    def _release_more(self, picks: list[str]) -> None:
        second = f"second-{self.name}.csv"
        pick = picks[len(picks) // 4]
        if pick != picks[len(picks) // 2]:
            self.release("second refused", pick, second)
            self.release("second", pick, second, "--also")
        if self.plan["later"]:
            added = f"added-{self.name}.csv"
            given = ["--pick", picks[len(picks) // 2], self.plan["later"], "-o", added, *self.plan["reading"]]
            self.tell("apply", "apply", str(self.run), *given)
            self.keep_release("apply", added)

    def _check_added(self) -> None:
        added, plan = f"added-{self.name}.csv", self.plan
        if Path(added).exists():
            given = ["--original", plan["later"], "--old", plan["data"], "--schema", plan["schema"]]
            self.tell("audit apply", "audit", added, *given, *plan["reading"])

    def reopen(self) -> None:
        """What was written before is opened, checked and written once more in its own place."""
        if not Path(f"{self.first}.manifest.json").exists():
            return
        self.check(self.first)
        chosen = json.loads((self.run / "run.json").read_text(encoding="utf-8"))["releases"][0]["id"]
        called(
            self.command, ["release", str(self.run), "--pick", chosen, "-o", self.first, "--also", "--force"]
        )
        self.keep_release("release", self.first)


def about_table(plan: dict[str, Any], command: Callable[[], None], answers: Answers) -> None:
    """What is asked of a table and of all its runs together."""
    asked = Asked({**plan, "name": "table", "number": 0}, command, answers)
    data, schema = plan["data"], plan["schema"]
    if data:
        asked.tell("schema", "schema", schema, "--data", data, *plan["reading"])
        asked.tell("init", "init", data, "-o", "draft.toml", *plan["reading"])
        if Path("draft.toml").exists():
            asked.keep("init", Path("draft.toml"))
            asked.tell("explore a draft", "explore", data, "--schema", "draft.toml", *plan["reading"])
        asked.tell("audit foreign", "audit", data, "--quasi", plan["columns"], *plan["reading"])
    if plan["later"]:
        shutil.copy(schema, "updated.toml")
        asked.tell("init update", "init", "--update", "updated.toml", plan["later"], *plan["reading"])
        asked.keep("init update", Path("updated.toml"))
    runs = [str(path) for path in sorted(Path().glob("run-*")) if (path / "frontier.json").exists()]
    if runs and data:
        asked.tell("compare", "compare", *runs, "-o", "comparison.json")
        asked.keep("compare", *Path().glob("comparison.json"))
        asked.tell("compare k", "compare", *runs[:3], "--measures", "k,loss,query-error")
    if plan["name"] == "clinic":
        asked.tell("report", "report", runs[0], "-o", "report.html")
    if plan["name"] == "adult":
        _about_commands(asked)


def _about_commands(asked: Asked) -> None:
    asked.tell("measures", "measures")
    help_text = called(asked.command, ["--help"])[1]
    names = [
        line.split()[0]
        for line in help_text.partition("Commands:")[2].splitlines()
        if line[:3].strip() == "" and line.strip()
    ]
    for name in names[:-2]:
        asked.answers[f"help {name}: messages"] = shown = called(asked.command, [name, "--help"])[1]
        words = {word.strip(",[].;:'\"()") for word in shown.split()}
        asked.answers[f"help {name}: options"] = " ".join(sorted(w for w in words if w.startswith("-")))
    for label, wrong in (("none", "nothing"), ("option", "explore --nothing"), ("run", "ask no-run")):
        asked.tell(f"wrong {label}", *wrong.split())


def called(command: Callable[[], None], arguments: list[str]) -> tuple[int, str, str]:
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


def answered(plan: dict[str, Any], command: Callable[[], None], *steps: str) -> dict[str, Answers]:
    """The answers to all questions about a table."""
    found: dict[str, Answers] = {question["name"]: {} for question in plan["questions"]}
    for step in steps:
        for question in plan["questions"]:
            # Every other run is enough to see that old runs can be gone on with.
            if step == "resume" and question["number"] % 2:
                continue
            answers = found[question["name"]]
            try:
                getattr(Asked({**plan["table"], **question}, command, answers), step)()
            except Exception:
                answers[f"{step}: failed"] = traceback.format_exc(limit=-1)
        if step == "explore":
            shutil.copytree(".", "../explored")
    if "explore" in steps:
        about_table(plan["table"], command, found.setdefault("table", {}))
    return found


def main() -> None:
    """Arguments: the file for the answers, the function of the command, and the steps to go."""
    secrets.token_bytes = lambda size=32: FIXED[:size]  # type: ignore[assignment]
    place, entry, *steps = sys.argv[1:]
    plan = json.loads(Path("../plan.json").read_text(encoding="utf-8"))
    module, _, name = entry.partition(":")
    command = getattr(import_module(module), name)
    found = answered(plan, command, *steps)
    Path(place).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
