"""Counting, exploring, releasing and auditing 10⁵ … 10⁸ rows, beside the engine's own GROUP BY: `make scale`.

The table is Adult, drawn again with noise, so that distinct tuples grow with the rows: eight
quasi-identifiers, the occupation, and a serial number that the schema drops. It is written as Parquet in
pieces, to a temporary folder, which is removed. Each task is a process of its own, so that its peak of memory
is its own (what Linux says of it); libraries are loaded before its clock starts. The ratio compares with the
engine's plain GROUP BY of the same nine columns in the same run, that of a release with DuckDB copying the
file sorted by these columns. On a machine that others use too, compare CPU seconds.

`python -m benchmarks.scale --rows 1e5,1e8 --engines duckdb,polars --memory 2GB` chooses.
"""

from __future__ import annotations

import argparse
import importlib
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.growth import ADULT, peak, schema

ROWS = "1e5,1e6,1e7"
PIECE = 1_000_000
SEED = 0
REPLACED = 0.05
SENSITIVE = "occupation"
SERIAL = "serial"
COLUMNS = (*ADULT, SENSITIVE)
SMALLEST_CLASS = 20


class Took(NamedTuple):
    """What a task took; `bytes` were brought back from the engine, in `tuples` distinct rows."""

    seconds: float
    cpu: float
    megabytes: float
    bytes: int = 0
    tuples: int = 0


class Clock:
    """Seconds on the wall and of all cores since it was made."""

    def __init__(self) -> None:
        self.start, self.cpu = time.perf_counter(), time.process_time()

    def took(self, size: int = 0, tuples: int = 0) -> Took:
        return Took(time.perf_counter() - self.start, time.process_time() - self.cpu, peak(), size, tuples)


class Setting(NamedTuple):
    """What every task is given."""

    folder: Path
    memory: str

    @property
    def data(self) -> Path:
        return self.folder / "data.parquet"


def main() -> None:
    given = arguments()
    print("Adult drawn again with noise, 8 quasi-identifiers and the occupation, from Parquet")
    print(f"DuckDB's memory limit {given.memory}; two cores\n")
    for rows in given.rows:
        with tempfile.TemporaryDirectory(prefix="paretonym-scale-", dir=given.folder) as name:
            setting = Setting(Path(name), given.memory)
            # The release log of whoever measures stays as it is.
            os.environ["PARETONYM_STATE"] = str(setting.folder / "state")
            in_own_process(make_table, setting, rows)
            size = setting.data.stat().st_size / 1e6
            print(f"{rows:,} rows, {size:,.0f} MB\n{'':<26}{HEADINGS}", flush=True)
            for engine in given.engines:
                compare_counts(engine, setting)
            if "duckdb" in given.engines:
                compare_commands(setting)
            print(flush=True)


HEADINGS = f"{'s':>8}{'CPU s':>8}{'times':>8}{'(CPU)':>8}{'peak MB':>10}{'tuples':>12}{'MB back':>10}"


def arguments() -> argparse.Namespace:
    found = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__.splitlines()[0])
    found.add_argument("--rows", default=ROWS, type=_rows, help=f"sizes, separated by commas ({ROWS})")
    found.add_argument("--engines", default=",".join(ENGINES), type=_engines, help=", ".join(ENGINES))
    found.add_argument("--memory", default="1GB", help="DuckDB's limit")
    found.add_argument("--folder", help="where the temporary folder is made")
    return found.parse_args()


def _rows(text: str) -> list[int]:
    return [int(float(each)) for each in text.split(",")]


def _engines(text: str) -> list[str]:
    named = text.split(",")
    if unknown := set(named) - set(ENGINES):
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}; known are {', '.join(ENGINES)}")
    return named


def compare_counts(engine: str, setting: Setting) -> None:
    plain, counted = ENGINES[engine]
    base = in_own_process(plain, setting)
    show(f"{engine}: plain GROUP BY", base, base)
    show(f"{engine}: cube", in_own_process(counted, setting), base)


def compare_commands(setting: Setting) -> None:
    base = in_own_process(duckdb_group_by, setting)
    show("explore (k, loss)", in_own_process(explore, setting), base)
    copied = in_own_process(sort_and_copy, setting)
    show("DuckDB sorts and copies", copied, copied)
    show("release", in_own_process(release, setting), copied)
    show("audit", in_own_process(audit, setting), base)
    show("audit with the original", in_own_process(audit_with_original, setting), base)
    show("attack with the original", in_own_process(attack, setting), base)


