"""A release as a folder of Parquet files, for tables that are too large for one: written part by part.

Rows are sorted as in one file, and the parts follow each other by name. So neither the order of rows nor the
part that a row is in says anything about the input: both follow from the released rows alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paretonym.arrays import Codes, Integers
from paretonym.arrow import pa
from paretonym.atomic_files import digest_of
from paretonym.release.release_writer import write_release
from paretonym.release.released_rows import Released
from paretonym.release.row_sort import Words, sort_rows

# Rows of one file: four blocks of the writer.
PART_ROWS = 1 << 22
ENDING = ".parquet"
COUNT = "paretonym_count"


def write_parts(released: Released, folder: Path) -> dict[str, str]:
    """Write the parts of a release into an empty folder; returns their digests by name."""
    digests = {}
    for name, part in parts_of(released, PART_ROWS):
        write_release(part, folder / name, ENDING)
        digests[name] = digest_of(folder / name)
    return digests


def distinct_rows(released: Released) -> Any:
    """The distinct rows of a release in Arrow, sorted, with how often each occurs in the last column."""
    codes, counts = released.distinct()
    columns = zip(released.columns, codes, strict=True)
    cells = [column.values.take(pa.array(own, mask=own == len(column))) for column, own in columns]
    return pa.table([*cells, pa.array(counts)], names=[*(column.name for column in released.columns), COUNT])


def parts_of(released: Released, size: int) -> Iterator[tuple[str, Released]]:
    """A release in parts of some rows each, with their names; the last has what remains."""
    codes, counts = released.distinct()
    ends = np.cumsum(counts)
    number = max(1, -(-len(released) // size))
    for place in range(number):
        start, stop = place * size, min((place + 1) * size, len(released))
        first, last = np.searchsorted(ends, [start, stop - 1], side="right")
        chosen = slice(int(first), int(last) + 1)
        # A row that occurs often may begin in one part and go on in the next.
        clipped = np.clip(ends[chosen], start, stop).astype(np.int64)
        often = clipped - np.append(start, clipped[:-1])
        part = _part(released, [found[chosen] for found in codes], often)
        yield f"part-{place:0{max(5, len(str(number)))}}{ENDING}", part


def _part(released: Released, codes: Sequence[Codes], counts: Integers) -> Released:
    """Some distinct rows as a release of their own, with no value that does not occur in them."""
    columns, cells = [], []
    for column, found in zip(released.columns, codes, strict=True):
        occurs = np.bincount(found, minlength=len(column) + 1) > 0
        places = pa.array(np.flatnonzero(occurs[:-1]))
        columns.append(column.of(places))
        cells.append(np.asarray((np.cumsum(occurs) - occurs)[found], dtype=np.int32))
    words = Words.of([len(column) + 1 for column in columns])
    same = tuple(np.arange(len(column) + 1, dtype=np.int32) for column in columns)
    return Released(tuple(columns), sort_rows(words, words.pack(cells), counts), same, released.unit)


def folder_digest(digests: Mapping[str, str]) -> str:
    """The SHA-256 of a folder, given those of its parts by name: that of the lines which `sha256sum *` prints
    there.

    >>> folder_digest({"a": "0" * 64})[:8]
    '53d743f3'
    """
    lines = "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))
    return hashlib.sha256(lines.encode()).hexdigest()
