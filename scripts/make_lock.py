"""Write dev.lock: the version and the hash of everything that development installs, as pip chooses them here.

    .venv/bin/python scripts/make_lock.py            keep the versions that are installed
    .venv/bin/python scripts/make_lock.py --newest   move on to the newest ones

`scripts/setup.sh dev` installs exactly these files where its Python and machine are those that the first line
names. Run it after a change of the dependencies in pyproject.toml.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "dev.lock"


def chosen(constraints: str) -> list[dict[str, Any]]:
    """The files that pip would install into an empty environment, under these constraints."""
    with tempfile.TemporaryDirectory() as folder:
        kept, report = Path(folder) / "constraints.txt", Path(folder) / "report.json"
        kept.write_text(constraints, encoding="utf-8")
        wanted = ["--editable", ".[all]", "--group", "dev", "--constraint", str(kept)]
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        subprocess.run([*command, "--report", str(report), *wanted], cwd=ROOT, check=True)
        files: list[dict[str, Any]] = json.loads(report.read_bytes())["install"]
    return [file for file in files if "archive_info" in file["download_info"]]


def installed() -> str:
    """The versions in this environment, as constraints."""
    command = [sys.executable, "-m", "pip", "list", "--format=freeze", "--exclude-editable"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def lock_text(files: list[dict[str, Any]]) -> str:
    """One line for each file, with its hash; the first line names the Python and the machine."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    lines = sorted(
        f"{file['metadata']['name'].lower()}=={file['metadata']['version']} "
        f"--hash=sha256:{file['download_info']['archive_info']['hashes']['sha256']}"
        for file in files
    )
    machine = f"{platform.system()} {platform.machine()}"
    first = f"# Python {version} on {machine}; scripts/make_lock.py writes this file"
    return "\n".join((first, *lines, ""))


if __name__ == "__main__":
    text = lock_text(chosen("" if "--newest" in sys.argv[1:] else installed()))
    LOCK.write_text(text, encoding="utf-8")
    print(f"{LOCK.name}: {text.count('==')} distributions")
