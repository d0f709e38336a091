"""What `benchmarks.scale` measures: each task is a process of its own, and says what it took.

Every engine has its own plain GROUP BY of the counted columns, brought back, and the cube of the same rows.
Databases are filled before anything is measured.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from benchmarks.growth import ADULT, schema
from benchmarks.process_tree import cpu_seconds, descendants, megabytes

PIECE = 1_000_000
SEED = 0
REPLACED = 0.05
SENSITIVE = "occupation"
SERIAL = "serial"
COLUMNS = (*ADULT, SENSITIVE)
SMALLEST_CLASS = 20
LISTED = ", ".join(f'"{name}"' for name in COLUMNS)
GROUPED = f"select {LISTED}, count(*) as n from {{source}} group by {LISTED}"


class Setting(NamedTuple):
    """What every task is given: where the files are, the limit that an engine is given, and the server of
    PostgreSQL with its process."""

    folder: str
    memory: str
    server: str = ""
    engine: int = 0

    @property
    def data(self) -> Path:
        return Path(self.folder) / "data.parquet"

    def at(self, name: str) -> Path:
        return Path(self.folder) / name


class Took(NamedTuple):
    """What a task took; `bytes` were brought back from the engine, in `tuples` distinct rows; `beside` is the
    memory of an engine in processes of its own."""

    seconds: float
    cpu: float
    megabytes: float
    bytes: int = 0
    tuples: int = 0
    beside: float = 0


class Clock:
    """Seconds on the wall, and CPU seconds of this process and of an engine beside it, since it was made."""

    def __init__(self, setting: Setting) -> None:
        self._roots = [os.getpid(), *([setting.engine] if setting.engine else [])]
        self.start, self.cpu = time.perf_counter(), self._spent()

    def _spent(self) -> float:
        beside = descendants(self._roots) | set(self._roots[1:])
        return time.process_time() + cpu_seconds(beside)

    def took(self, size: int = 0, tuples: int = 0) -> Took:
        seconds = time.perf_counter() - self.start
        return Took(seconds, self._spent() - self.cpu, megabytes(os.getpid(), "VmHWM"), size, tuples)


Task: TypeAlias = Callable[[Setting], Took | None]


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
    """The schema: the serial number is dropped."""
    found = schema(ADULT)
    kept = {name: entry for name, entry in found["columns"].items() if name in COLUMNS}
    return {**found, "columns": {SERIAL: {"role": "drop"}, **kept}}


def duckdb_session(setting: Setting) -> Any:
    import duckdb

    from paretonym.source.engines.duckdb_session import parse_memory

    connection = duckdb.connect(config={"memory_limit": f"{parse_memory(setting.memory)}B"})
    connection.execute(f"set temp_directory = '{setting.folder}/spilled'")
    connection.execute("set enable_progress_bar = false")
    return connection


def duckdb_group_by(setting: Setting) -> Took:
    clock = Clock(setting)
    with duckdb_session(setting) as connection:
        counted = connection.sql(GROUPED.format(source=f"'{setting.data}'")).to_arrow_table()
    return clock.took(counted.nbytes, len(counted))


def duckdb_cube(setting: Setting) -> Took:
    return cube(setting, str(setting.data), engine="duckdb", memory=setting.memory)


def memory_cube(setting: Setting) -> Took:
    """Every row is read, as before there were engines."""
    return cube(setting, str(setting.data), engine="memory")


def relation_cube(setting: Setting) -> Took:
    with duckdb_session(setting) as connection:
        return cube(setting, connection.read_parquet(str(setting.data)))


def fill_duckdb(setting: Setting) -> None:
    import duckdb

    with duckdb.connect(setting.at("people.duckdb")) as connection:
        connection.execute(f"create table people as from '{setting.data}'")


def database_group_by(setting: Setting) -> Took:
    import duckdb

    clock = Clock(setting)
    with duckdb.connect(setting.at("people.duckdb"), read_only=True) as connection:
        counted = connection.sql(GROUPED.format(source="people")).to_arrow_table()
    return clock.took(counted.nbytes, len(counted))


def database_cube(setting: Setting) -> Took:
    return cube(setting, f"duckdb:///{setting.at('people.duckdb')}", table="people")


def polars_group_by(setting: Setting) -> Took:
    import polars

    clock = Clock(setting)
    frame = polars.scan_parquet(setting.data).select(COLUMNS)
    counted = frame.group_by(COLUMNS).agg(polars.len()).collect(engine="streaming").to_arrow()
    return clock.took(counted.nbytes, len(counted))


def polars_cube(setting: Setting) -> Took:
    import polars

    return cube(setting, polars.scan_parquet(setting.data))


def dask_group_by(setting: Setting) -> Took:
    import dask.dataframe as dask
    import pyarrow as pa

    clock = Clock(setting)
    frame = dask.read_parquet(setting.data, columns=list(COLUMNS))
    counted = frame.groupby(list(COLUMNS), dropna=False).size().reset_index().compute()
    table = pa.Table.from_pandas(counted, preserve_index=False)
    return clock.took(table.nbytes, len(table))


def dask_cube(setting: Setting) -> Took:
    import dask.dataframe as dask

    return cube(setting, dask.read_parquet(setting.data))


def ibis_group_by(setting: Setting) -> Took:
    import ibis

    clock = Clock(setting)
    table = ibis.duckdb.connect().read_parquet(setting.data)
    counted = table.group_by(list(COLUMNS)).agg(n=table.count()).to_pyarrow()
    return clock.took(counted.nbytes, len(counted))


def ibis_cube(setting: Setting) -> Took:
    import ibis

    return cube(setting, ibis.duckdb.connect().read_parquet(setting.data))


def fill_sqlite(setting: Setting) -> None:
    import sqlite3

    import pyarrow.parquet as parquet

    with sqlite3.connect(setting.at("people.db")) as database, parquet.ParquetFile(setting.data) as file:
        database.execute("pragma synchronous = off")
        database.execute("pragma journal_mode = off")
        named = [f'"{name}" {"integer" if name in ("age", SERIAL) else "text"}' for name in file.schema.names]
        database.execute(f"create table people ({', '.join(named)})")
        insert = f"insert into people values ({', '.join('?' * len(named))})"
        for batch in file.iter_batches(100_000):
            cells = [column.to_pylist() for column in batch.columns]
            database.executemany(insert, zip(*cells, strict=True))
    database.close()


def sqlite_group_by(setting: Setting) -> Took:
    import sqlite3

    clock = Clock(setting)
    database = sqlite3.connect(setting.at("people.db"))
    counted = database.execute(GROUPED.format(source="people")).fetchall()
    database.close()
    return clock.took(tuples=len(counted))


def sqlite_cube(setting: Setting) -> Took:
    return cube(setting, f"sqlite:///{setting.at('people.db')}", table="people")


def fill_postgresql(setting: Setting) -> None:
    import pyarrow.parquet as parquet
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(setting.server) as connection, connection.cursor() as cursor:
        cursor.execute("drop table if exists people")
        with parquet.ParquetFile(setting.data) as file:
            for number, batch in enumerate(file.iter_batches(1_000_000)):
                cursor.adbc_ingest("people", batch, mode="append" if number else "create")
        connection.commit()
        cursor.execute("analyze people")
        connection.commit()


def postgresql_group_by(setting: Setting) -> Took:
    from adbc_driver_postgresql import dbapi

    clock = Clock(setting)
    with dbapi.connect(setting.server) as connection, connection.cursor() as cursor:
        cursor.execute(GROUPED.format(source="people"))
        counted = cursor.fetch_arrow_table()
    return clock.took(counted.nbytes, len(counted))


def postgresql_cube(setting: Setting) -> Took:
    return cube(setting, setting.server, table="people")


def spark_group_by(setting: Setting) -> Took:
    session = _spark()
    clock = Clock(setting)
    counted = session.read.parquet(str(setting.data)).groupBy(*COLUMNS).count().toArrow()
    return clock.took(counted.nbytes, len(counted))


def spark_cube(setting: Setting) -> Took:
    _spark()
    return cube(setting, str(setting.data), engine="spark")


def _spark() -> Any:
    """A session that runs before the clock starts."""
    from paretonym.source.engines.spark_session import open_session

    session = open_session(2 << 30)
    session.range(10).count()
    return session


def cube(setting: Setting, data: Any, **options: Any) -> Took:
    """The cube of data, and what it took to bring its counts back."""
    from paretonym.run.study import Study

    brought: list[int] = []
    with _Noted(brought):
        clock = Clock(setting)
        study = Study(data, described(), **options)
        _ = study.cube
    counted = study.source.weights is not None
    return clock.took(sum(brought), study.source.entries if counted else 0)


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


def study_of(setting: Setting) -> Any:
    from paretonym.run.study import Study

    return Study(str(setting.data), described(), engine="duckdb", memory=setting.memory)


def explore(setting: Setting) -> Took:
    clock = Clock(setting)
    front = study_of(setting).explore("k", "loss", suppress="1%", time="600s")
    took = clock.took()
    pick = next(solution for solution in front if solution["k"] <= SMALLEST_CLASS)
    setting.at("pick.json").write_text(json.dumps(pick.recoding.as_json()))
    return took


def sort_and_copy(setting: Setting) -> Took:
    clock = Clock(setting)
    target = setting.at("sorted.parquet")
    with duckdb_session(setting) as connection:
        connection.execute(f"copy (select {LISTED} from '{setting.data}' order by all) to '{target}'")
    took = clock.took()
    target.unlink()
    return took


def release(setting: Setting) -> Took:
    from paretonym.run.explored_frontier import Solution
    from paretonym.spaces.lattice.lattice_recoding import LatticeRecoding

    recoding = LatticeRecoding.from_json(json.loads(setting.at("pick.json").read_text()))
    clock = Clock(setting)
    study_of(setting).publish(Solution("", {}, 0, recoding), setting.at("released.parquet"))
    return clock.took()


def audit(setting: Setting) -> Took:
    import paretonym

    clock = Clock(setting)
    found = paretonym.audit(setting.at("released.parquet"), memory=setting.memory)
    if not found.passed:
        raise AssertionError("the release fails its audit")
    return clock.took()


def audit_with_original(setting: Setting) -> Took:
    import paretonym

    clock = Clock(setting)
    beside: dict[str, Any] = {"original": str(setting.data), "engine": "duckdb", "memory": setting.memory}
    found = paretonym.audit(setting.at("released.parquet"), schema=described(), **beside)
    if not found.passed:
        raise AssertionError("the release fails its audit beside the original")
    return clock.took()


def attack(setting: Setting) -> Took:
    """Estimates are left out: they are made for fewer people."""
    import paretonym

    clock = Clock(setting)
    beside: dict[str, Any] = {"original": str(setting.data), "engine": "duckdb", "memory": setting.memory}
    paretonym.attack(setting.at("released.parquet"), schema=described(), estimates=False, **beside)
    return clock.took()


def mondrian(setting: Setting) -> Took:
    clock = Clock(setting)
    front = study_of(setting).explore("k", "loss", space="mondrian", sweep="k=10,100,1000")
    front[0].release(setting.at("mondrian.parquet"), also=True)
    return clock.took()


def buckets(setting: Setting) -> Took:
    """The buckets of Anatomy; the permutation inside them needs the rows, which the counts give."""
    clock = Clock(setting)
    front = study_of(setting).explore("l", "query-error", space="buckets", sweep="l=2,4", buckets="mondrian")
    front[0].release(setting.at("buckets.parquet"), also=True)
    return clock.took()


class Engine(NamedTuple):
    """Its own GROUP BY, our cube of the same rows, the module that it needs, and how it gets its rows."""

    plain: Task
    cube: Task
    needs: str = "duckdb"
    fill: Callable[[Setting], None] | None = None


ENGINES: Mapping[str, Engine] = {
    "duckdb": Engine(duckdb_group_by, duckdb_cube),
    "memory": Engine(duckdb_group_by, memory_cube),
    "relation": Engine(duckdb_group_by, relation_cube),
    "database": Engine(database_group_by, database_cube, fill=fill_duckdb),
    "polars": Engine(polars_group_by, polars_cube, "polars"),
    "ibis": Engine(ibis_group_by, ibis_cube, "ibis"),
    "dask": Engine(dask_group_by, dask_cube, "dask"),
    "sqlite": Engine(sqlite_group_by, sqlite_cube, "sqlite3", fill_sqlite),
    "postgresql": Engine(postgresql_group_by, postgresql_cube, "adbc_driver_postgresql", fill_postgresql),
    "spark": Engine(spark_group_by, spark_cube, "pyspark"),
}
TASKS: Mapping[str, Callable[[Setting], Took | None]] = {
    task.__name__: task
    for task in (
        explore, sort_and_copy, release, audit, audit_with_original, attack, mondrian, buckets,
        *(task for engine in ENGINES.values() for task in (engine.plain, engine.cube, engine.fill) if task),
    )
}  # fmt: skip
LOADED = (
    "duckdb", "narwhals", "polars", "pyarrow.compute", "pyarrow.parquet", "paretonym.run.study",
    "paretonym.audits", "paretonym.counts.kernel_library", "paretonym.source.engines.duckdb_counts",
    "paretonym.source.engines.lazy_frame",
)  # fmt: skip


def load(needs: str) -> None:
    """Load the libraries, before anything is measured."""
    for name in (*LOADED, needs):
        importlib.import_module(name)
    if find_spec("pandas"):
        # Arrow loads it where it is installed.
        importlib.import_module("pandas")


def main() -> None:
    """The task that is named, in this process."""
    name, given, *further = sys.argv[1:]
    setting = Setting(**json.loads(given))
    if name == "make_table":
        make_table(setting, int(further[0]))
        return
    load(*further)
    took = TASKS[name](setting)
    print(json.dumps(took))


if __name__ == "__main__":
    main()
