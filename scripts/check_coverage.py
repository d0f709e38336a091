"""Hold the floor of branch coverage: what `make coverage` measured, by package.

The compiled kernels are not Python and count nowhere here.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

FLOOR = 95.0
HELD = ("engine", "release", "audit")


def main() -> int:
    report = Path("coverage.json")
    subprocess.run([sys.executable, "-m", "coverage", "json", "-q", "-o", str(report)], check=True)
    files = json.loads(report.read_text(encoding="utf-8"))["files"]
    report.unlink()
    packages: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, entry in files.items():
        inside = name.split("src/paretonym/")[-1].split("/")
        summary = entry["summary"]
        counted = packages[inside[0] if len(inside) > 1 else "paretonym"]
        counted[0] += summary["covered_lines"] + summary["covered_branches"]
        counted[1] += summary["num_statements"] + summary["num_branches"]
    low = False
    for package, (covered, total) in sorted(packages.items()):
        share = 100 * covered / total if total else 100.0
        below = package in HELD and share < FLOOR
        low |= below
        print(f"{package:<12}{share:6.1f} %{f'  below the floor of {FLOOR:g} %' if below else ''}")
    return int(low)


if __name__ == "__main__":
    sys.exit(main())
