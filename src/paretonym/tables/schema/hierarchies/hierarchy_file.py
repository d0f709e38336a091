"""Hierarchies from a file with one line per value: `value;level1;level2;…`, as ARX writes them too."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from paretonym.base.errors import MOST_VALUES_SHOWN, InputError, Problem
from paretonym.tables.schema.hierarchies.hierarchy_kind import AttachedFile, HierarchyKind, LoadFile
from paretonym.tables.schema.toml_section import Section

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
    rows: dict[str, tuple[str, ...]] = field(repr=False, compare=False)

    @classmethod
    def of(cls, name: str, content: str, secret: bool = False) -> HierarchyFile:
        """The hierarchy in a file's content; all that is wrong with it is raised together, and no value is
        named where `secret`."""
        file = PurePath(name).name
        lines = _without_header(_split(content, file)[0])
        if not lines:
            raise InputError.of(file, "the file is empty", "give one line per value: value;level1;level2")
        problems = _ragged(lines, file) or [*_twice(lines, file, secret), *_not_nested(lines, file, secret)]
        if problems:
            raise InputError(problems[:MOST_VALUES_SHOWN])
        return cls(name, content, {line.fields[0]: line.fields[1:] for line in lines})

    @classmethod
    def read(cls, table: Section, load: LoadFile, secret: bool) -> HierarchyFile | None:
        name = table.read("file", _file_name, "the file's name in quotes")
        return None if name is None else cls.of(name, load(name), secret)

    def to_mapping(self) -> dict[str, Any]:
        return {"file": self.name}

    @property
    def height(self) -> int:
        return len(next(iter(self.rows.values())))

    @property
    def leaves(self) -> tuple[str, ...]:
        return tuple(self.rows)

    @property
    def leaves_are(self) -> str:
        return f"the values in {PurePath(self.name).name}"

    @property
    def lacking(self) -> str:
        return f"without a line in {PurePath(self.name).name}"

    def labels(self, texts: Sequence[str], level: int) -> list[str]:
        return [self.rows[text][level - 1] for text in texts]

    @property
    def attached(self) -> AttachedFile:
        return AttachedFile(self.name, self.content)

    def with_values(self, content: str, values: Sequence[str]) -> str:
        rows = HierarchyFile.of(self.name, content).rows
        lacking = [value for value in values if value not in rows]
        return with_lines(content, lacking) if lacking else content


def _file_name(value: object) -> str | None:
    if isinstance(value, Path):
        return str(value)
    return value if isinstance(value, str) and value else None


def _split(content: str, file: str) -> tuple[list[Line], str]:
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
        raise InputError.of(file, f"it cannot be read ({broken})", "check its quotes")
    return max(readings, key=lambda reading: sum(len(line.fields) > 1 for line in reading[0]))


def _fields(content: str, separator: str) -> list[Line]:
    reader = csv.reader(io.StringIO(content, newline=""), delimiter=separator, strict=True)
    return [Line(reader.line_num, tuple(row)) for row in reader if row and "".join(row).strip()]


def _without_header(lines: list[Line]) -> list[Line]:
    header = ("value", *(f"level{level}" for level in range(1, len(lines[0].fields)))) if lines else ()
    return lines[1:] if lines and len(header) > 1 and lines[0].fields == header else lines


def _ragged(lines: list[Line], file: str) -> list[Problem]:
    usual = len(lines[0].fields)
    return [
        Problem(
            f"{file}, line {line.number}",
            f"it has {len(line.fields)} fields, but line {lines[0].number} has {usual}",
            "give every value the same number of levels",
        )
        for line in lines
        if len(line.fields) != usual
    ]


def _differing(lines: list[Line], column: int, others: slice) -> Iterator[tuple[Line, Line]]:
    """Each line that has other fields than the first one with the same field in a column, and that one."""
    first: dict[str, Line] = {}
    for line in lines:
        before = first.setdefault(line.fields[column], line)
        if before.fields[others] != line.fields[others]:
            yield line, before


def _twice(lines: list[Line], file: str, secret: bool) -> list[Problem]:
    def named(line: Line) -> str:
        return "a value" if secret else f"'{line.fields[0]}'"

    return [
        Problem(
            f"{file}, line {line.number}",
            f"{named(line)} is also in line {before.number}, with other sets",
            "keep one of the two lines",
        )
        for line, before in _differing(lines, 0, slice(None))
    ]


def _not_nested(lines: list[Line], file: str, secret: bool) -> list[Problem]:
    """The problem of each set that is not inside one set of the next level."""
    problems = []
    for level in range(1, len(lines[0].fields) - 1):
        for line, before in _differing(lines, level, slice(level + 1, level + 2)):
            inner, outer = line.fields[level : level + 2]
            wrong = f"'{inner}' is in '{outer}', but in line {before.number} it is in "
            wrong += f"'{before.fields[level + 1]}'"
            if secret:
                wrong = f"its set of level {level} is in a different set of level {level + 1} than in "
                wrong += f"line {before.number}"
            remedy = "put a set into one set of the next level"
            problems.append(Problem(f"{file}, line {line.number}", f"not nested: {wrong}", remedy))
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
