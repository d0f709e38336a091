"""The exam of a kind of hierarchy: does it read back as it was written, do its levels nest over any values,
has every level words, and do its errors name the setting?

A case of a kind in `HIERARCHY_KINDS` is what the schema says, and some values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import numpy as np

from paretonym.base.errors import InputError
from paretonym.research.exams.candidates import require
from paretonym.tables.schema import ColumnSpec, schema_from
from paretonym.tables.schema.hierarchies import (
    HIERARCHY_KINDS,
    Built,
    LabelLevels,
    Values,
    build,
    cutting_of,
    level_table,
    level_words,
)

NAME = "column"


@dataclass(frozen=True, slots=True)
class HierarchyCase:
    """A column's `hierarchy` table, and `values` that have a place in it. `refused` are tables that the kind
    must not accept, `files` the contents of what is named, `further` other keys of the column."""

    hierarchy: Mapping[str, Any]
    values: tuple[str, ...]
    refused: tuple[Mapping[str, Any], ...]
    files: Mapping[str, str] = field(default_factory=dict)
    further: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """The key of the kind that the case is about."""
        return next(key for key in self.hierarchy if key in HIERARCHY_KINDS)

    @property
    def column(self) -> ColumnSpec:
        return self.read(self.hierarchy)

    def read(self, hierarchy: Mapping[str, Any]) -> ColumnSpec:
        """The column with this hierarchy, beside the case's files."""
        entry = {"role": "quasi", **self.further, "hierarchy": hierarchy}
        with TemporaryDirectory() as folder:
            for name, content in self.files.items():
                (Path(folder) / name).write_text(content, encoding="utf-8")
            return schema_from({"columns": {NAME: entry}}, Path(folder)).column(NAME)

    def built(self, values: Sequence[str], missing: bool = False) -> Built:
        return build(self.column, Values(NAME, tuple(values)), missing)


Check: TypeAlias = Callable[[HierarchyCase], None]


def sit_hierarchy_exam(case: HierarchyCase) -> None:
    """Every check; raises `ExamFailed` at the first that does not hold."""
    for check in HIERARCHY_CHECKS.values():
        check(case)


def check_round_trip(case: HierarchyCase) -> None:
    """What is read is a value, and its mapping reads back as an equal one."""
    first, second = case.column.kind, case.column.kind
    require(first == second and hash(first) == hash(second), f"'{case.key}' is not compared by content")
    written = {"ready": first.ready} if first.ready else first.to_mapping()
    require(case.key in written, f"the mapping {written} lacks the key '{case.key}'")
    require(case.read(written).kind == first, f"{written} does not read back as {first}")
    file = first.attached
    require(file is None or written[case.key] == file.name, f"'{case.key}' does not name its file")


def check_levels(case: HierarchyCase) -> None:
    """Levels nest and end in one set (`build` checks that), whatever the order of the values; every value has
    a place."""
    expected = case.built(case.values)
    require(bool((expected.codes >= 0).all()), f"a value has no place in '{case.key}'")
    for seed in range(3):
        shuffled = Random(seed).sample(case.values, len(case.values))
        hierarchy = case.built(shuffled).hierarchy
        same = [level.labels for level in hierarchy.levels] == [
            level.labels for level in expected.hierarchy.levels
        ]
        require(same, f"the levels of '{case.key}' depend on the order of the values")
    missing = case.built(case.values, missing=True).hierarchy
    require(missing.domain == expected.hierarchy.domain + 1, f"'{case.key}' has no place for missing")


def check_words(case: HierarchyCase) -> None:
    """Every level below the top has words of its own, and the top is not shown."""
    column, hierarchy = case.column, case.built(case.values).hierarchy
    for level in range(1, hierarchy.height):
        require(bool(column.kind.words(level)), f"level {level} of '{case.key}' has no words")
    words = [
        str(level_words(column, number, hierarchy, level.labels))
        for number, level in enumerate(hierarchy.levels)
    ]
    require(len(set(words)) == len(words), f"two levels of '{case.key}' have the same words: {words}")


def check_errors(case: HierarchyCase) -> None:
    """A table that is wrong is refused, and every problem names the column and the setting."""
    require(bool(case.refused), f"no wrong table of '{case.key}' is tried")
    for wrong in case.refused:
        try:
            case.read(wrong)
        except InputError as error:
            for problem in error.problems:
                named = f"column '{NAME}', hierarchy" in str(problem) and case.key in str(problem)
                require(named, f"a problem does not name the setting: {problem}")
        else:
            require(False, f"{dict(wrong)} is accepted")


def check_order(case: HierarchyCase) -> None:
    """Where leaves are numbers or dates they lie on a line, rising, with boundaries between them."""
    built = case.built(case.values)
    cutting = cutting_of(case.column, Values(NAME, case.values), built)
    line = cutting.line
    on_line = cutting.order in ("numbers", "dates")
    require((line is not None) == on_line, f"'{case.key}' has no line, or one without an order")
    if line is None:
        return
    require(len(line) == len(built.hierarchy.leaves), f"the line of '{case.key}' lacks a leaf")
    for low, high in pairwise(line.points):
        edge = line.edge(low, high)
        require(low < high, f"the points of '{case.key}' do not rise")
        require(edge is None or low < edge <= high, f"an edge of '{case.key}' is not between its leaves")
    for number, level in enumerate(built.hierarchy.levels[1:-1], 1):
        for place in (np.flatnonzero(np.diff(level.groups)) + 1).tolist():
            if place < len(line):
                between = line.edge(line.points[place - 1], line.points[place], number)
                require(between is not None, f"'{case.key}' has no edge where its sets end")


def check_listed(case: HierarchyCase) -> None:
    """A kind that lists its leaves needs no data; another one does."""
    nobody = Values(NAME, ())
    table = level_table(case.column, nobody)
    try:
        build(case.column, nobody)
    except InputError:
        require(not table.listed, f"'{case.key}' lists leaves, but needs data")
    else:
        require(table.listed, f"'{case.key}' needs no data, but lists nothing")
    if table.listed:
        lacking = set(case.values) - set(table.leaves)
        require(not lacking, f"'{case.key}' does not list a value that has a place")


def check_labels(case: HierarchyCase) -> None:
    """The schema alone says of every label at which levels it is shown, and of no other text."""
    levels, judge = case.built(case.values).hierarchy.levels, LabelLevels(case.column)
    labels = {label for level in levels for label in level.labels}
    found = judge.of([*labels, "no such label"])
    for number, level in enumerate(levels):
        lacking = [label for label in level.labels if number not in found[label]]
        require(not lacking, f"level {number} of '{case.key}' is not seen to show {lacking}")
    above = {level for level in found["no such label"] if level}
    require(not above or not case.column.kind.height, f"'{case.key}' is seen to show what it does not")


HIERARCHY_CHECKS: Mapping[str, Check] = {
    "round trip": check_round_trip,
    "levels": check_levels,
    "words": check_words,
    "errors": check_errors,
    "order": check_order,
    "listed": check_listed,
    "labels": check_labels,
}
