"""The steps of the workflows in .github, so that each of them runs on any machine:

    python scripts/workflow_steps.py install [--lowest]   paretonym and its tools into this Python
    python scripts/workflow_steps.py check                ruff and mypy
    python scripts/workflow_steps.py test [--fresh]       every test; --fresh: new random cases
    python scripts/workflow_steps.py wheel                build the wheel of this system and try it
    python scripts/workflow_steps.py try                  install the wheel that lies in dist, and try it

`--lowest` installs the oldest versions that pyproject.toml allows of what paretonym itself needs; `test
--lowest` runs the tests that need no more than that.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
# With the lowest versions of libraries: what computes, and no tools that want newer ones.
OF_THE_CORE = ("tests/unit", "tests/properties", "tests/exams")


def run(*command: str | Path, **further: str) -> None:
    words = [str(word) for word in command]
    print("+", " ".join(words), flush=True)
    ended = subprocess.run(words, cwd=ROOT, env={**os.environ, **further}, check=False)
    if ended.returncode:
        raise SystemExit(ended.returncode)


def lowest() -> list[str]:
    """The oldest version of every dependency, as constraints.

    >>> all("==" in line for line in lowest())
    True
    """
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [requirement.replace(">=", "==") for requirement in table["dependencies"]]


def install(old: bool) -> None:
    run(*PIP, "install", "--upgrade", "pip>=25.1")
    further: Sequence[str | Path] = ()
    with tempfile.TemporaryDirectory() as folder:
        if old:
            constraints = Path(folder) / "lowest.txt"
            constraints.write_text("\n".join(lowest()) + "\n", encoding="utf-8")
            further = (
                "--constraint",
                constraints,
                "pytest",
                "pytest-xdist",
                "hypothesis",
                "pandas",
                "polars",
            )
        else:
            further = ("--group", "dev")
        run(*PIP, "install", "--editable", ".[all]", *further)


def check() -> None:
    run(sys.executable, "-m", "ruff", "check", ".")
    run(sys.executable, "-m", "ruff", "format", "--check", ".")
    run(sys.executable, "-m", "mypy")


def test(fresh: bool, old: bool) -> None:
    command = (sys.executable, "-m", "pytest", "-n", "auto", "--dist", "loadgroup")
    further = {"PARETONYM_CASES": "fresh"} if fresh else {}
    if old:
        # Old versions warn of what newer ones have mended.
        run(*command, "-W", "default", "-m", "not slow", *OF_THE_CORE, **further)
    else:
        run(*command, **further)


def wheel() -> None:
    """The wheel of this system, in `dist`, tried in an environment of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run(*PIP, "wheel", "--no-deps", "--wheel-dir", ROOT / "dist", ROOT)
        run(sys.executable, "-m", "venv", folder / "env")
        fresh = folder / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        (made,) = sorted((ROOT / "dist").glob("*.whl"), key=lambda path: path.stat().st_mtime)[-1:]
        run(fresh, "-m", "pip", "install", "--quiet", made)
        run(fresh, ROOT / "scripts" / "try_installed.py", "--demo")


def try_wheels() -> None:
    """The wheel of this system among those in `dist`, with its dependencies from the package index."""
    wheels = ("--find-links", ROOT / "dist", "--only-binary", ":all:")
    run(*PIP, "install", *wheels, "--no-index", "--no-deps", "paretonym")
    run(*PIP, "install", *wheels, "paretonym")
    run(sys.executable, ROOT / "scripts" / "try_installed.py", "--demo")


def main() -> None:
    parser = argparse.ArgumentParser(description="The steps of the workflows.")
    parser.add_argument("step", choices=("install", "check", "test", "wheel", "try"))
    parser.add_argument("--lowest", action="store_true", help="with the oldest dependencies")
    parser.add_argument("--fresh", action="store_true", help="with random cases that were never tried")
    options = parser.parse_args()
    if options.step == "install":
        install(options.lowest)
    elif options.step == "check":
        check()
    elif options.step == "test":
        test(options.fresh, options.lowest)
    elif options.step == "wheel":
        wheel()
    else:
        try_wheels()


if __name__ == "__main__":
    main()
