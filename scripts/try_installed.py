"""A small job with an installed paretonym, from outside the clone: explore, choose, release, audit.

    python scripts/try_installed.py [--demo] [--version X.Y.Z]

It runs with the Python that calls it, needs nothing but paretonym, and ends with 1 if anything is not as it
should be. Copy it anywhere: it reads no file of the clone.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROWS = "age,sex,city,illness\n" + "".join(
    f"{20 + i * 7 % 40},{'fm'[i % 2]},{'abc'[i % 3]},{'xyz'[i * 5 % 3]}\n" for i in range(60)
)
SCHEMA = """
[columns.age]
role = "quasi"
hierarchy = { intervals = [10, 20] }
[columns.sex]
role = "quasi"
hierarchy = { flat = true }
[columns.city]
role = "quasi"
hierarchy = { flat = true }
[columns.illness]
role = "sensitive"
"""
COMMANDS = (
    "explore rows.csv --schema rows.toml -o run -q",
    "ask run --at-least k=5 --best loss",
    "audit public.csv --original rows.csv --schema rows.toml",
    "risk rows.csv --schema rows.toml",
    "measures",
)


def run(folder: Path, *arguments: str) -> str:
    """What a command prints; its message and the end if it fails."""
    command = [sys.executable, "-m", "paretonym", *arguments]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
    if ended.returncode:
        raise SystemExit(f"paretonym {' '.join(arguments)} ended with {ended.returncode}:\n{ended.stderr}")
    return ended.stdout


def try_library(folder: Path) -> None:
    import paretonym as pn

    if "site-packages" not in str(Path(pn.__file__)):
        raise SystemExit(f"this tries {pn.__file__}, which is not an installed package")
    front = pn.Study(folder / "rows.csv", folder / "rows.toml").explore("k", "loss")
    best = front.ask(at_least={"k": 5}, best="loss")
    audit = pn.audit(best.release(folder / "public.csv"))
    if best.k < 5 or not audit.passed:
        raise SystemExit(f"k is {best.k}, and the audit says: {audit}")
    pn.assert_k(folder / "public.csv", ["age", "sex", "city"], k=best.k)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--demo", action="store_true", help="run `paretonym demo`, too")
    parser.add_argument("--version", help="the version that must be installed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "rows.csv").write_text(ROWS, encoding="utf-8")
        (folder / "rows.toml").write_text(SCHEMA, encoding="utf-8")
        version = run(folder, "--version").split()[-1]
        if options.version not in (None, version):
            raise SystemExit(f"version {version} is installed, not {options.version}")
        try_library(folder)
        for command in COMMANDS:
            run(folder, *command.split())
        if options.demo and not re.search(r"all \d+ checks hold", shown := run(folder, "demo")):
            raise SystemExit(f"the demo says something else:\n{shown}")
    print(f"paretonym {version} works with Python {sys.version.split()[0]} on {sys.platform}")


if __name__ == "__main__":
    main()
