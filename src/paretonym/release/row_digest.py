"""The digest of a release's rows, which any engine can compute again, however rows are divided into files.

Cells are texts: numbers in digits, dates as 2024-02-29, booleans as true and false, a missing value as the
empty text. A row's hash is the SHA-256 of the SHA-256 of each of its cells, in hexadecimal digits, one behind
the other. Then there is one line for each different row, `HASH COUNT`, in the order of the hashes. In front
of them stands such a line for the names of the columns, with the number of all rows. The digest is the
SHA-256 of these lines. Like the release itself, it says nothing about rows that were suppressed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Codes
from paretonym.arrow import pa
from paretonym.release.released_rows import Released, ReleasedColumn

LARGEST_WHOLE = 1e15
# Rows that are hashed together; and the words of eight bytes that a hash has.
BLOCK, WORDS = 1 << 16, 4


def row_digest(released: Released) -> str | None:
    """The digest of the rows of a release; None if the cells of a column have no text that all engines agree
    on, as numbers of single precision."""
    spelled = [_spelled(column) for column in released.columns]
    cells = [texts for texts in spelled if texts is not None]
    if len(cells) < len(spelled):
        return None
    codes, counts = released.distinct()
    hashes = _row_hashes([[_hash(text) for text in texts] for texts in cells], codes)
    names = [column.name for column in released.columns]
    digest = hashlib.sha256(f"{row_hash(names)} {len(released)}\n".encode())
    # By the first bytes of each hash, then by those that follow.
    order = np.lexsort(hashes.view(">u8").reshape(-1, WORDS).T[::-1])
    for start in range(0, len(order), BLOCK):
        some = order[start : start + BLOCK]
        lines = zip(hashes[some], counts[some].tolist(), strict=True)
        digest.update("".join(f"{row.tobytes().hex()} {count}\n" for row, count in lines).encode())
    return digest.hexdigest()


def _row_hashes(cells: Sequence[Sequence[str]], codes: Sequence[Codes]) -> npt.NDArray[np.uint8]:
    """The hash of each distinct row, given those of the cells of each column."""
    found = []
    for start in range(0, len(codes[0]), BLOCK):
        block = [own[start : start + BLOCK].tolist() for own in codes]
        columns = (map(of.__getitem__, own) for of, own in zip(cells, block, strict=True))
        found += [hashlib.sha256("".join(row).encode()).digest() for row in zip(*columns, strict=True)]
    return np.frombuffer(b"".join(found), dtype=np.uint8).reshape(-1, 8 * WORDS)


def row_hash(cells: Sequence[str]) -> str:
    """
    >>> row_hash(["a", ""])[:8]
    '85802c81'
    """
    return _hash("".join(map(_hash, cells)))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _spelled(column: ReleasedColumn) -> list[str] | None:
    """The text of each value and, last, that of a missing one."""
    spelling = _spelling(column.values.type)
    return None if spelling is None else [*map(spelling, column.values.to_pylist()), ""]


def _spelling(kind: Any) -> Callable[[Any], str] | None:
    types = pa.types
    if types.is_string(kind) or types.is_large_string(kind) or types.is_integer(kind):
        return str
    if types.is_boolean(kind):
        return lambda value: str(value).lower()
    if types.is_date32(kind):
        return lambda value: str(value.isoformat())
    if types.is_decimal128(kind):
        return lambda value: format(value, "f")
    return _number if types.is_float64(kind) else None


def _number(value: float) -> str:
    """
    >>> [_number(value) for value in (1.0, -0.0, 0.5, 1e-7, 1e22)]
    ['1', '0', '0.5', '1e-07', '1e+22']
    """
    return str(int(value)) if value.is_integer() and abs(value) < LARGEST_WHOLE else repr(value)
