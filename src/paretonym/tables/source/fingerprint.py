"""Fingerprints, to recognize data: that of a file's bytes or of a dataframe, and a digest of a table's
content that depends neither on the order of rows or columns nor on the kind of file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Integers
from paretonym.tables.source.data_file import DataFile
from paretonym.tables.source.row_hash import Marks, RowHash, summed_marks
from paretonym.tables.source.table_counts import Counts


def content_digest(table: Counts, key: bytes, names: Collection[str] | None = None) -> str:
    """Digest that identifies a table, or the columns of it that are named: equal for equal rows in another
    order, with the columns in another order, from a CSV file, a Parquet file or a dataframe. It cannot be
    computed without the key."""
    columns = [column for column in table.columns if names is None or column.name in names]
    hashed = RowHash([c.name for c in columns], [c.texts for c in columns], key)
    sums = summed_marks(hashed, [column.codes for column in columns], table.weights)
    return hashed.digest(table.rows, sums)


def row_marks(table: Counts, key: bytes, kinds: Mapping[str, str]) -> Marks:
    """A number for each entry of a table, by its cells in the columns of these names and their kinds: equal
    rows have equal numbers wherever they come from, whatever their columns are called, in capitals or not.
    It cannot be computed without the key."""
    columns = [column for column in table.columns if column.name in kinds]
    texts = [[text.casefold() for text in column.texts] for column in columns]
    hashed = RowHash([kinds[c.name] for c in columns], texts, key)
    marks: Marks = hashed.all_marks([column.codes for column in columns])[:, 0]
    return marks


def file_bytes_digest(table: Counts, key: bytes) -> str | None:
    """Digest that identifies the files of a table, whichever of their columns are read; None if there are no
    files. It cannot be computed without the key."""
    if not table.files:
        return None
    digests = sorted(DataFile(Path(path)).fingerprint() for path in table.files)
    content = json.dumps(digests).encode()
    return hashlib.blake2b(content, key=key, digest_size=32, person=b"paretonym.files").hexdigest()


def distinct_digest(
    names: Sequence[str],
    texts: Sequence[Sequence[str]],
    codes: Sequence[npt.NDArray[np.integer]],
    counts: Integers,
    key: bytes,
) -> str:
    """The content digest of the table that has each distinct row as often as it is counted. The code of a
    null is the one after the last text's."""
    hashed = RowHash(names, texts, key)
    marks, often = hashed.marks(codes), counts.astype(np.uint64)
    return hashed.digest(int(counts.sum()), (marks * often[:, None]).sum(axis=0, dtype=np.uint64))


def canonical_order(table: Counts, key: bytes) -> Integers:
    """The rows of a table in an order that their content alone decides: wherever the same rows come from, the
    same rows have the same places. Rows that are equal in all columns may change places."""
    names, texts = [c.name for c in table.columns], [c.texts for c in table.columns]
    codes = [column.codes for column in table.columns]
    hashed = RowHash(names, texts, key)
    lanes = [*hashed.all_marks(codes).T]
    if hashed.coarse:
        # 7 and 007 are one number to the digest, but two texts.
        lanes += [*RowHash(names, texts, key, exact=True).all_marks(codes).T]
    return np.lexsort(lanes[::-1])
