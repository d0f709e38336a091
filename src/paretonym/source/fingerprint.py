"""Fingerprints, to recognize data: that of a file's bytes or of a dataframe, and a digest of a table's
content that depends neither on the order of rows or columns nor on the kind of file."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Codes, Integers
from paretonym.factorize import distinct_rows, summed_rows
from paretonym.source.counted_table import CountedTable
from paretonym.source.data_file import DataFile
from paretonym.source.table import Column, Table

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


def content_fingerprint(columns: Iterable[Column]) -> str:
    """The SHA-256 of names, types, texts and codes: the same in whichever dataframe the content lay.

    It relies on values standing in the order of their first appearance.
    """
    digest = hashlib.sha256(b"paretonym.table/1")
    for column in columns:
        described = json.dumps([column.name, column.type, len(column.codes), column.texts])
        digest.update(described.encode())
        digest.update(column.codes.astype("<i4", copy=False).tobytes())
    return f"sha256:{digest.hexdigest()}"


TUPLES = "tuples-sha256:"


def tuples_fingerprint(columns: Sequence[Column], weights: Integers | None = None) -> str:
    """The SHA-256 of the sorted distinct rows of some columns with their counts: the same wherever the rows
    were counted, and in whatever order they lay. Each entry of a column stands for as many rows as its
    weight says, or for one."""
    digest = hashlib.sha256(b"paretonym.tuples/1")
    ranks = []
    for column in columns:
        order = sorted(range(len(column.texts)), key=column.texts.__getitem__)
        described = [column.name, column.type, [column.texts[place] for place in order]]
        digest.update(json.dumps(described).encode())
        ranks.append(_ranks(column, order))
    sizes = [len(column.texts) + 1 for column in columns]
    if weights is None:
        first, _, counts = distinct_rows(ranks, sizes)
    else:
        first, counts = summed_rows(ranks, sizes, weights)
    for codes in ranks:
        digest.update(codes[first].astype("<i4", copy=False).tobytes())
    digest.update(counts.astype("<i8", copy=False).tobytes())
    return f"{TUPLES}{digest.hexdigest()}"


def fingerprint_like(known: str, table: Table | CountedTable, names: Collection[str]) -> str:
    """The fingerprint of a table that can be compared with one that was noted before: of the distinct rows of
    these columns, or of the bytes of a file, whichever was noted."""
    if known.startswith(TUPLES) == isinstance(table, CountedTable):
        return table.fingerprint
    if isinstance(table, Table):
        return tuples_fingerprint([column for column in table.columns if column.name in names])
    return _bytes_of(table.files[0]) if len(table.files) == 1 else table.fingerprint


def _ranks(column: Column, order: Sequence[int]) -> Codes:
    """The codes of a column whose values stand in this order; the code of a null comes last."""
    ranks = np.empty(len(order) + 1, dtype=np.int32)
    ranks[np.array(order, dtype=np.int64)] = np.arange(len(order), dtype=np.int32)
    ranks[-1] = len(order)
    return np.asarray(ranks[column.codes])


def content_digest(table: Table | CountedTable, key: bytes, names: Collection[str] | None = None) -> str:
    """What a table, or the columns of it that are named, is known by: the same for the same rows in another
    order, with the columns in another order, from a CSV file, a Parquet file or a dataframe. It cannot be
    computed without the key."""
    columns = [column for column in table.columns if names is None or column.name in names]
    hashed = RowHash([c.name for c in columns], [_known_by(c) for c in columns], key)
    sums = np.zeros(2, dtype=np.uint64)
    codes, weights = [column.codes for column in columns], table.weights
    for start in range(0, table.entries, BLOCK):
        marks = hashed.marks([each[start : start + BLOCK] for each in codes])
        if weights is not None:
            marks *= weights[start : start + BLOCK, None].astype(np.uint64)
        sums += marks.sum(axis=0, dtype=np.uint64)
    return hashed.digest(table.rows, sums)


def row_marks(table: Table | CountedTable, key: bytes, names: Collection[str]) -> Marks:
    """A number for each entry of a table, by its cells in the columns of these names, in any case of letters:
    equal rows have equal numbers wherever they come from. It cannot be computed without the key."""
    columns = [column for column in table.columns if column.name.casefold() in names]
    hashed = RowHash([c.name for c in columns], [_known_by(c) for c in columns], key)
    marks: Marks = hashed.all_marks([column.codes for column in columns])[:, 0]
    return marks


def file_bytes_digest(table: Table | CountedTable, key: bytes) -> str | None:
    """What the files of a table are known by, whichever of their columns are read; None where there are no
    files. It cannot be computed without the key."""
    if table.path is None or table.selection:
        return None
    known = [table.fingerprint] if isinstance(table, Table) else sorted(map(_bytes_of, table.files))
    content = json.dumps(known).encode()
    return hashlib.blake2b(content, key=key, digest_size=32, person=b"paretonym.files").hexdigest()


def _bytes_of(path: str) -> str:
    with DataFile.at(Path(path)) as file:
        return file.fingerprint()


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


def _known_by(column: Column) -> tuple[str, ...]:
    from paretonym.source.value_types import former_texts

    return former_texts(column.values, column.texts)


def canonical_order(table: Table, key: bytes) -> Integers:
    """The rows of a table in an order that their content alone decides: wherever the same rows come from, the
    same rows have the same places. Rows that are equal in all columns may change places."""
    names, texts = [c.name for c in table.columns], [_known_by(c) for c in table.columns]
    codes = [column.codes for column in table.columns]
    hashed = RowHash(names, texts, key)
    lanes = [*hashed.all_marks(codes).T]
    if hashed.coarse:
        # 7 and 007 are one number to the digest, but two texts.
        lanes += [*RowHash(names, texts, key, exact=True).all_marks(codes).T]
    if any(len(set(known)) < len(known) for known in texts):
        # So are 7 and 7.0 where each is written in its own digits.
        own = [column.texts for column in table.columns]
        lanes += [*RowHash(names, own, key, exact=True).all_marks(codes).T]
    return np.lexsort(lanes[::-1])


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
    """What a cell says however a kind of file writes it: numbers, dates and booleans in one way, None where
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
