"""The way of a small table through the house: the files that `explore` enters, and its changes of rooms.

    .venv/bin/python scripts/trace_explore.py            print the way, package by package
    .venv/bin/python scripts/trace_explore.py --figures  print the two numbers that tests/house holds

Counted are the functions of paretonym that the command calls, each when it is called first; what runs while
modules are imported does not count. A change is a first call in another package than the one before.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import threading
from itertools import groupby, pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import paretonym

SOURCES = str(Path(paretonym.__file__).parent) + os.sep
TABLE = "age,sex,job\n" + "".join(f"{20 + i * 7 % 40},{'mf'[i % 2]},job {i % 4}\n" for i in range(60))
SCHEMA = """[columns.age]
role = "quasi"
hierarchy.intervals = [5, 10, 20]
[columns.sex]
role = "quasi"
hierarchy.flat = true
[columns.job]
role = "sensitive"
"""


class Trace:
    """The functions of paretonym in the order of their first calls."""

    def __init__(self) -> None:
        self.functions: list[CodeType] = []
        self._met: set[CodeType] = set()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event != "call" or not _is_ours(code) or code in self._met or _is_importing(frame):
            return
        self._met.add(code)
        self.functions.append(code)

    @property
    def files(self) -> list[str]:
        """The file of each function, relative to the package."""
        return [code.co_filename.removeprefix(SOURCES) for code in self.functions]

    @property
    def figures(self) -> dict[str, int]:
        rooms = [Path(file).parts[0] for file in self.files]
        return {"files": len(set(self.files)), "changes": sum(one != other for one, other in pairwise(rooms))}


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(SOURCES)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name == "<module>" and _is_ours(frame.f_code):
            return True
        frame = frame.f_back
    return False


def traced() -> Trace:
    """The trace of `explore --space lattice` of a CSV file of sixty rows."""
    trace = Trace()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["PARETONYM_STATE"] = str(folder / "state")
        (folder / "people.csv").write_text(TABLE, encoding="utf-8")
        (folder / "people.toml").write_text(SCHEMA, encoding="utf-8")
        words = ["explore", folder / "people.csv", "--schema", folder / "people.toml", "--space", "lattice"]
        sys.argv = ["paretonym", *map(str, words), "-o", str(folder / "run")]
        from paretonym.interfaces.cli.main import main

        threading.setprofile(trace)
        sys.setprofile(trace)
        try:
            with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
                main()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
        if not (folder / "run" / "frontier.json").exists():
            raise SystemExit("explore wrote no run")
    return trace


if __name__ == "__main__":
    only_figures = "--figures" in sys.argv[1:]
    trace = traced()
    if only_figures:
        print(json.dumps(trace.figures))
    else:
        for file, functions in groupby(trace.functions, lambda code: code.co_filename.removeprefix(SOURCES)):
            print(f"{file:45} {', '.join(code.co_name for code in functions)}")
        print(json.dumps(trace.figures))
