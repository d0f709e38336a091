"""Protective randomness, drawn once: a key for each table's content, and the draws made with it.

The key comes from the operating system and is kept in the user's state folder and in the folder of each run
that draws (mode 0600). With it the same table and recoding give the same draw in every run and kind of file:
two files of one release contain the same assignment, and joining them discloses nothing. It is in no release,
manifest or report.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Integers
from paretonym.base.errors import Bug, InputError
from paretonym.base.state import KEY_BYTES, KEY_FILE, read_key, write_key
from paretonym.release.release_log import PARTIAL, ReleaseLog
from paretonym.tables.source import Counts, canonical_order

Numbers: TypeAlias = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Draw:
    """The random draws for one recoding of one table, by its digest; with the key they can be repeated."""

    key: bytes
    recoding: str

    def order(self, table: Counts) -> Integers:
        """The rows of the table in an order that depends on their content and the key."""
        return canonical_order(table, self._derived("order", b"", KEY_BYTES))

    def numbers(self, purpose: str, count: int) -> Numbers:
        """Numbers that are indistinguishable from random ones without the key."""
        drawn = self._derived(purpose, self.recoding.encode(), 8 * count)
        return np.frombuffer(drawn, dtype="<u8").astype(np.uint64)

    def _derived(self, purpose: str, context: bytes, size: int) -> bytes:
        labelled = f"paretonym.draw/1 {purpose}\n".encode()
        return hashlib.shake_256(self.key + labelled + context).digest(size)


def key_mark(key: bytes) -> str:
    """A mark that distinguishes keys and discloses nothing about them."""
    return hashlib.blake2b(b"paretonym.draw/1", key=key, digest_size=16).hexdigest()


def draw_mark(key: bytes, source: Counts) -> str:
    """The mark of a draw with this key. The order of rows depends on the columns that are known, so that a
    draw for rows of which not all columns were counted is another one, and its mark names them."""
    if set(source.counted) == set(source.names):
        return key_mark(key)
    listed = json.dumps(sorted(source.counted)).encode()
    return f"{key_mark(key)}{PARTIAL}{hashlib.blake2b(listed, key=key, digest_size=8).hexdigest()}"


def find_key(log: ReleaseLog) -> bytes:
    """The key of a table: that in the user's state or in the run, otherwise a new one. It is stored in both.

    Refused if an earlier draw could not be repeated with it.
    """
    if not log.tables:
        raise Bug("a random draw would not be repeatable")
    table = log.tables[0]
    place = table.folder / KEY_FILE
    copy = None if log.run is None else log.run / KEY_FILE
    with table.lock():
        stored, copied = read_key(place), None if copy is None else read_key(copy)
        if stored is not None and copied is not None and stored != copied:
            raise _two_keys(place, copy)
        key = stored or copied
        _check_marks(log, key, place)
        key = key or secrets.token_bytes(KEY_BYTES)
        if stored is None:
            write_key(place, key)
        if copy is not None and copied is None:
            write_key(copy, key)
    return key


def share_key(log: ReleaseLog, key: bytes) -> None:
    """Let a part of a table draw with the key of the whole, unless it has one already."""
    table = log.tables[0]
    with table.lock():
        if read_key(table.folder / KEY_FILE) is None:
            write_key(table.folder / KEY_FILE, key)


def _check_marks(log: ReleaseLog, key: bytes | None, place: Path) -> None:
    """Refuse to go on without the key that earlier releases were drawn with."""
    if {mark.partition(PARTIAL)[0] for mark in log.drawn} <= (set() if key is None else {key_mark(key)}):
        return
    raise InputError.of(
        str(place),
        "a release of this table was drawn with a key that is missing now; drawn again with another "
        "key, the two together would disclose whose value is whose",
        "publish the files that were written then, or restore the key: the folders of runs made with "
        "it have a copy, RUN/key",
    )


def _two_keys(place: Path, copy: Path | None) -> InputError:
    return InputError.of(
        str(copy),
        f"this key differs from the one stored for the same table in {place}: a draw with one cannot be "
        "repeated with the other",
        "publish from the run and the machine of the first release; if nothing was ever published with "
        "one of the two keys, remove that file",
    )
