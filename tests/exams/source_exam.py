"""The exam of a data source: does it count what its rows say, and is the cube that of the same rows in
memory? Searches see nothing but the cube: where it is the same, so is every frontier.

An implementer gives a function that makes a source of some rows; the exam compares it with counts made by
plain Python, and with the table in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from random import Random
from typing import TypeAlias

import numpy as np

from paretonym.arrays import Codes, Mask
from paretonym.counts import count_tuples
from paretonym.errors import InputError
from paretonym.schema import bind, schema_from
from paretonym.source import DataSource, Omission, ValueCounts
from paretonym.testing.candidates import require
from paretonym.testing.random_tables import RandomTable, bounded, random_table, text_table

Columns: TypeAlias = Mapping[str, Sequence[str | None]]
Open: TypeAlias = Callable[[Columns], DataSource]
Check: TypeAlias = Callable[[Open, int], None]


def sit_source_exam(opened: Open, seeds: Iterable[int] = range(20)) -> None:
    """Every check, on one random table for each seed; `opened` makes a source of columns of texts (None is a
    null). Raises `ExamFailed` at the first check that does not hold."""
    for seed in seeds:
        once = _opened_once(opened)
        for check in SOURCE_CHECKS.values():
            # Rows are opened once for all checks, except to see that opening them again makes no difference.
            check(opened if check is check_fingerprint else once, seed)


def _opened_once(opened: Open) -> Open:
    """Opens the same rows once: to open them may take longer than to check them."""
    opened_before: dict[str, DataSource] = {}

    def source(columns: Columns) -> DataSource:
        key = repr(columns)
        if key not in opened_before:
            opened_before[key] = opened(columns)
        return opened_before[key]

    return source


def exam_rows(seed: int) -> RandomTable:
    """A table with columns of every role, and gaps."""
    return random_table(Random(seed), sensitive=1 + seed % 2, labelled=True, missing=0.5)


def check_values(opened: Open, seed: int) -> None:
    """Every column has its distinct values, each once, with their counts."""
    columns = exam_rows(seed).columns
    source = opened(columns)
    require(source.names == tuple(columns), f"the names are {source.names} (seed {seed})")
    for name, cells in columns.items():
        require(source.rows == len(cells), f"{source.rows} rows instead of {len(cells)} (seed {seed})")
        _require_values(source.column(name), cells, seed)


def check_tuples(opened: Open, seed: int) -> None:
    """Tuples are distinct, in ascending order, and counted; a coding may put values together."""
    columns = exam_rows(seed).columns
    source, generator = opened(columns), Random(seed)
    for groups in (1000, 2):
        names = generator.sample(list(columns), min(3, len(columns)))
        coding = {name: _coding(source.column(name), groups) for name in names}
        _require_tuples(source, columns, coding, [True] * source.rows, seed)


def check_omission(opened: Open, seed: int) -> None:
    """Rows that hold a value that is left out are counted nowhere; codes stay."""
    columns = exam_rows(seed).columns
    source, generator = opened(columns), Random(seed)
    names = generator.sample(list(columns), 2)
    values = {name: _some(source.column(name), generator) for name in names}
    remaining = source.omitting(Omission(values)).omitting(Omission())
    rows = [
        not any(values[name][_code(source.column(name), columns[name][row])] for name in names)
        for row in range(source.rows)
    ]
    require(
        remaining.rows == sum(rows), f"{remaining.rows} rows are left instead of {sum(rows)} (seed {seed})"
    )
    for name, cells in columns.items():
        require(remaining.column(name).texts == source.column(name).texts, f"codes changed (seed {seed})")
        _require_values(
            remaining.column(name), [c for c, stays in zip(cells, rows, strict=True) if stays], seed
        )
    if any(rows):
        coding = {name: _coding(source.column(name), 1000) for name in columns}
        _require_tuples(remaining, columns, coding, rows, seed)


def check_repeated(opened: Open, seed: int) -> None:
    """Values that stand in more than one row are found, with how many rows these are."""
    columns = exam_rows(seed).columns
    source = opened(columns)
    for name, cells in columns.items():
        expected = {cell: count for cell, count in Counter(cells).items() if cell is not None and count > 1}
        column = source.repeated(name)
        counts = dict(zip(column.texts, column.counts.tolist(), strict=True))
        repeated = {text: count for text, count in counts.items() if count > 1}
        require(repeated == expected, f"{repeated} repeats in '{name}' instead of {expected} (seed {seed})")


def check_fingerprint(opened: Open, seed: int) -> None:
    """A fingerprint is the same for the same rows, and another one if a cell changes."""
    columns = exam_rows(seed).columns
    name = next(iter(columns))
    changed = {**columns, name: ["another value", *columns[name][1:]]}
    same, other = opened(columns).fingerprint, opened(changed).fingerprint
    require(opened(columns).fingerprint == same, f"the fingerprint of the same rows differs (seed {seed})")
    require(other != same, f"a changed cell does not change the fingerprint (seed {seed})")


def check_cube(opened: Open, seed: int) -> None:
    """What a search sees is the same, number by number, as of the table in memory."""
    table = bounded(exam_rows(seed), Random(seed))
    cube, expected = (_cube(make(table.columns), table) for make in (opened, text_table))
    require(cube == expected, f"the cube is {cube} instead of {expected} (seed {seed})")


SOURCE_CHECKS: Mapping[str, Check] = {
    "values": check_values,
    "tuples": check_tuples,
    "omission": check_omission,
    "repeated": check_repeated,
    "fingerprint": check_fingerprint,
    "cube": check_cube,
}


def _cube(source: DataSource, table: RandomTable) -> object:
    """Everything that a cube holds, or why there is none."""
    try:
        return _written(count_tuples(source, bind(schema_from(table.schema), source)))
    except InputError as error:
        return str(error)


def _written(part: object) -> object:
    if isinstance(part, np.ndarray):
        return part.tolist()
    if isinstance(part, tuple):
        return [_written(item) for item in part]
    if isinstance(part, Mapping):
        return {name: _written(item) for name, item in part.items()}
    if not is_dataclass(part):
        return part if not callable(part) else None
    return [_written(getattr(part, field.name)) for field in fields(part)]


def _require_values(column: ValueCounts, cells: Sequence[str | None], seed: int) -> None:
    expected = Counter(cells)
    counts = dict(zip(column.texts, column.counts.tolist(), strict=True))
    occurring = {text: count for text, count in counts.items() if count}
    where = f"of column '{column.name}' (seed {seed})"
    require(len(counts) == len(column.texts), f"a value stands twice among those {where}")
    require(column.nulls == expected.pop(None, 0), f"{column.nulls} nulls {where}")
    require(occurring == expected, f"the counts {where} are {occurring} instead of {dict(expected)}")


def _require_tuples(
    source: DataSource, columns: Columns, coding: Mapping[str, Codes], kept: Sequence[bool], seed: int
) -> None:
    values = [source.column(name) for name in coding]
    rows = zip(*(columns[name] for name in coding), strict=True)
    expected = Counter(
        tuple(int(coding[one.name][_code(one, cell)]) for one, cell in zip(values, row, strict=True))
        for row, stays in zip(rows, kept, strict=True)
        if stays
    )
    counted = source.tuples(coding)
    tuples = list(zip(*(codes.tolist() for codes in counted.codes), strict=True))
    require(tuples == sorted(expected), f"tuples are missing, or not in rising order (seed {seed})")
    counts = [expected[row] for row in tuples]
    require(
        counted.counts.tolist() == counts, f"tuples are counted {counted.counts}, not {counts} (seed {seed})"
    )


def _coding(column: ValueCounts, groups: int) -> Codes:
    return (np.arange(len(column.texts) + 1) % groups).astype(np.int32)


def _some(column: ValueCounts, generator: Random) -> Mask:
    """A random half of the values, nulls among them."""
    return np.array([generator.random() < 0.5 for _ in range(len(column.texts) + 1)])


def _code(column: ValueCounts, cell: str | None) -> int:
    return -1 if cell is None else column.texts.index(cell)
