"""What is special about each engine whose frames Narwhals opens, in one place.

An engine may distinguish values that mean the same, since these are put together afterwards; it must never
take different ones for the same. So text is compared byte by byte everywhere, whatever the collation of a
column or a session, and an engine that nobody has examined is refused.
"""

from __future__ import annotations

import errno
import logging
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import narwhals as nw

from paretonym.arrow import pa
from paretonym.errors import InputError, ParetonymError
from paretonym.source.engines.duckdb_session import BATCH, arrow_reader
from paretonym.source.engines.hashed_rows import DEVIATION
from paretonym.source.value_types import LARGEST_EXACT
from paretonym.sql_literals import sql_name

# What the system says, wherever it stands in the text of an error.
FULL = os.strerror(errno.ENOSPC)
# The columns with these names, called c0, c1, … in this order.
Placed: TypeAlias = Callable[[Any, Sequence[str]], Any]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One engine: what it is called, how columns get plain names and plain text, an approximate count of the
    distinct rows of a frame, the Arrow types of a frame where they are known without computing it, whether a
    result can be kept there, and a frame there of the rows of a table in Arrow, each as often as its last
    column says. `batches` are the
    rows of a frame in Arrow, few at a time; None where they stay in the engine whatever happens."""

    engine: str
    placed: Placed
    estimate: Callable[[Any], int]
    batches: Callable[[Any], Iterator[Any]] | None = None
    types: Callable[[Any], Sequence[Any] | None] = lambda _: None
    keeps: bool = False
    frame_of: Callable[[Any, Any], Any] | None = None

    @contextmanager
    def held(self, frame: Any) -> Iterator[Any]:
        """A frame that is computed once, however often it is asked, where the engine keeps what it computed
        (`keeps`)."""
        if not self.keeps:
            yield frame
            return
        kept = frame.persist()
        try:
            yield kept
        finally:
            # Spark may have ended meanwhile, and what it kept with it.
            with suppress(Exception):
                kept.unpersist()


@contextmanager
def asking(engine: str, place: str) -> Iterator[None]:
    """What an engine raises may quote values, so that only the kind of the error gets out."""
    try:
        with _silent_log():
            yield
    except (ParetonymError, MemoryError):
        raise
    except Exception as error:
        if FULL in str(error):
            wrong = f"no space is left on a disk that {engine} writes to"
            remedy = "free some; SPARK_LOCAL_DIRS, or TMPDIR, says where temporary files are written"
            raise InputError.of(place, wrong, remedy) from None
        what = getattr(error, "getCondition", lambda: None)() or type(error).__name__
        raise InputError.of(
            place,
            f"{engine} could not compute it ({what})",
            f"count its rows in {engine} itself, and see what it reports",
        ) from None


@contextmanager
def _silent_log() -> Iterator[None]:
    """PySpark logs an error before it raises it, with the values that it quotes; it also warns of versions
    of pandas, which is not used."""
    log = logging.getLogger("DataFrameQueryContextLogger")
    before, log.disabled = log.disabled, True
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
            yield
    finally:
        log.disabled = before


def _polars(frame: Any, names: Sequence[str]) -> Any:
    chosen = (nw.col(name).alias(f"c{number}") for number, name in enumerate(names))
    return nw.from_native(frame).select(*chosen).to_native()


def _polars_estimate(frame: Any) -> int:
    polars: Any = nw.get_native_namespace(nw.from_native(frame))
    counted = frame.select(polars.struct(polars.all()).hash().approx_n_unique())
    return int(counted.collect(engine="streaming").item())


def _polars_batches(frame: Any) -> Iterator[Any]:
    for part in frame.collect_batches(chunk_size=BATCH, maintain_order=False, engine="streaming"):
        yield from part.to_arrow().to_batches()


def _duckdb(frame: Any, names: Sequence[str]) -> Any:
    """Bytes and back: a column may have been declared with a collation that ignores case, and nothing says
    so."""
    kinds = dict(zip(frame.columns, map(str, frame.types), strict=True))
    cells = [
        f"decode(encode({sql_name(name)}))" if kinds[name] == "VARCHAR" else sql_name(name) for name in names
    ]
    return frame.project(", ".join(f"{cell} as c{number}" for number, cell in enumerate(cells)))


def _duckdb_estimate(frame: Any) -> int:
    ((found,),) = frame.aggregate(f"approx_count_distinct(hash({', '.join(frame.columns)}))").fetchall()
    return int(found)


def _duckdb_batches(frame: Any) -> Iterator[Any]:
    yield from arrow_reader(frame, BATCH)


def _spark(frame: Any, names: Sequence[str]) -> Any:
    """By position first: Spark's names ignore case, and a dot in one of them asks for a part of a value."""
    every = list(frame.columns)
    kinds = [field.dataType.simpleString() for field in frame.schema.fields]
    plain = frame.toDF(*(f"f{place}" for place in range(len(every))))
    cells = [_spark_cell(f"f{every.index(name)}", kinds[every.index(name)]) for name in names]
    return plain.selectExpr(*(f"{cell} as c{number}" for number, cell in enumerate(cells)))


def _spark_cell(cell: str, kind: str) -> str:
    return f"collate({cell}, 'UTF8_BINARY')" if kind.startswith(("string ", "char", "varchar")) else cell


def _spark_estimate(frame: Any) -> int:
    counted = f"approx_count_distinct(xxhash64({', '.join(frame.columns)}), {DEVIATION}) as n"
    return int(frame.selectExpr(counted).toArrow().column(0)[0].as_py())


