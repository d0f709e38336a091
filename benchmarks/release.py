"""A release of many rows beside DuckDB sorting and copying the same file: `make bench-release`.

The table is Adult, drawn again with noise, as a Parquet file; the recoding was found on fewer rows. Release
means all of it: reading the data, counting, recoding, sorting, measuring the claims, writing. Each task is a
process of its own, so that its peak of memory is its own; the ratio of two times in one run depends little
on the machine. `python -m benchmarks.release 1000000` takes that many rows instead of ten million.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.growth import Case, peak, resampled, schema

ROWS = 10_000_000
PIECE = 1_000_000
SMALLEST_CLASS = 20
OTHER = ("relationship", "capital-gain", "hours-per-week")


class Took(NamedTuple):
    seconds: float
    megabytes: float


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # The release log of whoever measures stays as it is.
        os.environ["PARETONYM_STATE"] = str(folder / "state")
        in_own_process(make_table, folder, rows)
        size = (folder / "data.parquet").stat().st_size / 1e6
        print(f"{rows:,} rows, {size:,.0f} MB of Parquet\n\n{'':<18}{'s':>8}{'MB':>8}{'times DuckDB':>14}")
        for kind in ("parquet", "csv"):
            base = in_own_process(sort_and_copy, folder, kind)
            show(f"DuckDB {kind}", base, base)
            show(f"release {kind}", in_own_process(release, folder, kind), base)


def show(name: str, took: Took, base: Took) -> None:
    ratio = took.seconds / base.seconds
    print(f"{name:<18}{took.seconds:>8.1f}{took.megabytes:>8,.0f}{ratio:>14.2f}", flush=True)


def in_own_process(task: Callable[..., Any], *arguments: object) -> Any:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(task, arguments)


def make_table(folder: Path, rows: int) -> None:
    """The table in pieces, so that making it needs little memory, and a recoding."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    front = resampled(Case(rows=50_000)).explore("k", "loss", suppress="1%")
    pick = next(solution for solution in front if solution["k"] <= SMALLEST_CLASS)
    (folder / "pick.json").write_text(json.dumps(pick.recoding.as_json()))
    names = described()["columns"]
    with _Writer(parquet) as writer:
        for number, start in enumerate(range(0, rows, PIECE)):
            table = resampled(Case(rows=min(PIECE, rows - start)), seed=number).table
            columns = {name: table.column(name) for name in table.names if name in names}
            arrays = {name: column.values.take(pa.array(column.codes)) for name, column in columns.items()}
            writer.write(folder / "data.parquet", pa.table(arrays))


class _Writer:
    """A Parquet file that begins with its first piece."""

    def __init__(self, parquet: Any) -> None:
        self.parquet = parquet
        self.file: Any = None

    def __enter__(self) -> _Writer:
        return self

    def write(self, path: Path, piece: Any) -> None:
        self.file = self.file or self.parquet.ParquetWriter(path, piece.schema)
        self.file.write_table(piece)

    def __exit__(self, *_: object) -> None:
        if self.file is not None:
            self.file.close()


def described() -> dict[str, Any]:
    """The built-in schema with three columns that are kept as they are."""
    found = schema(Case().quasi)
    kept = {name: e for name, e in found["columns"].items() if e["role"] in ("quasi", "sensitive")}
    return {**found, "columns": {**kept, **{name: {"role": "other"} for name in OTHER}}}


def sort_and_copy(folder: Path, kind: str) -> Took:
    import duckdb

    start = time.perf_counter()
    duckdb.execute("SET threads = 2")
    source, target = folder / "data.parquet", folder / f"sorted.{kind}"
    duckdb.execute(f"COPY (SELECT * FROM '{source}' ORDER BY ALL) TO '{target}'")
    return Took(time.perf_counter() - start, peak())


def release(folder: Path, kind: str) -> Took:
    from paretonym.engine.spaces.lattice.lattice_space import LatticeRecoding
    from paretonym.study.explored_run import Solution
    from paretonym.study.study import Study

    recoding = LatticeRecoding.from_json(json.loads((folder / "pick.json").read_text()))
    start = time.perf_counter()
    study = Study(folder / "data.parquet", described())
    study.publish(Solution("", {}, 0, recoding), folder / f"released.{kind}", force=True)
    return Took(time.perf_counter() - start, peak())


if __name__ == "__main__":
    main()
