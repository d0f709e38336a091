"""Hierarchies from a file with one line per value: `value;level1;level2;…`, as ARX writes them too."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, Self

from paretonym.errors import MOST_VALUES_SHOWN, InputError, Place, Problem, inside
from paretonym.schema.hierarchies.hierarchy_kind import (
    AttachedFile,
    HierarchyColumn,
    HierarchyKind,
    LoadFile,
)
from paretonym.schema.hierarchies.level_table import LevelTable, Values
from paretonym.schema.hierarchies.listed_levels import listed_table
from paretonym.schema.toml_section import Section

SEPARATORS = (";", ",")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the file: its number, and the value with its labels."""

    number: int
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HierarchyFile(HierarchyKind):
    """A file with one line per value. Two are equal if their contents are, wherever the files are."""

    key = "file"
    takes_order = True
    set_noun = "group"

    name: str = field(compare=False)
    content: str = field(repr=False)

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> Self | None:
        name = table.read("file", _file_name, "the file's name in quotes")
        return None if name is None else cls(name, load(name))

    def to_mapping(self) -> dict[str, Any]:
        return {"file": self.name}

    def levels(self, column: HierarchyColumn, values: Values) -> LevelTable:
        """The levels that the file lists."""
        rows = [
            (line.fields[0], [(None, label) for label in line.fields[1:]])
            for line in _read_lines(self, values)
        ]
        name = PurePath(self.name).name
        return listed_table(rows, column.order, values, f"the values in {name}", f"without a line in {name}")

    def words(self, level: int) -> str | None:
        return f"at level {level} of its hierarchy"

    @property
    def attached(self) -> AttachedFile:
        return AttachedFile(self.name, self.content)


def _file_name(value: object) -> str | None:
    if isinstance(value, Path):
        return str(value)
    return value if isinstance(value, str) and value else None


def _read_lines(kind: HierarchyFile, values: Values) -> list[Line]:
    """The lines of the file, each value once; all that is wrong with the file is raised together."""
    place = inside(values.place, PurePath(kind.name).name)
    lines = _without_header(_split(kind.content, place)[0])
    if not lines:
        raise InputError.of(place, "the file is empty", "give one line per value: value;level1;level2")
    problems = [*_ragged(lines, place)] or [*_twice(lines, place, values), *_not_nested(lines, place, values)]
    if problems:
        raise InputError(problems[:MOST_VALUES_SHOWN])
    first: dict[str, Line] = {}
    for line in lines:
        first.setdefault(line.fields[0], line)
    return list(first.values())


def _split(content: str, place: Place) -> tuple[list[Line], str]:
    """The file's lines and its separator: the first that gives every line the same number of at least two
    fields, otherwise the one that divides most lines."""
    readings, broken = [], ""
    for separator in SEPARATORS:
        try:
            lines = _fields(content, separator)
        except csv.Error as error:
            broken = str(error)
            continue
        if len({len(line.fields) for line in lines}) == 1 and len(lines[0].fields) > 1:
            return lines, separator
        readings.append((lines, separator))
    if broken:
        raise InputError.of(place, f"it cannot be read ({broken})", "check its quotes")
    return max(readings, key=lambda reading: sum(len(line.fields) > 1 for line in reading[0]))


def _fields(content: str, separator: str) -> list[Line]:
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=separator, strict=True)
    return [Line(reader.line_num, tuple(row)) for row in reader if row and "".join(row).strip()]


def _without_header(lines: list[Line]) -> list[Line]:
    header = ("value", *(f"level{level}" for level in range(1, len(lines[0].fields)))) if lines else ()
    return lines[1:] if lines and len(header) > 1 and lines[0].fields == header else lines


def _ragged(lines: list[Line], place: Place) -> list[Problem]:
    usual = len(lines[0].fields)
    return [
        Problem(
            inside(place, f"line {line.number}"),
            f"it has {len(line.fields)} fields, but line {lines[0].number} has {usual}",
            "give every value the same number of levels",
        )
        for line in lines
        if len(line.fields) != usual
    ]


def _twice(lines: list[Line], place: Place, values: Values) -> list[Problem]:
    first: dict[str, Line] = {}
    problems = []
    for line in lines:
        other = first.setdefault(line.fields[0], line)
        if other.fields != line.fields:
            wrong = f"{values.named(line.fields[0])} is also in line {other.number}, with other sets"
            problems.append(Problem(inside(place, f"line {line.number}"), wrong, "keep one of the two lines"))
    return problems


def _not_nested(lines: list[Line], place: Place, values: Values) -> list[Problem]:
    """The error for a set that is not inside one set of the next level."""
    problems = []
    for level in range(1, len(lines[0].fields) - 1):
        first: dict[str, Line] = {}
        for line in lines:
            inner, outer = line.fields[level : level + 2]
            other = first.setdefault(inner, line)
            if other.fields[level + 1] != outer:
                wrong = f"'{inner}' is in '{outer}', but in line {other.number} it is in "
                wrong += f"'{other.fields[level + 1]}'"
                if values.secret:
                    wrong = f"its set of level {level} is in a different set of level {level + 1} than in "
                    wrong += f"line {other.number}"
                remedy = "put a set into one set of the next level"
                problems.append(Problem(inside(place, f"line {line.number}"), f"not nested: {wrong}", remedy))
    return problems


def with_lines(content: str, values: Sequence[str]) -> str:
    """A file that could be read with a line for each of these values, in which it is a set of its own at
    every level except a top of one set."""
    split, separator = _split(content, "the file")
    lines = _without_header(split)
    tops = {line.fields[-1] for line in lines}
    labels = {label for line in lines for label in line.fields[1:]}
    width = len(lines[0].fields)
    end = "\r\n" if "\r\n" in content else "\n"
    added = io.StringIO()
    writer = csv.writer(added, delimiter=separator, lineterminator=end)
    for value in values:
        alone = f"{value} (new)" if value in labels else value
        row = [value, *[alone] * (width - 1)]
        writer.writerow([*row[:-1], *tops] if len(tops) == 1 else row)
    return content + ("" if content.endswith("\n") else end) + added.getvalue()
