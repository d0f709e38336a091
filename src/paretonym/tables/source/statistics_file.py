"""Files of SPSS (sav, zsav, por), Stata (dta) and SAS (sas7bdat, xpt), read by pyreadstat.

A value with a label is read as its label if every value of the column has one. What the file calls missing is
missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from paretonym.base.errors import InputError
from paretonym.base.extras import require
from paretonym.tables.arrow import pa
from paretonym.tables.source.data_file import DataFile, statistics_kind
from paretonym.tables.source.data_source import Wanted
from paretonym.tables.source.dataframe import read_dataframe
from paretonym.tables.source.table_counts import Counts


def read_statistics(file: DataFile, wanted: Wanted) -> Counts:
    """The table in a file of a statistics program."""
    require("statistics", str(file.path))
    if file.held is not None:
        raise InputError.of(str(file.path), "such a file can be read only by its name", "give its path")
    cells, labels = _read(file)
    table = pa.table({name: _column(values, labels.get(name, {})) for name, values in cells.items()})
    path = str(file.path)
    counts = read_dataframe(table, wanted)
    return replace(counts, name=file.path.name, kind="file", path=path, files=(path,))


def _read(file: DataFile) -> tuple[Mapping[str, list[Any]], Mapping[str, Mapping[Any, str]]]:
    """The cells of every column, and what their values are called."""
    import pyreadstat

    reader = getattr(pyreadstat, f"read_{statistics_kind(file.first())}")
    try:
        cells, about = reader(str(file.path), output_format="dict")
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeError, ValueError):
        # Its text could hold cells.
        wrong = "the file is damaged, or of a kind that cannot be read"
        raise InputError.of(str(file.path), wrong, "save it again, or as CSV") from None
    return cells, about.variable_value_labels


def _column(values: list[Any], labels: Mapping[Any, str]) -> Any:
    """A column of one type: labels where all values have one, whole numbers where all are, empty texts as
    missing."""
    plain = [None if value in ("", None) or value != value else value for value in values]
    present = [value for value in plain if value is not None]
    if labels and all(value in labels for value in present):
        return pa.array([None if value is None else str(labels[value]) for value in plain], pa.string())
    if all(isinstance(value, float) and value.is_integer() for value in present):
        plain = [None if value is None else int(value) for value in plain]
    return pa.array(plain)
