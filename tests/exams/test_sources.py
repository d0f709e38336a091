"""The contract of a data source: the table in memory sits its exam, and so do rows in a list and rows in an
engine, each in a few lines. A frontier needs nothing else."""

from __future__ import annotations

import csv
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import numpy as np
import polars
import pyarrow.parquet as parquet
import pytest

from paretonym.arrays import Integers
from paretonym.budget import Limits
from paretonym.counts.tuple_counts import count_tuples
from paretonym.recoding.suppression import USUAL
from paretonym.schema.schema_binding import bind
from paretonym.schema.schema_file import schema_from
from paretonym.source.data_source import Coding, ColumnType, DataSource, Omission, TupleCounts
from paretonym.source.engines import Wanted, open_source
from paretonym.spaces.exploration import explore
from paretonym.spaces.space import Question
from paretonym.testing.candidates import ExamFailed
from paretonym.testing.random_tables import random_table, text_table
from tests.exams.source_exam import SOURCE_CHECKS, sit_source_exam

Columns = Mapping[str, Sequence[str | None]]
Texts = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Counted:
    """Distinct values with counts, as two plain lists."""

    name: str
    texts: tuple[str, ...]
    counts: Integers
    nulls: int
    type: ColumnType = "text"


class ListSource:
    """Rows in a list of tuples: the shortest source there is."""

    def __init__(self, columns: Columns, left: Sequence[bool] | None = None) -> None:
        self.name, self.columns, self.names = "a list", columns, tuple(columns)
        every = list(zip(*columns.values(), strict=True))
        self.left = left or [True] * len(every)
        self.kept = [row for row, stays in zip(every, self.left, strict=True) if stays]
        self.rows, self.counted = len(self.kept), self.names
        self.fingerprint = repr(self.kept)

    def column(self, name: str) -> Counted:
        place = self.names.index(name)
        texts = tuple(dict.fromkeys(cell for cell in self.columns[name] if cell is not None))
        found = Counter(row[place] for row in self.kept)
        return Counted(name, texts, np.array([found[text] for text in texts], dtype=np.int64), found[None])

    def repeated(self, name: str) -> Counted:
        return self.column(name)

    def omitting(self, omitted: Omission) -> ListSource:
        left = list(self.left)
        for name, values in omitted.values.items():
            texts = (*self.column(name).texts, None)
            gone = {text for text, leaves in zip(texts, values, strict=True) if leaves}
            left = [stays and cell not in gone for stays, cell in zip(left, self.columns[name], strict=True)]
        return ListSource(self.columns, left)

    def tuples(self, coding: Coding) -> TupleCounts:
        known = {
            name: dict(zip((*self.column(name).texts, None), coding[name], strict=True)) for name in coding
        }
        places = [self.names.index(name) for name in coding]
        found = Counter(tuple(known[self.names[place]][row[place]] for place in places) for row in self.kept)
        codes = np.array(list(found), dtype=np.int32).reshape(len(found), len(places)).T
        return TupleCounts.of(list(codes), np.array(list(found.values()), dtype=np.int64))


class DuckSource:
    """Rows in DuckDB, counted there: GROUP BY, WHERE and a join with a small map for each column."""

    name = "a relation"

    def __init__(
        self, columns: Columns, texts: dict[str, tuple[str, ...]] | None = None, where: str = "true"
    ) -> None:
        self.engine, self.columns, self.names, self.where = duckdb.connect(), columns, tuple(columns), where
        self.counted = self.names
        self.engine.register("given", _arrow(columns))
        self.texts = texts or {name: self._distinct(name) for name in columns}
        self.rows = self._asked(f"select count(*) from given where {where}")[0][0]
        self.fingerprint = str(self._asked("select bit_xor(hash(given)), sum(hash(given)) from given"))

    def column(self, name: str) -> Counted:
        found = dict(self._asked(f'select "{name}", count(*) from given where {self.where} group by 1'))
        counts = [found.get(text, 0) for text in self.texts[name]]
        return Counted(name, self.texts[name], np.array(counts, dtype=np.int64), found.get(None, 0))

    def repeated(self, name: str) -> Counted:
        found = self.column(name)
        twice = found.counts > 1
        texts = tuple(text for text, stays in zip(found.texts, twice, strict=True) if stays)
        return Counted(name, texts, found.counts[twice], found.nulls)

    def omitting(self, omitted: Omission) -> DuckSource:
        rules = [self.where]
        for name, values in omitted.values.items():
            gone = [text for text, leaves in zip(self.texts[name], values, strict=False) if leaves]
            rules += [f'"{name}" is not null'] if values[-1] else []
            listed = ", ".join("'" + text.replace("'", "''") + "'" for text in gone)
            rules += [f'("{name}" is null or "{name}" not in ({listed}))'] if gone else []
        return DuckSource(self.columns, self.texts, " and ".join(rules))

    def tuples(self, coding: Coding) -> TupleCounts:
        joins, shown = [], []
        for number, (name, codes) in enumerate(coding.items()):
            cells = [*self.texts[name], None]
            self.engine.register(f"map{number}", _arrow({"cell": cells, "code": list(map(str, codes))}))
            joins.append(
                f'join map{number} as m{number} on m{number}.cell is not distinct from given."{name}"'
            )
            shown.append(f"cast(m{number}.code as int)")
        found = self._asked(
            f"select {', '.join(shown)}, count(*) from given {' '.join(joins)} "
            f"where {self.where} group by all"
        )
        *codes_of, counts = np.array(found, dtype=np.int64).reshape(len(found), len(shown) + 1).T
        return TupleCounts.of([each.astype(np.int32) for each in codes_of], counts)

    def _distinct(self, name: str) -> tuple[str, ...]:
        asked = self._asked(f'select distinct "{name}" from given where "{name}" is not null order by 1')
        return tuple(text for (text,) in asked)

    def _asked(self, query: str) -> list[Any]:
        return self.engine.sql(query).fetchall()


