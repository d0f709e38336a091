"""Two tables with the same columns as one: the rows of the first, then those of the second."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from paretonym.arrays import Codes
from paretonym.source.data_source import NULL
from paretonym.source.table import Column, Table


def joined(first: Table, second: Table) -> Table:
    """Both tables in one, with the columns of the first, which the second must have."""
    columns = tuple(_joined(column, second.column(column.name)) for column in first.columns)
    return replace(first, name=second.name, rows=first.rows + second.rows, columns=columns)


def places(both: Column, second: Column) -> Codes:
    """Where each distinct value of the second table's column stands in the joined one."""
    of_text = {text: place for place, text in enumerate(both.texts)}
    return np.array([of_text[text] for text in second.texts], dtype=np.int32)


def _joined(first: Column, second: Column) -> Column:
    """The distinct values of both, those of the first in their places: its codes mean the same as before."""
    known = set(first.texts)
    texts = (*first.texts, *(text for text in second.texts if text not in known))
    # Where a CSV file meets a Parquet file, values are what is written.
    kind = first.type if first.type == second.type else "text"
    column = Column(first.name, kind, pa.array(texts, pa.string()), texts, first.codes)
    renumbered = np.append(places(column, second), np.int32(NULL))
    return replace(column, codes=np.concatenate([first.codes, renumbered[second.codes]]).astype(np.int32))
