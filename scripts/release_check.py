"""Whether what would be released installs and works for strangers.

    python scripts/release_check.py                   # `make release-check`: minutes
    python scripts/release_check.py --placeholders    # only list what must be filled in before a tag

Builds the sdist and from it the wheel, checks both with twine, then installs the wheel into a fresh
environment of every supported Python on this machine and tries it there, in a folder outside the clone, the
demo included. The tools come from the package index, into an environment of their own.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SUPPORTED = ("3.11", "3.12", "3.13", "3.14")
PLACEHOLDERS = re.compile(r"paretonym\.example|PLACEHOLDER")
# Where an address or a name of the project may stand.
NAMING = (
    "pyproject.toml",
    "CITATION.cff",
    "README.md",
    "action.yml",
    "paper/paper.md",
    ".pre-commit-hooks.yaml",
)
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv*", "build", "dist", "*.so", "__pycache__", ".*_cache", ".hypothesis"
)
# What a package for strangers must and must not hold.
NEEDED = ("LICENSE", "README.md", "pyproject.toml", "src/paretonym/py.typed")


def placeholders() -> list[str]:
    """The lines that must be filled in before a tag."""
    return [
        f"{name}:{number}: {line.strip()}"
        for name in NAMING
        if (ROOT / name).exists()
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), 1)
        if PLACEHOLDERS.search(line)
    ]


def pythons() -> Iterator[tuple[str, str]]:
    """Every supported version with a Python that can make environments: this one, one of pyenv, or one on the
    path."""
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in SUPPORTED:
        places = [sys.executable] if version == here else []
        places += sorted(map(str, kept.glob(f"{version}.*/bin/python3")))
        places += filter(None, [shutil.which(f"python{version}")])
        for place in places:
            ended = subprocess.run([place, "-c", "import ensurepip, venv"], capture_output=True, check=False)
            if not ended.returncode:
                yield version, place
                break


def run(*command: str | Path, folder: Path) -> str:
    """What a command prints, in an environment that knows nothing of this clone."""
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PARETONYM"))
    }
    clean["PARETONYM_STATE"] = str(folder / "state")
    words = [str(word) for word in command]
    ended = subprocess.run(words, cwd=folder, env=clean, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    return ended.stdout.strip()


def environment(python: str, folder: Path) -> Path:
    """The Python of a fresh environment."""
    run(python, "-m", "venv", folder / "env", folder=folder)
    scripts = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    return scripts / ("python.exe" if os.name == "nt" else "python")


def build(folder: Path) -> Path:
    """The wheel, made from the sdist; both are whole and acceptable to an index."""
    copy = folder / "copy"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT, symlinks=True)
    python = environment(sys.executable, folder)
    run(python, "-m", "pip", "install", "--quiet", "build", "twine", folder=folder)
    run(python, "-m", "build", "--outdir", folder / "dist", copy, folder=folder)
    (sdist,), (wheel,) = (folder / "dist").glob("*.tar.gz"), (folder / "dist").glob("*.whl")
    print(run(python, "-m", "twine", "check", "--strict", sdist, wheel, folder=folder))
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    if lacking := [name for name in NEEDED if name not in names]:
        raise SystemExit(f"the sdist lacks {', '.join(lacking)}")
    return wheel


def check() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder)
        version = wheel.name.split("-")[1]
        tried = []
        for python_version, python in pythons():
            place = folder / python_version
            place.mkdir()
            fresh = environment(python, place)
            run(fresh, "-m", "pip", "install", "--quiet", "--prefer-binary", wheel, folder=place)
            shutil.copy(ROOT / "scripts" / "try_installed.py", place)
            print(run(fresh, "try_installed.py", "--demo", "--version", version, folder=place), flush=True)
            tried.append(python_version)
    missing = [each for each in SUPPORTED if each not in tried]
    print(f"release-check: {wheel.name} works with Python {', '.join(tried)}", end="")
    print(f"; not on this machine: {', '.join(missing)}" if missing else "")
    for line in placeholders():
        print(f"to fill in before a tag: {line}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--placeholders", action="store_true", help="list them, and end with 1 if there are any"
    )
    if parser.parse_args().placeholders:
        lines = placeholders()
        print("\n".join(lines) or "no placeholders are left")
        raise SystemExit(bool(lines))
    check()


if __name__ == "__main__":
    main()