def _arrow(columns: Columns) -> Any:
    import pyarrow as pa

    return pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})


def _file(columns: Columns, ending: str) -> DataSource:
    """The columns in a file of this kind, counted in the engine."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{ending}"
        if ending == "parquet":
            parquet.write_table(_arrow(columns), path)
        else:
            _write_csv(columns, path)
        return open_source(path, _everything(columns), engine="duckdb", memory="100MB")


def _write_csv(columns: Columns, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _everything(columns: Columns) -> Wanted:
    return Wanted(unique=frozenset(columns))


def _lazy(columns: Columns) -> DataSource:
    return open_source(polars.DataFrame(_arrow(columns)).lazy(), _everything(columns))


def _relation(columns: Columns) -> DataSource:
    return open_source(duckdb.connect().from_arrow(_arrow(columns)), _everything(columns))


SOURCES: Mapping[str, Callable[[Columns], DataSource]] = {
    "memory": text_table,
    "list": ListSource,
    "duckdb": DuckSource,
    "counted parquet": lambda columns: _file(columns, "parquet"),
    "counted csv": lambda columns: _file(columns, "csv"),
    "polars lazy": _lazy,
    "duckdb relation": _relation,
}


@pytest.mark.parametrize("name", SOURCES)
def test_exam(name: str) -> None:
    sit_source_exam(SOURCES[name], seeds=range(12))


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("seed", range(4))
def test_one_frontier(name: str, seed: int) -> None:
    """Explored end to end, and equal to what a study of the table in memory finds, ids included."""
    table = random_table(Random(f"source {seed}"), sensitive=1, rows=(30, 60), missing=0.5)
    source = SOURCES[name](table.columns)
    cube = count_tuples(source, bind(schema_from(table.schema), source))
    found = explore(Question(("k", "l", "loss"), USUAL, "lattice"), cube, Limits(1)).frontier
    expected = table.study().explore("k", "l", "loss", suppress="any:0.1", space="lattice")
    assert [(s.id, s.values, s.suppressed) for s in found] == [
        (s.id, s.values, s.suppressed) for s in expected
    ]


class Forgetful(ListSource):
    """Counts the rows of a tuple as one."""

    def tuples(self, coding: Coding) -> TupleCounts:
        found = super().tuples(coding)
        return TupleCounts(found.codes, np.ones_like(found.counts))


class Unsorted(ListSource):
    def tuples(self, coding: Coding) -> TupleCounts:
        found = super().tuples(coding)
        return TupleCounts(tuple(codes[::-1] for codes in found.codes), found.counts[::-1])


class Renumbered(ListSource):
    """Forgets values that occur no more, so that codes change."""

    def omitting(self, omitted: Omission) -> ListSource:
        left = super().omitting(omitted)
        return Renumbered({name: [row[j] for row in left.kept] for j, name in enumerate(self.names)})


class Constant(ListSource):
    def __init__(self, columns: Columns, left: Sequence[bool] | None = None) -> None:
        super().__init__(columns, left)
        self.fingerprint = "always the same"


class Nullless(ListSource):
    def column(self, name: str) -> Counted:
        found = super().column(name)
        return Counted(name, found.texts, found.counts, 0)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (Forgetful, "tuples are counted"),
        (Unsorted, "not in rising order"),
        (Renumbered, "codes changed"),
        (Constant, "does not change the fingerprint"),
        (Nullless, "nulls of column"),
    ],
)
def test_the_exam_finds_what_is_wrong(wrong: Callable[[Columns], DataSource], words: str) -> None:
    with pytest.raises(ExamFailed, match=words):
        sit_source_exam(wrong)


def test_the_exam_covers_the_contract() -> None:
    assert set(SOURCE_CHECKS) == {"values", "tuples", "omission", "repeated", "fingerprint", "cube"}
