"""128 bits for each row of a table, from the texts of its cells; sums over rows ignore their order."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Integers

Marks: TypeAlias = npt.NDArray[np.uint64]

# Rows that are hashed together: few enough for the processor's cache.
BLOCK = 1 << 15
# Odd constants of SplitMix64 and MurmurHash3, one for each half of a row's mark.
FACTORS = np.array(
    [[0xBF58476D1CE4E5B9, 0xFF51AFD7ED558CCD], [0x94D049BB133111EB, 0xC4CEB9FE1A85EC53]], dtype=np.uint64
)
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?")
MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d.*)")
FRACTION = re.compile(r"\d\d:\d\d:\d\d\.\d+")
MIDNIGHT = re.compile(r"00:00(:00(\.0+)?)?")
# However they are written where a file has no other way to say it.
MISSING = frozenset(("", "na", "n/a", "nan", "<na>", "null", "none", "nat", "?"))
# As many digits as are kept without rounding.
LONGEST_NUMBER = 28


def summed_marks(hashed: RowHash, codes: Sequence[npt.NDArray[np.integer]], weights: Integers) -> Marks:
    """The sum of the marks of all rows."""
    sums = np.zeros(2, dtype=np.uint64)
    for start in range(0, len(weights), BLOCK):
        marks = hashed.marks([column[start : start + BLOCK] for column in codes])
        marks *= weights[start : start + BLOCK, None].astype(np.uint64)
        sums += marks.sum(axis=0, dtype=np.uint64)
    return sums


class RowHash:
    """128 bits for a row, from the names and the texts of its cells and a key.

    Every distinct cell is hashed by itself (BLAKE2b with the key); a row is the sum of its cells, mixed so
    that sums over rows tell which cells stood together. Missing values are one value. `coarse` says whether
    two texts of one column count as the same value (37 and 37.0), which they do unless hashes are `exact`.
    """

    def __init__(
        self, names: Sequence[str], texts: Sequence[Sequence[str]], key: bytes, exact: bool = False
    ) -> None:
        self._key = key
        self._names = [name.strip().casefold() for name in names]
        self.coarse = False
        self._lookups = [self._lookup(*column, exact) for column in zip(self._names, texts, strict=True)]

    def marks(self, codes: Sequence[npt.NDArray[np.integer]]) -> Marks:
        """Two numbers of 64 bits for each row, given the codes of every column; a null's code is -1, or that
        after the last."""
        rows = np.zeros((len(codes[0]), 2), dtype=np.uint64)
        for lookup, column in zip(self._lookups, codes, strict=True):
            rows += lookup.take(column, axis=0, mode="wrap")
        rows ^= rows >> np.uint64(30)
        rows *= FACTORS[0]
        rows ^= rows >> np.uint64(27)
        rows *= FACTORS[1]
        rows ^= rows >> np.uint64(31)
        return rows

    def all_marks(self, codes: Sequence[npt.NDArray[np.integer]]) -> Marks:
        """The marks of many rows, block by block."""
        starts = range(0, max(len(codes[0]), 1), BLOCK)
        return np.concatenate([self.marks([c[s : s + BLOCK] for c in codes]) for s in starts])

    def digest(self, rows: int, sums: Marks) -> str:
        """A table by the sums of its rows' marks: the order of rows does not matter, how often one occurs
        does."""
        described = json.dumps([rows, sorted(self._names)]).encode()
        content = described + sums.astype("<u8").tobytes()
        return hashlib.blake2b(content, key=self._key, digest_size=32, person=b"paretonym.table").hexdigest()

    def _lookup(self, name: str, texts: Sequence[str], exact: bool) -> Marks:
        cells = list(texts) if exact else [canonical_text(text) for text in texts]
        self.coarse = self.coarse or len(set(cells)) < len(cells) or None in cells
        # The column's own key; the last entry is for nulls.
        key = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), key=self._key, digest_size=32).digest()
        hashed = b"".join(_hashed(cell, key) for cell in [*cells, None])
        return np.frombuffer(hashed, dtype="<u8").astype(np.uint64).reshape(-1, 2)


def _hashed(cell: str | None, key: bytes) -> bytes:
    content = b"\x00" if cell is None else b"\x01" + cell.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, key=key, digest_size=16).digest()


def canonical_text(text: str) -> str | None:
    """Content of a cell however a kind of file writes it: numbers, dates and booleans in one way, None where
    it means that nothing is known.

    >>> [canonical_text(text) for text in ("37.0", " 37", "True", "2024-02-29 00:00:00", "NA", "flu")]
    ['37', '37', 'true', '2024-02-29', None, 'flu']
    """
    text = text.strip()
    if not text.isascii():
        return unicodedata.normalize("NFC", text)
    if len(text) < 6:
        lowered = text.lower()
        if lowered in MISSING:
            return None
        if lowered in ("true", "false"):
            return lowered
    if text[0].isalpha():
        return text
    return _number_or_moment(text)


def _number_or_moment(text: str) -> str:
    if len(text) <= LONGEST_NUMBER and NUMBER.fullmatch(text):
        number = Decimal(text)
        return format(number.normalize(), "f") if number else "0"
    if moment := MOMENT.fullmatch(text):
        day, time = moment.groups()
        if MIDNIGHT.fullmatch(time):
            return day
        # Some write .000000 behind every second.
        return f"{day}T{time.rstrip('0').rstrip('.') if FRACTION.fullmatch(time) else time}"
    return text
