"""A sketch of a table: enough to recognize most of its rows in another one, too little to confirm a record.

It is 512 bits, one of each of 512 keyed min-hashes of the rows (Li and König 2010, "b-bit minwise hashing"),
over persons or identifiers, quasi-identifiers, with and without sensitive values, and the number of rows.
Two tables with the share J of their rows in common agree in (1 + J)/2 of these bits. Equal rows are told
apart by counting them. Without the key of the state folder the bits say nothing.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Floats, Integers
from paretonym.tables.schema import Schema
from paretonym.tables.source import Counts, row_marks

Marks: TypeAlias = npt.NDArray[np.uint64]

BITS = 512
# Of more rows, those with the smallest marks are compared; equal rows count up to so many times.
MOST_ROWS, MOST_ALIKE = 1 << 15, 64
# Tables that have nothing in common agree in half of the bits, and in so much more with a probability of
# 1 : 30,000.
LEAST_SIMILARITY = 4 / math.sqrt(BITS)
# A table is recognized by half of its rows, where independent tables would not nearly have that in common.
RECOGNIZED, BY_CHANCE = 0.5, 0.35
MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


@dataclass(frozen=True)
class Sketch:
    """The bits of a table of `rows` rows; `chance` is the share of them that an independent table of the same
    kind would have in common with it."""

    rows: int
    bits: str
    chance: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """The sketch as the release log keeps it."""
        return {"rows": self.rows, "bits": self.bits}

    def overlap(self, other: Sketch) -> float:
        """The share of the smaller table's rows that both have; 0 if that cannot be told from nothing."""
        differing = (int(self.bits, 16) ^ int(other.bits, 16)).bit_count()
        similarity = 1 - 2 * differing / BITS
        if similarity < LEAST_SIMILARITY:
            return 0.0
        shared = similarity * (self.rows + other.rows) / (1 + similarity)
        return min(1.0, shared / max(1, min(self.rows, other.rows)))


def table_sketches(table: Counts, schema: Schema, key: bytes) -> dict[str, Sketch]:
    """The sketches of a table, by a mark of what they are over: its columns with identifiers, if there are
    any, and without; all rows, or of a large table a part of them. What is over the same can be compared."""
    sketches = {}
    for roles in _column_sets(table, schema):
        rows = _rows(row_marks(table, key, roles), table.weights)
        described = json.dumps(sorted(roles.values())).encode()
        columns = hashlib.blake2b(described, key=key, digest_size=8).hexdigest()
        for halved in _parts(len(rows.marks)):
            bits = _bits(rows.marks, halved, key)
            sketches[f"{columns}-{halved}"] = Sketch(len(rows.marks), bits, rows.chance)
    return sketches


def _parts(rows: int) -> list[int]:
    """Numbers of halvings of the rows: a large table has a sketch in common with one of twice its size.

    >>> _parts(400), _parts(30_000), _parts(40_000)
    ([0], [0, 1], [1, 2])
    """
    halved = max(0, math.ceil(math.log2(max(1, rows) / MOST_ROWS)))
    return [halved, halved + 1] if rows > MOST_ROWS // 2 else [halved]


def _column_sets(table: Counts, schema: Schema) -> Iterator[dict[str, str]]:
    """The columns that rows are recognized by, with their roles: a column may get another name, and the same
    people another sensitive column. Identifiers are not known of a table that was counted."""
    columns = [column for column in schema.columns if column.name in table.counted]
    identifiers = {column.name: column.role for column in columns if column.role == "identifier"}
    people = {column.name: column.role for column in columns if column.role in ("person", "quasi")}
    secrets = {column.name: column.role for column in columns if column.role == "sensitive"}
    for roles in ({**people, **secrets}, people) if secrets else (people,):
        yield dict(roles)
        if identifiers:
            yield {**identifiers, **roles}


@dataclass(frozen=True, eq=False)
class _Marked:
    marks: Marks
    chance: float


def _rows(marks: Marks, weights: Integers | None) -> _Marked:
    """A mark for each row, so that equal rows have different ones: the first, the second, …"""
    distinct, place = np.unique(marks, return_inverse=True)
    counts = np.bincount(place.reshape(-1), weights, len(distinct)).astype(np.int64)
    counts = np.minimum(counts, MOST_ALIKE)
    number = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return _Marked(mixed(np.repeat(distinct, counts) + number.astype(np.uint64)), expected_overlap(counts))


def mixed(marks: Marks) -> Marks:
    """Marks that are as good as random: the finalizer of SplitMix64."""
    marks = (marks ^ (marks >> np.uint64(30))) * MIX[0]
    marks = (marks ^ (marks >> np.uint64(27))) * MIX[1]
    return marks ^ (marks >> np.uint64(31))


def _bits(marks: Marks, halved: int, key: bytes) -> str:
    """The last bit of the smallest mark, by each of the keyed functions, of the rows with small marks."""
    marks = marks[marks >> np.uint64(64 - halved) == 0] if halved else marks
    if not len(marks):
        return "0" * (BITS // 4)
    salts = hashlib.shake_256(key + b"paretonym.sketch").digest(8 * BITS)
    bits = 0
    for salt in np.frombuffer(salts, dtype="<u8").astype(np.uint64):
        bits = bits << 1 | int(mixed(marks ^ salt).min()) & 1
    return f"{bits:0{BITS // 4}x}"


def expected_overlap(counts: Integers) -> float:
    """The share of rows that an independent table of the same size would have in common, given how often each
    distinct row occurs: two halves of the table have one share in common, two quarters another, and from
    these the share of two whole ones is extrapolated.

    >>> expected_overlap(np.ones(1000, dtype=np.int64)), expected_overlap(np.array([64] * 10)) > 0.8
    (0.0, True)
    """
    halves, quarters = _common()
    number = max(int(counts.sum()), 1)
    half, quarter = 2 * halves[counts].sum() / number, 4 * quarters[counts].sum() / number
    return float(min(1.0, max(half, 2 * half - quarter)))


@cache
def _common() -> tuple[Floats, Floats]:
    """For each number of equal rows, how many two random halves, or quarters, have in common on average."""
    halves = np.array(
        [sum(math.comb(n, a) * min(a, n - a) for a in range(n + 1)) / 2**n for n in range(MOST_ALIKE + 1)]
    )
    quarters = np.array(
        [sum(math.comb(n, m) * halves[m] for m in range(n + 1)) / 2**n for n in range(MOST_ALIKE + 1)]
    )
    return halves, quarters


@dataclass(frozen=True)
class Recognition:
    """Recognition of a table: most rows were in another, `recognized`, or it `cannot_tell`, since independent
    tables of so few different rows would have half of them in common, too."""

    recognized: bool = False
    cannot_tell: bool = False


def recognize(sketches: Mapping[str, Sketch], before: Mapping[str, Any]) -> Recognition:
    """Compare a table with what the log keeps of another one, over each set of columns that both have."""
    clear = unclear = told_apart = False
    for mark, sketch in sketches.items():
        if mark not in before:
            continue
        alike = sketch.overlap(Sketch(**before[mark])) >= RECOGNIZED
        by_chance = sketch.chance >= BY_CHANCE
        clear |= alike and not by_chance
        unclear |= alike and by_chance
        told_apart |= not alike and not by_chance
    return Recognition(clear, unclear and not clear and not told_apart)
