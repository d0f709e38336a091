"""A release as a folder of Parquet files, for tables that are too large for one: written part by part, by the
workers of the engine that has counted the rows if it has any, else here.

Rows are sorted as in one file, and the parts follow each other by name. So neither the order of rows nor the
part that a row is in says anything about the input: both follow from the released rows alone. A part is sent
as its distinct rows with their counts, which are repeated where it is written.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from paretonym.arrays import Codes, Integers
from paretonym.arrow import pa
from paretonym.authorship import digest_of
from paretonym.release.release_writer import arrow_batches, arrow_types, write_release
from paretonym.release.released_rows import Released
from paretonym.release.row_sort import Words, sort_rows
from paretonym.source import CountedTable, Frames, Table

# Rows of one file: four blocks of the writer.
PART_ROWS = 1 << 22
ENDING = ".parquet"
# The folder inside, gone at the end, in which parts are written before they have names: a worker that is lost
# leaves half of one there, and one that is taken for lost may write on.
DRAFTS = ".drafts"


def write_parts(released: Released, source: Table | CountedTable | None, folder: Path) -> dict[str, str]:
    """Write the parts of a release into an empty folder; returns their digests by name."""
    tasks = source.tasks if isinstance(source, CountedTable) else None
    (folder / DRAFTS).mkdir()
    sent = (pickle.dumps((str(folder / name), part)) for name, part in parts_of(released, PART_ROWS))
    written = (tasks or _one_by_one)(_write_part, sent)
    shutil.rmtree(folder / DRAFTS)
    pairs = (line.split(" ", 1) for line in written)
    return {name: digest for digest, name in sorted(pairs, key=lambda pair: pair[1])}


def _one_by_one(task: Callable[[bytes], str], sent: Iterator[bytes]) -> list[str]:
    return [task(each) for each in sent]


def _write_part(sent: bytes) -> str:
    """Write one part; a second try, or a twin of this task, writes the same bytes under the same name."""
    # Our own bytes, from the process that has sent this function too.
    name, part = pickle.loads(sent)  # noqa: S301
    path = Path(name)
    draft = path.parent / DRAFTS / f"{path.name}-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        write_release(part, draft, ENDING)
        digest = digest_of(draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return f"{digest} {path.name}"


def lazy_rows(released: Released, frames: Frames) -> Any:
    """A release as a frame of the engine that has counted the rows; its workers make the rows when they are
    asked for."""
    sent = (pickle.dumps(part) for _, part in parts_of(released, PART_ROWS))
    return frames(_rows_of_part, sent, arrow_types(released))


def _rows_of_part(sent: bytes) -> Iterator[Any]:
    yield from arrow_batches(pickle.loads(sent))  # noqa: S301 - as above


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
