"""Every world that releases of a tiny table leave possible, enumerated the plain way.

A world gives every row of every file to a person who fits its labels, no two rows of a file to one person,
so that whoever has rows in several files has the same values there.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Row: TypeAlias = dict[str, str]
# Of each person the place of their row in a file, and what it shows; None if the file lacks them.
Owned: TypeAlias = tuple[int | None, ...]


def holds(label: str, value: str) -> bool:
    """Whether a label stands for a value; numbers and words, as a person reads them."""
    if label in ("*", value, "any number"):
        return True
    if found := re.fullmatch(r"\[(-?\d+), (-?\d+)\)", label):
        return int(found[1]) <= int(value) < int(found[2])
    if found := re.fullmatch(r"<(-?\d+)", label):
        return int(value) < int(found[1])
    if found := re.fullmatch(r"(-?\d+)\+", label):
        return int(value) >= int(found[1])
    if label.startswith("{"):
        return value in label.strip("{}").split(", ")
    return False


@dataclass(frozen=True)
class Known:
    """What holds in every world, by person: the values of the columns that are always the same, and in how
    many rows of the file that leaves the fewest somebody may be, among files that always have them."""

    certain: list[dict[str, str]]
    rows: list[int | None]


def everything(
    files: Sequence[Path],
    people: Sequence[Row],
    quasi: Sequence[str],
) -> Known:
    """What somebody knows who knows everybody's quasi-identifiers and has all files."""
    tables = [list(csv.DictReader(path.read_text(encoding="utf-8").splitlines())) for path in files]
    kept = [name for name in tables[0][0] if name not in quasi and name != "bucket"]
    ways = [list(_ways(path, table, people, quasi, kept)) for path, table in zip(files, tables, strict=True)]
    worlds = list(_worlds(ways, {}))
    certain, rows = [], []
    for person in range(len(people)):
        had = [world[1].get(person) for world in worlds]
        seen = {own for own in had if own is not None}
        one = {name: {own[j] for own in seen} for j, name in enumerate(kept)}
        always = None not in had
        certain.append({name: next(iter(own)) for name, own in one.items() if always and len(own) == 1})
        rows.append(_fewest(worlds, person))
    return Known(certain, rows)


def _ways(
    path: Path, table: list[Row], people: Sequence[Row], quasi: Sequence[str], kept: Sequence[str]
) -> Iterator[tuple[Owned, tuple[tuple[str, ...] | None, ...]]]:
    """Every way in which people can own the rows of a file, and what each of them then has."""
    recoding = json.loads(path.with_name(f"{path.name}.manifest.json").read_text())["recoding"]
    secret = "s" if "buckets" in recoding else None

    def deal(row: int, owner: dict[int, int]) -> Iterator[dict[int, int]]:
        if row == len(table):
            yield owner
            return
        for person, known in enumerate(people):
            if person not in owner and all(holds(table[row][name], known[name]) for name in quasi):
                yield from deal(row + 1, {**owner, person: row})

    for owner in deal(0, {}):
        rows = tuple(owner.get(person) for person in range(len(people)))
        if secret is None:
            shown = tuple(None if row is None else tuple(table[row][n] for n in kept) for row in rows)
            yield rows, shown
        else:
            yield from _mixed(table, rows, kept, secret)


def _mixed(
    table: list[Row], rows: Owned, kept: Sequence[str], secret: str
) -> Iterator[tuple[Owned, tuple[tuple[str, ...] | None, ...]]]:
    """The sensitive values of each bucket in every order; a row is then the one that the value stands in."""
    buckets: dict[str, list[int]] = {}
    for place, row in enumerate(table):
        buckets.setdefault(row["bucket"], []).append(place)

    def orders(left: list[list[int]]) -> Iterator[dict[int, int]]:
        if not left:
            yield {}
            return
        from itertools import permutations

        for order in permutations(left[0]):
            for rest in orders(left[1:]):
                yield {**dict(zip(left[0], order, strict=True)), **rest}

    for moved in orders(list(buckets.values())):
        shown = tuple(
            None
            if row is None
            else tuple(table[moved[row] if name == secret else row][name] for name in kept)
            for row in rows
        )
        yield tuple(None if row is None else moved[row] for row in rows), shown


def _worlds(
    ways: Sequence[list[tuple[Owned, tuple[tuple[str, ...] | None, ...]]]],
    values: dict[int, tuple[str, ...]],
) -> Iterator[tuple[tuple[Owned, ...], dict[int, tuple[str, ...]]]]:
    """Worlds in which everybody has the same values in all files."""
    if not ways:
        yield (), values
        return
    for rows, shown in ways[0]:
        if all(own is None or values.get(person, own) == own for person, own in enumerate(shown)):
            more = {person: own for person, own in enumerate(shown) if own is not None}
            for owned, world in _worlds(ways[1:], {**values, **more}):
                yield (rows, *owned), world


def _fewest(
    worlds: Sequence[tuple[tuple[Owned, ...], dict[int, tuple[str, ...]]]], person: int
) -> int | None:
    """In how many rows somebody may be, of the file with the fewest that always has them."""
    found = []
    for place in range(len(worlds[0][0])):
        rows = {owned[place][person] for owned, _ in worlds}
        if None not in rows:
            found.append(len(rows))
    return min(found, default=None)