def _spark_types(frame: Any) -> Sequence[Any]:
    """Those of an empty answer: Spark plans it without reading anything."""
    return list(frame.limit(0).toArrow().schema.types)


def _spark_frame(frame: Any, rows: Any) -> Any:
    """In the session of a frame, by expressions of Spark alone: nothing of ours must be where its workers
    are."""
    names = rows.column_names[:-1]
    places = [f"c{place}" for place in range(len(names))]
    with asking("spark", "the release"):
        plain = frame.sparkSession.createDataFrame(rows.rename_columns([*places, "n"]))
        often = plain.selectExpr(*places, "explode(array_repeat(0, cast(n as int))) as row")
        return often.select(*places).toDF(*names)


def _dask(frame: Any, names: Sequence[str]) -> Any:
    places = {name: f"c{number}" for number, name in enumerate(names)}
    chosen = frame[list(names)].rename(columns=places)
    whole = {places[name]: name for name, kind in frame.dtypes.items() if name in places and kind in INTEGERS}
    if whole:
        chosen = chosen.map_partitions(_in_whole_numbers, whole, meta=chosen._meta)
    plain = {place: _dask_type(kind) for place, kind in chosen.dtypes.items()}
    return chosen.astype({place: kind for place, kind in plain.items() if kind is not None})


def _in_whole_numbers(part: Any, whole: Mapping[str, str]) -> Any:
    """A part whose integers are still these: with missing values among them, Dask reads them as numbers of
    double precision, in which neighbours beyond 2^53 are one."""
    for place, name in whole.items():
        cells = part[place]
        if cells.dtype == "float64" and (cells.abs() >= LARGEST_EXACT).any():
            raise InputError.of(
                f"the dataframe, column '{name}'",
                "Dask has read these integers as floating-point numbers, so that different ones are the same",
                'read the data with dtype_backend="pyarrow"',
            )
    return part


def _dask_type(kind: Any) -> Any:
    """What Dask can group instead of two types of Arrow: dictionaries, and numbers in which null and NaN are
    two things. Python objects, which have no type, are texts, as Dask itself makes them unless it is told not
    to."""
    if kind == "object":
        return "string[pyarrow]"
    stored = getattr(kind, "pyarrow_dtype", None)
    if stored is None:
        return None
    if pa.types.is_dictionary(stored):
        return type(kind)(stored.value_type)
    return kind.numpy_dtype if pa.types.is_floating(stored) else None


def _dask_estimate(frame: Any) -> int:
    return int(frame.nunique_approx().compute())


def _dask_batches(frame: Any) -> Iterator[Any]:
    """A part after the other is computed."""
    for number in range(frame.npartitions):
        part: Any = nw.from_native(frame.get_partition(number).compute())
        yield from part.to_arrow().select(list(frame.columns)).to_batches()


def _ibis(frame: Any, names: Sequence[str]) -> Any:
    backend = frame.get_backend().name
    if backend not in IBIS_BACKENDS:
        raise InputError.of(
            "the dataframe",
            f"how {backend} compares text has not been tested: it might treat different values as equal",
            "give the rows as a file or a dataframe, or use Ibis with DuckDB",
        )
    cells = {f"c{number}": frame[name] for number, name in enumerate(names)}
    texts = {place: cell for place, cell in cells.items() if cell.type().is_string()}
    return frame.select(**{**cells, **{place: _bytes_and_back(cell) for place, cell in texts.items()}})


def _bytes_and_back(cell: Any) -> Any:
    """Functions of DuckDB that Ibis does not name."""
    import ibis

    encode = ibis.udf.scalar.builtin(lambda text: None, name="encode", signature=(("string",), "binary"))
    decode = ibis.udf.scalar.builtin(lambda data: None, name="decode", signature=(("binary",), "string"))
    return decode(encode(cell))


def _ibis_relation(frame: Any) -> Any:
    """The same rows as DuckDB's own relation."""
    backend = frame.get_backend()
    return backend.con.sql(backend.compile(frame))


def _ibis_types(frame: Any) -> Sequence[Any]:
    return list(frame.schema().to_pyarrow().types)


INTEGERS = ("int64", "uint64")
IBIS_BACKENDS = ("duckdb",)
SPARK = Dialect(
    "spark",
    _spark,
    _spark_estimate,
    types=_spark_types,
    keeps=True,
    frame_of=_spark_frame,
)
DIALECTS: Mapping[str, Dialect] = {
    "polars": Dialect("polars", _polars, _polars_estimate, _polars_batches),
    "duckdb": Dialect("duckdb", _duckdb, _duckdb_estimate, _duckdb_batches),
    "pyspark": SPARK,
    "pyspark[connect]": SPARK,
    "dask": Dialect("dask", _dask, _dask_estimate, _dask_batches),
    "ibis": Dialect(
        "ibis",
        _ibis,
        lambda frame: _duckdb_estimate(_ibis_relation(frame)),
        lambda frame: _duckdb_batches(_ibis_relation(frame)),
        types=_ibis_types,
    ),
}


def dialect_of(frame: Any) -> Dialect:
    """The dialect of a lazy frame of Narwhals."""
    name = str(frame.implementation)
    if name not in DIALECTS:
        raise InputError.of(
            "the dataframe",
            f"how {name} counts has not been tested",
            f"give a frame of {', '.join(DIALECTS)}, a file, or rows in memory",
        )
    return DIALECTS[name]
