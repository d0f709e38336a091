"""The built-in example: UCI Adult, 48,842 people of a census, with three schemas to learn from.

`adult.toml` is the setting of the lattice papers (eight quasi-identifiers, the 30,162 complete rows of
`adult.data`), `adult-six.toml` that of Li & Li (six quasi-identifiers, all 45,222 complete rows),
`adult-nine.toml` that of the trade-offs paper (nine quasi-identifiers, to be cut anywhere). Every
column is text, so that the example and the CSV file written from it mean the same. ATTRIBUTION.md beside
this file says where the rows come from and what was changed.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from paretonym.base.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from paretonym.tables.source.table_counts import Counts

Part: TypeAlias = Literal["data", "all"]

FILES = ("adult.parquet", "adult.toml", "adult-six.toml", "adult-nine.toml", "ATTRIBUTION.md")
ROWS: dict[Part, int] = {"data": 32_561, "all": 48_842}


def example_path(name: str) -> Path:
    """Where a file of the example lies: one of `FILES`.

    >>> example_path("adult.toml").name
    'adult.toml'
    """
    if name not in FILES:
        raise InputError.of(f"example file '{name}'", "unknown example file", did_you_mean(name, FILES))
    return Path(__file__).with_name(name)


def adult_table(part: Part = "data") -> Counts:
    """The example as a table: the rows of `adult.data` alone, or those of `adult.test` after them too.

    >>> adult_table().rows, adult_table("all").rows
    (32561, 48842)
    """
    from paretonym.tables.source.dictionary_encoding import coded, make_column
    from paretonym.tables.source.table_counts import Counts

    arrow = _arrow_table(part)
    columns = [make_column(name, coded(arrow.column(name)), name) for name in arrow.column_names]
    return Counts.of_rows("the example Adult", columns, kind="pyarrow")


def write_adult_csv(path: str | Path) -> None:
    """Write the same rows, in the same order, as a CSV file with a header; an existing file is replaced."""
    arrow = _arrow_table("data")
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(arrow.column_names)
        writer.writerows(zip(*(column.to_pylist() for column in arrow.columns), strict=True))


def _arrow_table(part: Part) -> Any:
    if part not in ROWS:
        raise InputError.of(f"part '{part}'", "the example does not have this part", did_you_mean(part, ROWS))
    import pyarrow.parquet

    return pyarrow.parquet.read_table(example_path("adult.parquet"), memory_map=True).slice(0, ROWS[part])


__all__ = [
    "Part",
    "adult_table",
    "example_path",
    "write_adult_csv",
]