def show(name: str, took: Took, base: Took) -> None:
    back = f"{took.tuples:>12,}{took.bytes / 1e6:>10,.1f}" if took.tuples else ""
    ratios = f"{took.seconds / base.seconds:>8.2f}{took.cpu / base.cpu:>8.2f}"
    times = f"{took.seconds:>8.2f}{took.cpu:>8.2f}{ratios}"
    print(f"{name:<26}{times}{took.megabytes:>10,.0f}{back}", flush=True)


def in_own_process(task: Callable[..., Any], *arguments: object) -> Any:
    with multiprocessing.get_context("spawn").Pool(1, load) as pool:
        return pool.apply(task, arguments)


def load() -> None:
    """Load the libraries, before anything is measured."""
    for name in LOADED:
        importlib.import_module(name)
    if find_spec("pandas"):
        # Arrow loads it where it is installed.
        importlib.import_module("pandas")


LOADED = (
    "duckdb", "narwhals", "polars", "pyarrow.compute", "pyarrow.parquet", "paretonym.run.study",
    "paretonym.audits", "paretonym.counts.kernel_library", "paretonym.source.engines.duckdb_counts",
    "paretonym.source.engines.lazy_frame",
)  # fmt: skip


def make_table(setting: Setting, rows: int) -> None:
    """The table in pieces, so that making it needs little memory."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    from paretonym.run.study import example

    original = example("adult")
    complete = np.flatnonzero(~original.table.dropped(original.bound.omitted))
    kinds = [pa.int64() if name == "age" else pa.string() for name in COLUMNS]
    shape = pa.schema([(SERIAL, pa.int64()), *zip(COLUMNS, kinds, strict=True)])
    with parquet.ParquetWriter(setting.data, shape) as file:
        for number, start in enumerate(range(0, rows, PIECE)):
            size = min(PIECE, rows - start)
            serial = pa.array(np.arange(start, start + size))
            piece = resampled(original, complete, size, np.random.default_rng([SEED, number]))
            file.write_table(pa.table({SERIAL: serial, **piece}).cast(shape))


def resampled(original: Any, complete: Any, rows: int, chance: np.random.Generator) -> dict[str, Any]:
    """Rows drawn with replacement, ages moved by up to two years, every other value replaced by that of
    another row with a small probability."""
    import pyarrow as pa

    drawn = chance.choice(complete, rows)
    found = {}
    for name in COLUMNS:
        column = original.table.column(name)
        if name == "age":
            ages = np.array(column.texts).astype(np.int64)[column.codes[drawn]]
            found[name] = pa.array(np.clip(ages + chance.integers(-2, 3, rows), 17, 90))
            continue
        stray = chance.random(rows) < REPLACED
        codes = column.codes[np.where(stray, chance.choice(complete, rows), drawn)]
        found[name] = pa.DictionaryArray.from_arrays(codes, pa.array(column.texts))
    return found


def described() -> dict[str, Any]:
    found = schema(ADULT)
    kept = {name: entry for name, entry in found["columns"].items() if name in COLUMNS}
    return {**found, "columns": {SERIAL: {"role": "drop"}, **kept}}


def duckdb_group_by(setting: Setting) -> Took:
    import duckdb

    from paretonym.source.engines.duckdb_session import parse_memory

    clock = Clock()
    with duckdb.connect(config={"memory_limit": f"{parse_memory(setting.memory)}B"}) as connection:
        connection.execute(f"set temp_directory = '{setting.folder}/spilled'")
        connection.execute("set enable_progress_bar = false")
        found = connection.sql(f"select {_listed()}, count(*) as n from '{setting.data}' group by all")
        counted = found.to_arrow_table()
    return clock.took(counted.nbytes, len(counted))


def duckdb_cube(setting: Setting) -> Took:
    return _cube(str(setting.data), engine="duckdb", memory=setting.memory)


def polars_group_by(setting: Setting) -> Took:
    import polars

    clock = Clock()
    frame = polars.scan_parquet(setting.data).select(COLUMNS)
    counted = frame.group_by(COLUMNS).agg(polars.len()).collect(engine="streaming").to_arrow()
    return clock.took(counted.nbytes, len(counted))


def polars_cube(setting: Setting) -> Took:
    import polars

    return _cube(polars.scan_parquet(setting.data))


def memory_cube(setting: Setting) -> Took:
    """Every row is read, as before there were engines."""
    return _cube(str(setting.data), engine="memory")


Task = Callable[[Setting], Took]
ENGINES: Mapping[str, tuple[Task, Task]] = {
    "duckdb": (duckdb_group_by, duckdb_cube),
    "polars": (polars_group_by, polars_cube),
    "memory": (duckdb_group_by, memory_cube),
}


def _cube(data: Any, **options: Any) -> Took:
    """The cube of data, and what it took to bring its counts back."""
    from paretonym.run.study import Study

    brought: list[int] = []
    with _Noted(brought):
        clock = Clock()
        study = Study(data, described(), **options)
        _ = study.cube
    return clock.took(sum(brought), study.source.entries)


class _Noted:
    """Notes how many bytes of Arrow an engine gives back."""

    def __init__(self, brought: list[int]) -> None:
        self.brought = brought

    def __enter__(self) -> None:
        from paretonym.source.engines import counting_engine

        self.before = counting_engine.ArrowCounts.of

        def of(types: Any, batches: Any, place: str) -> Any:
            return self.before(types, map(self._note, batches), place)

        counting_engine.ArrowCounts.of = of  # type: ignore[method-assign]

    def _note(self, batch: Any) -> Any:
        self.brought.append(batch.nbytes)
        return batch

    def __exit__(self, *_: object) -> None:
        from paretonym.source.engines import counting_engine

        counting_engine.ArrowCounts.of = self.before  # type: ignore[method-assign]


def _listed() -> str:
    return ", ".join(f'"{name}"' for name in COLUMNS)


def explore(setting: Setting) -> Took:
    from paretonym.run.study import Study

    clock = Clock()
    study = Study(str(setting.data), described(), engine="duckdb", memory=setting.memory)
    front = study.explore("k", "loss", suppress="1%", time="600s")
    took = clock.took()
    pick = next(solution for solution in front if solution["k"] <= SMALLEST_CLASS)
    (setting.folder / "pick.json").write_text(json.dumps(pick.recoding.as_json()))
    return took


def sort_and_copy(setting: Setting) -> Took:
    import duckdb

    from paretonym.source.engines.duckdb_session import parse_memory

    clock = Clock()
    target = setting.folder / "sorted.parquet"
    with duckdb.connect(config={"memory_limit": f"{parse_memory(setting.memory)}B"}) as connection:
        connection.execute(f"set temp_directory = '{setting.folder}/spilled'")
        connection.execute("set enable_progress_bar = false")
        query = f"select {_listed()} from '{setting.data}' order by all"
        connection.execute(f"copy ({query}) to '{target}'")
    took = clock.took()
    target.unlink()
    return took


def release(setting: Setting) -> Took:
    from paretonym.run.explored_frontier import Solution
    from paretonym.run.study import Study
    from paretonym.spaces.lattice.lattice_recoding import LatticeRecoding

    recoding = LatticeRecoding.from_json(json.loads((setting.folder / "pick.json").read_text()))
    clock = Clock()
    study = Study(str(setting.data), described(), engine="duckdb", memory=setting.memory)
    study.publish(Solution("", {}, 0, recoding), setting.folder / "released.parquet")
    return clock.took()


def audit(setting: Setting) -> Took:
    import paretonym

    clock = Clock()
    found = paretonym.audit(setting.folder / "released.parquet", memory=setting.memory)
    if not found.passed:
        raise AssertionError("the release fails its audit")
    return clock.took()


def audit_with_original(setting: Setting) -> Took:
    import paretonym

    clock = Clock()
    found = paretonym.audit(
        setting.folder / "released.parquet",
        schema=described(),
        original=str(setting.data),
        engine="duckdb",
        memory=setting.memory,
    )
    if not found.passed:
        raise AssertionError("the release fails its audit beside the original")
    return clock.took()


def attack(setting: Setting) -> Took:
    """Estimates are left out: they are made for fewer people."""
    import paretonym

    clock = Clock()
    paretonym.attack(
        setting.folder / "released.parquet",
        schema=described(),
        original=str(setting.data),
        engine="duckdb",
        memory=setting.memory,
        estimates=False,
    )
    return clock.took()


if __name__ == "__main__":
    main()
