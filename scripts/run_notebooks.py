"""Run examples/notebooks in a Jupyter kernel and compare what comes out with what is kept.

    python scripts/run_notebooks.py                 # all of them (some minutes)
    python scripts/run_notebooks.py which-k survey  # these

Needs nbclient and ipykernel beside paretonym, in this Python's environment; they are no dependencies of the
project. Without them nothing is run, and the script says so. A notebook shows what its page shows, which may
be a part: every kept line of a command must come out, and a kept value must be the value.
"""

from __future__ import annotations

import doctest
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parents[1] / "examples/notebooks"
NEEDED = ("nbclient", "ipykernel")
PATIENCE = 600
# What a terminal is told about colours and places.
STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def main(names: Sequence[str]) -> int:
    lacking = [name for name in NEEDED if find_spec(name) is None]
    if lacking:
        print(f"Skipped: {' and '.join(lacking)} not installed; pip install {' '.join(NEEDED)}")
        return 0
    paths = [NOTEBOOKS / f"{name}.ipynb" for name in names] or sorted(NOTEBOOKS.glob("*.ipynb"))
    # The kernel and its commands find the programs of this environment.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    # A kernel runs commands in a terminal: one that is wide enough for every line.
    os.environ["COLUMNS"] = "250"
    failed = 0
    for path in paths:
        begun = time.monotonic()
        faults = list(_faults(path))
        failed += bool(faults)
        print(f"{path.name}: {'; '.join(faults) or 'as kept'} ({time.monotonic() - begun:.0f} s)", flush=True)
    print(f"{len(paths) - failed} of {len(paths)} notebooks do what they show.")
    return 1 if failed else 0


def _faults(path: Path) -> Iterator[str]:
    """What is otherwise than kept, a phrase for each cell."""
    import nbformat  # type: ignore[import-not-found]
    from nbclient import NotebookClient  # type: ignore[import-not-found]

    kept, run = (nbformat.read(path, as_version=4) for _ in range(2))
    NotebookClient(
        run, timeout=PATIENCE, allow_errors=True, resources={"metadata": {"path": str(path.parent)}}
    ).execute()
    for number, (before, after) in enumerate(zip(kept.cells, run.cells, strict=True)):
        if before.cell_type == "code" and (fault := _fault(before.outputs, after.outputs)):
            yield f"cell {number}: {fault}"


def _fault(kept: Sequence[Any], found: Sequence[Any]) -> str | None:
    raised = next((each for each in found if each.output_type == "error"), None)
    wanted = next((each for each in kept if each.output_type == "error"), None)
    if raised is not None and (wanted is None or raised.ename != wanted.ename):
        return f"raised {raised.ename}: {raised.evalue}"
    if raised is None and wanted is not None:
        return f"did not raise {wanted.ename}"
    printed = " ".join(STYLE.sub("", _text(found, "stream")).split())
    for line in _text(kept, "stream").replace("…", "...").splitlines():
        if any(" ".join(part.split()) not in printed for part in line.split("...")):
            return f"does not print {line.strip()!r}"
    shown, value = _text(found, "execute_result"), _text(kept, "execute_result")
    if value and not doctest.OutputChecker().check_output(value, shown, SAME):
        return f"shows {shown!r} instead of {value!r}"
    return None


def _text(outputs: Sequence[Any], kind: str) -> str:
    """All that these outputs show, one after the other."""
    texts = (
        each.text if kind == "stream" else each.data["text/plain"]
        for each in outputs
        if each.output_type == kind
    )
    return "".join(map(str, texts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
