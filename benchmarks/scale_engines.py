"""Engines side by side: each has its own plain GROUP BY of the counted columns, brought back, and the cube of
the same rows. Databases are filled before anything is measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from benchmarks.scale_setting import Clock, Setting, Took
from benchmarks.scale_table import COLUMNS, SERIAL, described

LISTED = ", ".join(f'"{name}"' for name in COLUMNS)
GROUPED = f"select {LISTED}, count(*) as n from {{source}} group by {LISTED}"
Task: TypeAlias = Callable[[Setting], Took | None]


def duckdb_session(setting: Setting) -> Any:
    import duckdb

    from paretonym.tables.source.engines.duckdb_session import parse_memory

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
    from paretonym.tables.source.engines.spark_counts import open_session

    session = open_session(2 << 30)
    session.range(10).count()
    return session


def cube(setting: Setting, data: Any, **options: Any) -> Took:
    """The cube of data, and what it took to bring its counts back."""
    from paretonym.study.study import Study

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
        from paretonym.tables.source import dictionary_encoding as counting_engine

        self.before = counting_engine.ArrowCounts.of

        def of(types: Any, batches: Any, place: str) -> Any:
            return self.before(types, map(self._note, batches), place)

        counting_engine.ArrowCounts.of = of  # type: ignore[method-assign]

    def _note(self, batch: Any) -> Any:
        self.brought.append(batch.nbytes)
        return batch

    def __exit__(self, *_: object) -> None:
        from paretonym.tables.source import dictionary_encoding as counting_engine

        counting_engine.ArrowCounts.of = self.before  # type: ignore[method-assign]


class Engine(NamedTuple):
    """Its own GROUP BY, our cube of the same rows, the module that it needs, and how it gets its rows."""

    plain: Task
    cube: Task
    needs: str = "duckdb"
    fill: Callable[[Setting], None] | None = None


ENGINES: Mapping[str, Engine] = {
    "duckdb": Engine(duckdb_group_by, duckdb_cube),
    "relation": Engine(duckdb_group_by, relation_cube),
    "database": Engine(database_group_by, database_cube, fill=fill_duckdb),
    "polars": Engine(polars_group_by, polars_cube, "polars"),
    "ibis": Engine(ibis_group_by, ibis_cube, "ibis"),
    "dask": Engine(dask_group_by, dask_cube, "dask"),
    "sqlite": Engine(sqlite_group_by, sqlite_cube, "sqlite3", fill_sqlite),
    "postgresql": Engine(postgresql_group_by, postgresql_cube, "adbc_driver_postgresql", fill_postgresql),
    "spark": Engine(spark_group_by, spark_cube, "pyspark"),
}
