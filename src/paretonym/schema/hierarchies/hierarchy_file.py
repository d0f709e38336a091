"""Hierarchies from a file with one line per value: `value;level1;level2;…`, as ARX writes them too."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, Self

from paretonym.errors import MOST_VALUES_SHOWN, InputError, Place, Problem, inside
from paretonym.schema.hierarchies.hierarchy_draft import Draft, Values
from paretonym.schema.hierarchies.hierarchy_kind import (
    AttachedFile,
    HierarchyColumn,
    HierarchyKind,
    LoadFile,
)
from paretonym.schema.hierarchies.listed_levels import listed_draft
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

    def draft(self, column: HierarchyColumn, values: Values) -> Draft:
        """The levels that the file lists."""
        rows = [
            (line.fields[0], [(None, label) for label in line.fields[1:]])
            for line in _read_lines(self, values)
        ]
        name = PurePath(self.name).name
        return listed_draft(rows, column.order, values, f"the values in {name}", f"without a line in {name}")

    def as_tree(self, values: Values) -> list[Any]:
        """The same sets as a schema's tree lists them. The top is left out where it is one set, and a value
        that is alone at every level up to a set lies directly in that. Of sets that lie in one another and
        have one label, only the outer is there: a tree has no two of them."""
        lines = _read_lines(self, values)
        height = len(lines[0].fields) - 1
        top = len({line.fields[height] for line in lines}) == 1
        return _sets(lines, height - 1 if top else height)

    def words(self, level: int) -> str | None:
        return f"at level {level} of its hierarchy"

    @property
    def attached(self) -> AttachedFile:
        return AttachedFile(self.name, self.content)

    def listed(self, values: Values) -> frozenset[str]:
        return frozenset(line.fields[0] for line in _read_lines(self, values))

    def extended(self, leaves: Sequence[str], values: Values) -> HierarchyFile:
        return replace(self, content=_longer(self.content, _read_lines(self, values), leaves))


def _sets(lines: list[Line], level: int) -> list[Any]:
    """The sets of a level that these lines are in, each with what is in it."""
    if level == 0:
        return [line.fields[0] for line in lines]
    members: dict[str, list[Line]] = {}
    for line in lines:
        members.setdefault(line.fields[level], []).append(line)
    sets: list[Any] = []
    for label, inside_set in members.items():
        if len(inside_set) == 1 and set(inside_set[0].fields[: level + 1]) == {label}:
            sets.append(label)
            continue
        sets.append(
            {label: [member for child in _sets(inside_set, level - 1) for member in _without(child, label)]}
        )
    return sets


def _without(child: Any, label: str) -> list[Any]:
    """What is in a set that has the label of the set around it; any other child as it is."""
    inner: list[Any] = child[label] if isinstance(child, dict) and label in child else [child]
    return inner


def _file_name(value: object) -> str | None:
    if isinstance(value, Path):
        return str(value)
    return value if isinstance(value, str) and value else None


def _read_lines(kind: HierarchyFile, values: Values) -> list[Line]:
    """The lines of the file, each value once; all that is wrong with the file is raised together."""
    place = inside(values.place, PurePath(kind.name).name)
    lines = _without_header(_split(kind.content, place))
    if not lines:
        raise InputError.of(place, "the file is empty", "give one line per value: value;level1;level2")
    problems = [*_ragged(lines, place)] or [*_twice(lines, place, values), *_not_nested(lines, place, values)]
    if problems:
        raise InputError(problems[:MOST_VALUES_SHOWN])
    first: dict[str, Line] = {}
    for line in lines:
        first.setdefault(line.fields[0], line)
    return list(first.values())


def _separator_in(content: str) -> str:
    """The separator of a file that could be read."""
    for separator in SEPARATORS:
        try:
            widths = {len(line.fields) for line in _fields(content, separator)}
        except csv.Error:
            continue
        if len(widths) == 1 and widths != {1}:
            return separator
    return SEPARATORS[0]


def _split(content: str, place: Place) -> list[Line]:
    """The file's fields, by the first separator that gives every line the same number of at least two."""
    readings, broken = [], ""
    for separator in SEPARATORS:
        try:
            lines = _fields(content, separator)
        except csv.Error as error:
            broken = str(error)
            continue
        if len({len(line.fields) for line in lines}) == 1 and len(lines[0].fields) > 1:
            return lines
        readings.append(lines)
    if broken:
        raise InputError.of(place, f"it cannot be read ({broken})", "check its quotes")
    return max(readings, key=lambda lines: sum(len(line.fields) > 1 for line in lines))


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
            problems.append(
                Problem(
                    inside(place, f"line {line.number}"),
                    wrong,
                    "keep one of the two lines",
                )
            )
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
                problems.append(_parted(line, other, level, place, values))
    return problems


def _parted(line: Line, other: Line, level: int, place: Place, values: Values) -> Problem:
    if values.secret:
        wrong = (
            f"not nested: its set of level {level} is in a different set of level {level + 1} than in "
            f"line {other.number}"
        )
    else:
        wrong = (
            f"not nested: '{line.fields[level]}' is in '{line.fields[level + 1]}', but in line "
            f"{other.number} it is in '{other.fields[level + 1]}'"
        )
    return Problem(
        inside(place, f"line {line.number}"),
        wrong,
        "put a set into one set of the next level",
    )


def _longer(content: str, lines: list[Line], values: Sequence[str]) -> str:
    """The file with a line for each value, in which it is a set of its own at every level except a top of one
    set."""
    tops = {line.fields[-1] for line in lines}
    labels = {label for line in lines for label in line.fields[1:]}
    width = len(lines[0].fields)
    end = "\r\n" if "\r\n" in content else "\n"
    added = io.StringIO()
    writer = csv.writer(added, delimiter=_separator_in(content), lineterminator=end)
    for value in values:
        alone = f"{value} (new)" if value in labels else value
        row = [value, *[alone] * (width - 1)]
        writer.writerow([*row[:-1], *tops] if len(tops) == 1 else row)
    return content + ("" if content.endswith("\n") else end) + added.getvalue()
