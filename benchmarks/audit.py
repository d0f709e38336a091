"""An audit against one GROUP BY of the same file, in the same run: `python -m benchmarks.audit [ROWS]`.

Each runs in a process of its own, so that their memory can be measured separately; times do not count the
start.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

ROWS = 10_000_000
QUASI = 8
# Labels of each quasi-identifier, and sensitive values.
WIDTHS = (6, 5, 4, 4, 3, 2, 5, 2)
VALUES = 14
CLAIMS = (
    "k", "uniques", "risk-highest", "risk-average", "average-class", "l", "l-distinct", "l-entropy",
    "alpha", "t-release", "t-js-release", "delta-release",
)  # fmt: skip

MAKE = """
copy (select {columns}, 'value ' || (hash(i, 99) % {values}) as s from range({rows}) as t(i))
to '{path}' ({form})
"""
GROUP = """
import duckdb, json, resource, sys, time
names = ", ".join(f"q{{j}}" for j in range({quasi}))
duckdb.sql("set enable_progress_bar = false")
start = time.perf_counter()
query = f"select min(n) from (select count(*) as n from {source} group by {{names}})"
k = duckdb.sql(query).fetchall()
seconds = time.perf_counter() - start
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""
AUDIT = """
import json, resource, time, duckdb, numpy
import paretonym
audit = paretonym.audit
start = time.perf_counter()
require = [f"{{name}}>=0" for name in {claims!r}]
found = audit({path!r}, quasi=[f"q{{j}}" for j in range({quasi})], sensitive=["s"], require=require)
seconds = time.perf_counter() - start
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    print(f"{rows:,} rows, {QUASI} quasi-identifiers, one sensitive column of {VALUES} values\n")
    print(f"{'file':<10}{'MB':>8}{'GROUP BY s':>12}{'audit s':>10}{'ratio':>8}{'audit MB':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for form, reader in (("parquet", "read_parquet"), ("csv", "read_csv")):
            path = Path(folder) / f"release.{form}"
            make(path, rows, form)
            further = ", all_varchar = true" if form == "csv" else ""
            source = f"{reader}('{path}'{further})"
            # Twice, the first time to have the file in memory for both.
            group = min(run(GROUP.format(quasi=QUASI, source=source)) for _ in range(2))
            audit = min(run(AUDIT.format(claims=CLAIMS, path=str(path), quasi=QUASI)) for _ in range(2))
            size = path.stat().st_size / 1e6
            print(
                f"{form:<10}{size:>8.0f}{group[0]:>12.2f}{audit[0]:>10.2f}{audit[0] / group[0]:>8.1f}"
                f"{audit[1]:>10.0f}",
                flush=True,
            )
            path.unlink()


def make(path: Path, rows: int, form: str) -> None:
    columns = ", ".join(f"'label ' || (hash(i, {j}) % {width}) as q{j}" for j, width in enumerate(WIDTHS))
    written = "format parquet" if form == "parquet" else "header"
    duckdb.sql(MAKE.format(columns=columns, values=VALUES, rows=rows, path=path, form=written))


def run(program: str) -> tuple[float, float]:
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    if ended.returncode:
        raise AssertionError(ended.stderr)
    seconds, megabytes = json.loads(ended.stdout)
    return seconds, megabytes


if __name__ == "__main__":
    main()
