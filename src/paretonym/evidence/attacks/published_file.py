"""A published file as an attacker sees it: the roles of its columns, classes of rows that look the same, and
tables of counts.

A release is one table of counts: for each class, how often it shows each combination of the unchanged
columns. A release in buckets is two: for the rows of each bucket with the same quasi-identifiers, what else
they show; and for each bucket, how often it contains each combination of sensitive values.

A manifest is read only for the recoding and the form of the file. None of its claims is trusted.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np

from paretonym.audit import Recoding, bucket_files, manifest_of, place_of, read_release
from paretonym.base.arrays import Integers
from paretonym.base.errors import Field, InputError, shown
from paretonym.tables.data_kinds import Data
from paretonym.tables.schema import Schema
from paretonym.tables.schema.hierarchies import MISSING_LABEL
from paretonym.tables.source import Counts

BUCKET, CLASS_SIZE = "bucket", "k"
# Rows of a table: the distinct texts of some columns, and how often they occur together.
Counted: TypeAlias = dict[tuple[str, ...], int]


@dataclass(frozen=True, eq=False)
class Tally:
    """A table of counts: row r says that group `group[r]` has `cells[r]`, a code for each of `columns`,
    `n[r]` times; `group_of` is the group of each class. If it does not `hide` anything, to find a person's
    row in it discloses nothing."""

    columns: tuple[str, ...]
    group_of: Integers
    group: Integers
    cells: Integers
    n: Integers
    hides: bool = True


@dataclass(eq=False)
class Codebook:
    """Codes for the texts of every unchanged column, the same in all files."""

    texts: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        return list(self.texts)

    def codes(self, column: str, texts: Sequence[str]) -> Integers:
        known_texts = self.texts.setdefault(column, {})
        return np.array([known_texts.setdefault(text, len(known_texts)) for text in texts], dtype=np.int64)

    def cells(self, columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Integers:
        """Rows of texts as rows of codes."""
        cells = np.empty((len(rows), len(columns)), dtype=np.int64)
        for place, name in enumerate(columns):
            cells[:, place] = self.codes(name, [row[place] for row in rows])
        return cells


@dataclass(frozen=True, eq=False)
class Published:
    """A release: its classes by the labels that they show for `quasi`, the rows of each, and its tallies.
    `recoding` is what the manifest says about it."""

    place: str
    roles: Mapping[str, str]
    recoding: Recoding
    classes: tuple[tuple[str, ...], ...]
    sizes: Integers
    tallies: tuple[Tally, ...]

    def named(self, *roles: str) -> list[str]:
        return [name for name, role in self.roles.items() if role in roles]

    @property
    def quasi(self) -> list[str]:
        return self.named("quasi")

    @property
    def in_buckets(self) -> bool:
        return self.recoding.bucket is not None

    @property
    def rules(self) -> list[str]:
        """The conditions on sensitive values that a class had to meet to stay."""
        keep = [f"{name}{bound}" for name, bound in self.recoding.keep.items() if name != CLASS_SIZE]
        return [*keep, *filter(None, [self.recoding.further])]

    def same_rows(self, other: Published) -> bool:
        """Compare two files row by row, in any order."""
        if self.classes != other.classes or len(self.tallies) != len(other.tallies):
            return False
        pairs = zip(self.tallies, other.tallies, strict=True)
        return all(
            one.columns == two.columns
            and all(
                np.array_equal(getattr(one, part), getattr(two, part))
                for part in ("group_of", "group", "cells", "n")
            )
            for one, two in pairs
        )


def open_published(
    data: Data, manifest: Path | None, schema: Schema, book: Codebook, memory: str | None
) -> Published:
    """Read a release and its manifest, if it has one."""
    place, stated = place_of(data), manifest_of(data, manifest)
    recoding = Recoding() if stated is None else stated.recoding
    bucket, sources = recoding.bucket, _sources(data, recoding.bucket is not None)
    form = {} if stated is None else {"form": stated.form}
    tables = [read_release(part, memory=memory, **form) for part in sources]
    roles = _roles(place, schema, tables, bucket)
    if not any(role == "quasi" for role in roles.values()):
        raise InputError.of(place, "no column is a quasi-identifier", f"give another {Field('schema')}")
    missing = ("", MISSING_LABEL, *schema.null)
    rows = _Rows(tables, roles, missing, book)
    classes, sizes, tallies = rows.buckets(bucket) if bucket else rows.plain()
    return Published(place, roles, recoding, classes, sizes, tallies)


def _sources(data: Data, in_buckets: bool) -> list[Data]:
    """The file itself; of a release in buckets without the mixed table, the two others."""
    if in_buckets and isinstance(data, str | os.PathLike) and not Path(data).exists():
        pair = bucket_files(Path(data))
        if all(part.is_file() for part in pair):
            return list(pair)
    return [data]


def _roles(place: str, schema: Schema, tables: Sequence[Counts], bucket: str | None) -> dict[str, str]:
    """The role of every column of a file."""
    names = list(dict.fromkeys(name for table in tables for name in table.names))
    if stray := [
        n for n in names if n != bucket and (n not in schema.names or not schema.column(n).released)
    ]:
        wrong = f"its columns are not those that the schema releases: {shown(stray)}"
        raise InputError.of(place, wrong, "give its own schema")
    lacking = [column.name for column in schema.with_role("quasi") if column.name not in names]
    if lacking or (bucket is not None and bucket not in names):
        wrong = f"columns are missing: {shown(lacking or [str(bucket)])}"
        raise InputError.of(place, wrong, "give the whole release, with its own schema")
    return {name: BUCKET if name == bucket else schema.column(name).role for name in names}


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of a file, or of the two files of a release in buckets, as texts."""

    tables: Sequence[Counts]
    roles: Mapping[str, str]
    missing: Sequence[str]
    book: Codebook

    def named(self, *roles: str) -> list[str]:
        return [name for name, role in self.roles.items() if role in roles]

    def counted(self, names: Sequence[str]) -> list[tuple[tuple[str, ...], int]]:
        """The distinct rows of some columns in a fixed order, with how often each occurs."""
        table = next(table for table in self.tables if set(names) <= set(table.names))
        texts = [self._texts(table, name) for name in names]
        codes = np.stack([table.column(name).codes for name in names], axis=1)
        rows, entry = np.unique(codes, axis=0, return_inverse=True)
        number = np.bincount(entry.reshape(-1), table.weights, len(rows)).astype(np.int64)
        counts: Counted = {}
        for row, n in zip(rows.tolist(), number.tolist(), strict=True):
            key = tuple(cells[code] for cells, code in zip(texts, row, strict=True))
            counts[key] = counts.get(key, 0) + n
        return sorted(counts.items())

    def _texts(self, table: Counts, name: str) -> list[str]:
        """The text of each code, the last one of a null; what means missing is one text."""
        shown_texts = [*table.column(name).texts, ""]
        if self.roles[name] == "quasi":
            return [text or MISSING_LABEL for text in shown_texts]
        return ["" if text.strip() in self.missing else text for text in shown_texts]

    def plain(self) -> tuple[tuple[tuple[str, ...], ...], Integers, tuple[Tally, ...]]:
        quasi = self.named("quasi")
        unchanged = [name for name in self.roles if name not in quasi]
        rows = self.counted([*quasi, *unchanged])
        classes, group = _numbered([key[: len(quasi)] for key, _ in rows])
        n = np.array([number for _, number in rows], dtype=np.int64)
        cells = self.book.cells(unchanged, [key[len(quasi) :] for key, _ in rows])
        tally = Tally(tuple(unchanged), np.arange(len(classes)), group, cells, n)
        return classes, np.bincount(group, n, len(classes)).astype(np.int64), (tally,)

    def buckets(self, bucket: str) -> tuple[tuple[tuple[str, ...], ...], Integers, tuple[Tally, ...]]:
        """The rows of each bucket that look the same are a class; its sensitive values are a second table."""
        quasi, secret = self.named("quasi"), self.named("sensitive")
        others = [name for name in self.roles if name not in (*quasi, *secret, bucket)]
        rows, values = self.counted([*quasi, bucket, *others]), self.counted([bucket, *secret])
        width = len(quasi) + 1
        keys, group = _numbered([key[:width] for key, _ in rows])
        numbers, of_value = _numbered([key[:1] for key, _ in values])
        place = {key[0]: number for number, key in enumerate(numbers)}
        n = np.array([number for _, number in rows], dtype=np.int64)
        looks = Tally(
            tuple(others),
            np.arange(len(keys)),
            group,
            self.book.cells(others, [key[width:] for key, _ in rows]),
            n,
            hides=bool(others),
        )
        secrets = Tally(
            tuple(secret),
            np.array([place[key[-1]] for key in keys], dtype=np.int64),
            of_value,
            self.book.cells(secret, [key[1:] for key, _ in values]),
            np.array([number for _, number in values], dtype=np.int64),
        )
        sizes = np.bincount(group, n, len(keys)).astype(np.int64)
        return tuple(key[:-1] for key in keys), sizes, (looks, secrets)


def _numbered(keys: Sequence[tuple[str, ...]]) -> tuple[tuple[tuple[str, ...], ...], Integers]:
    """The distinct keys, and the number of each."""
    number: dict[tuple[str, ...], int] = {}
    group = np.array([number.setdefault(key, len(number)) for key in keys], dtype=np.int64)
    return tuple(number), group
