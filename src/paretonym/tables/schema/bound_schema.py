"""A schema bound to data: what the cube needs to know about each column, as maps over its distinct values,
and how a column is bound.

All `codes` here map the code of a distinct value of the source's column (its place in `Column.texts`) to
a leaf, a sensitive value or a class label; -1 means missing, or that the value occurs only in rows that are
dropped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import compress
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from paretonym.base.arrays import Codes, Floats, Integers, Mask
from paretonym.base.errors import Bug, InputError, Place
from paretonym.base.factorize import group_sums
from paretonym.tables.schema.hierarchies.hierarchy import Hierarchy, Level, check_hierarchy
from paretonym.tables.schema.hierarchies.hierarchy_builder import (
    MISSING_LABEL,
    Built,
    Cutting,
    build,
    cutting_of,
)
from paretonym.tables.schema.hierarchies.level_table import Values
from paretonym.tables.schema.hierarchies.number_line import parse_number
from paretonym.tables.schema.model import ColumnSpec
from paretonym.tables.source import Column, ColumnType, Omission


@dataclass(frozen=True, eq=False, kw_only=True)
class BoundColumn:
    """A column in codes. `null_code` is the code of a null if missing is a value of its own, otherwise -1."""

    name: str
    codes: Codes
    null_code: int = -1

    @cached_property
    def lookup(self) -> Codes:
        """The code of each distinct value and, last, of a null: its code, -1, finds the last entry."""
        return np.append(self.codes, np.int32(self.null_code)).astype(np.int32)

    def over(self, places: Codes) -> Self:
        """The column over other distinct values, each given by its place among these."""
        return replace(self, codes=self.codes[places])

    def rows_of_codes(self, counted: Column, size: int) -> Integers:
        """Number of rows with each of the codes below `size`."""
        codes, rows = self.lookup, np.append(counted.counts, counted.nulls)
        placed = codes >= 0
        return group_sums(codes[placed], rows[placed], size)


@dataclass(frozen=True, eq=False, kw_only=True)
class QuasiColumn(BoundColumn):
    """A quasi-identifier with its hierarchy, the levels that a search may use and its weight in `loss`. Codes
    are leaves."""

    hierarchy: Hierarchy
    lowest: int
    highest: int
    importance: Fraction
    cutting: Cutting = field(default_factory=Cutting)

    def groups(self, level: int) -> Codes:
        """The set of a level as which each distinct value and, last, a null is shown."""
        # A value that occurs only in dropped rows has no leaf.
        return np.append(self.hierarchy.levels[level].groups, np.int32(-1))[self.lookup].astype(np.int32)


@dataclass(frozen=True, eq=False)
class PublishedLevel:
    """The level at which a column is published that is no quasi-identifier, if it is generalized. `codes`
    gives the label of each distinct value (-1: missing), `measured` the measured value of each label. `loss`
    is the share of its detail that the column loses, over the rows that have a value: the mean of
    (values of the set − 1) / (values of the column − 1). It is no part of any measure of loss."""

    labels: tuple[str, ...]
    codes: Codes
    measured: Codes
    loss: float

    def over(self, places: Codes) -> PublishedLevel:
        """The level over other distinct values, each given by its place among these."""
        return replace(self, codes=self.codes[places])


@dataclass(frozen=True, eq=False, kw_only=True)
class SensitiveColumn(BoundColumn):
    """A sensitive column at the level at which it is measured; `ordered` if its values have an order,
    `tree` if it has a hierarchy above that level (its leaves are `values`, in the same order)."""

    values: tuple[str, ...]
    ordered: bool
    tree: Hierarchy | None
    published: PublishedLevel | None = None

    def over(self, places: Codes) -> Self:
        return replace(
            self, codes=self.codes[places], published=self.published and self.published.over(places)
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class KeptColumn(BoundColumn):
    """A column of role `other` that is published at a level of its hierarchy. Codes are its labels."""

    published: PublishedLevel

    def over(self, places: Codes) -> Self:
        return replace(self, codes=self.codes[places], published=self.published.over(places))


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassColumn(BoundColumn):
    """A column whose label a recipient wants to predict (role `class`); a null is a label of its own."""

    values: tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class PersonColumn(BoundColumn):
    """The column that says whose a row is. Codes are numbers of persons, of whom there are `number`; their
    pseudonyms are not kept."""

    number: int


@dataclass(frozen=True, eq=False, kw_only=True)
class HouseholdColumn(BoundColumn):
    """The column that says which rows belong to one household. Codes are numbers of households, of which
    there are `number`."""

    number: int


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightColumn(BoundColumn):
    """The column that says how many people of the population a row stands for. Codes are places in `values`,
    the different weights in ascending order. `labels` are these as they are published, if that is rounded:
    then every measure uses the rounded weights too."""

    values: Floats
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class RequiredSizeColumn(ClassColumn):
    """The column that says in how large a class everybody wants to be. Codes are places in `values`, the
    different sizes in ascending order; who states none has the schema's default."""


@dataclass(frozen=True, eq=False)
class BoundSchema:
    """Everything the schema says about these data. `omitted` rows are dropped because a required value is
    missing; `rows` are left. `coarse`: below the lowest levels nothing is known of a row. `person` says whose
    a row is, `household` with which others it belongs together, `weight` how many people it stands for, if a
    column does; `sizes_required` in how large a class its person wants to be: one column at most."""

    quasi: tuple[QuasiColumn, ...]
    sensitive: tuple[SensitiveColumn, ...]
    classes: tuple[ClassColumn, ...]
    omitted: Omission
    rows: int
    person: PersonColumn | None = None
    weight: WeightColumn | None = None
    household: HouseholdColumn | None = None
    kept: tuple[KeptColumn, ...] = ()
    sizes_required: tuple[RequiredSizeColumn, ...] = ()

    @classmethod
    def of(cls, columns: Iterable[BoundColumn], omitted: Omission, rows: int) -> Self:
        """The bound columns, by what they are."""
        kinds: dict[type[BoundColumn], list[Any]] = defaultdict(list)
        for column in columns:
            kinds[type(column)].append(column)
        person, weight, household = (
            next(iter(kinds[kind]), None) for kind in (PersonColumn, WeightColumn, HouseholdColumn)
        )
        several = (QuasiColumn, SensitiveColumn, ClassColumn, KeptColumn, RequiredSizeColumn)
        quasi, sensitive, classes, kept, required = (tuple(kinds[kind]) for kind in several)
        return cls(quasi, sensitive, classes, omitted, rows, person, weight, household, kept, required)

    @property
    def published_levels(self) -> dict[str, PublishedLevel]:
        """The columns that are no quasi-identifiers and are not published unchanged."""
        columns: tuple[SensitiveColumn | KeptColumn, ...] = (*self.sensitive, *self.kept)
        return {column.name: column.published for column in columns if column.published is not None}


@dataclass(frozen=True, eq=False)
class ColumnMatch:
    """A column of the schema together with the same column of the table.

    `rows` rows are kept. `absent` marks the distinct values that mean missing, `present` the others that
    occur in a kept row, each in `present_rows` of them; `missing_rows` kept rows have no value. `people` says
    whether everybody has one row, `persons` how many there are if a column says whose a row is, `null` the
    texts that mean missing.
    """

    place: Place
    column: ColumnSpec
    cells: Column
    rows: int
    absent: Mask
    present: Mask
    present_rows: Integers
    missing_rows: int
    people: bool
    null: tuple[str, ...]
    persons: int = 0

    @property
    def holders(self) -> int:
        """Number of possible holders of a value: persons, if a column says whose a row is, otherwise rows."""
        return self.persons or self.rows

    @cached_property
    def values(self) -> Values:
        """The distinct values to build over."""
        return Values(
            place=self.place,
            texts=tuple(compress(self.cells.texts, self.present.tolist())),
            type=self.cells.type,
            secret=self.column.secret,
            unknown_to_top=self.column.unknown_to_top,
            null=self.null,
        )

    @property
    def missing(self) -> bool:
        """True if a kept row has no value."""
        return self.missing_rows > 0

    @property
    def type(self) -> ColumnType:
        """The type that the schema gives, otherwise that of the table."""
        return self.column.type or self.cells.type

    def spread(self, codes: Codes, missing: int) -> Codes:
        """Codes of the present values as codes of all distinct values."""
        spread = np.full(len(self.cells.texts), -1, dtype=np.int32)
        spread[self.present] = codes
        spread[self.absent] = missing
        return spread


def bind_quasi(match: ColumnMatch) -> QuasiColumn:
    built = build(match.column, match.values, match.missing)
    if match.column.granularity is not None and built.order != "numbers":
        wrong = "granularity is given, but the values are not numbers"
        remedy = 'omit it, or set type = "integer" or "decimal"'
        raise InputError.of(match.place, wrong, remedy, "granularity")
    lowest, highest = _bounds(match, built.hierarchy.height)
    return QuasiColumn(
        name=match.column.name,
        hierarchy=built.hierarchy,
        codes=match.spread(built.codes, built.missing),
        lowest=lowest,
        highest=highest,
        importance=match.column.importance,
        null_code=built.missing,
        cutting=cutting_of(match.column, match.values, built),
    )


def bind_sensitive(match: ColumnMatch) -> SensitiveColumn:
    """The column at the level at which it is measured."""
    built = build(match.column, match.values, match.missing)
    level = match.column.measured_level
    _check_below_top(match, built, level, "level")
    measured = built.hierarchy.levels[level]
    leaf_codes = match.spread(built.codes, built.missing)
    return SensitiveColumn(
        name=match.column.name,
        values=measured.labels,
        codes=np.append(measured.groups, np.int32(-1))[leaf_codes].astype(np.int32),
        ordered=match.column.order is not None or match.type == "date" or built.order != "tree",
        tree=_above(match, built, level),
        null_code=int(measured.groups[built.missing]) if built.missing >= 0 else -1,
        published=_published(match, built, leaf_codes, measured),
    )


def bind_kept(match: ColumnMatch) -> KeptColumn:
    """A column of role other at the level at which it is published."""
    built = build(match.column, match.values, match.missing)
    number = match.column.published_level or 0
    _check_below_top(match, built, number, "release_level", ', or set role = "drop"')
    leaf_codes = match.spread(built.codes, built.missing)
    published = _published(match, built, leaf_codes, built.hierarchy.levels[number])
    if published is None:
        raise Bug(f"column '{match.column.name}' is published unchanged")
    return KeptColumn(name=match.column.name, codes=published.codes, published=published)


def _published(match: ColumnMatch, built: Built, leaf_codes: Codes, measured: Level) -> PublishedLevel | None:
    """The level at which the column is published, None if it is unchanged. A missing value is published as
    missing, whatever its leaf."""
    if match.column.published_level is None:
        return None
    level = built.hierarchy.levels[match.column.published_level]
    codes = np.append(level.groups, np.int32(-1))[leaf_codes].astype(np.int32)
    codes[match.absent] = -1
    sizes = level.sizes[level.groups[built.codes]]
    spent = float(((sizes - 1) * match.present_rows).sum()) / max(int(match.present_rows.sum()), 1)
    loss = spent / max(built.hierarchy.domain - 1, 1)
    return PublishedLevel(level.labels, codes, measured.groups[level.edges[:-1]].astype(np.int32), loss)


def bind_class(match: ColumnMatch) -> ClassColumn:
    """The labels that occur, in the order of their texts; missing is a label of its own."""
    texts = match.values.texts
    labels = sorted(texts)
    places = {label: place for place, label in enumerate(labels)}
    codes = np.fromiter(map(places.__getitem__, texts), dtype=np.int32, count=len(texts))
    null_code = len(labels) if match.missing else -1
    if match.missing:
        labels.append(_free_label(labels))
    spread = match.spread(codes, null_code)
    return ClassColumn(name=match.column.name, values=tuple(labels), codes=spread, null_code=null_code)


def bind_person(match: ColumnMatch) -> PersonColumn:
    number, codes = units(match)
    return PersonColumn(name=match.column.name, codes=codes, number=number)


def bind_household(match: ColumnMatch) -> HouseholdColumn:
    number, codes = units(match)
    return HouseholdColumn(name=match.column.name, codes=codes, number=number)


def units(match: ColumnMatch) -> tuple[int, Codes]:
    """Number of persons or households, and the number of each value's."""
    texts = unit_texts(match.cells.type, match.values.texts)
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    numbers = np.fromiter(map(places.__getitem__, texts), np.int32, len(texts))
    return len(places), match.spread(numbers, -1)


def unit_texts(kind: ColumnType, texts: Iterable[str]) -> list[str]:
    """Texts that tell values apart: of decimals, which have digits of their own, the number.

    >>> unit_texts("decimal", ["1", "1.0", "10", "1.50"]), unit_texts("text", ["1.0"])
    (['1', '1', '10', '1.5'], ['1.0'])
    """
    if kind != "decimal":
        return list(texts)
    return [text.rstrip("0").rstrip(".") if "." in text else text for text in texts]


def bind_weight(match: ColumnMatch) -> WeightColumn:
    """The weights as numbers: 1 and 1.0 are one. Rounded ones depend on the schema and the weight alone, not
    on other rows: a label says nothing about a row that is suppressed."""
    values, step, labels = weights_in(match), match.column.round, None
    if step is not None:
        # No weight becomes 0.
        values = np.maximum(np.rint(values / float(step)), 1)
    values, places = np.unique(values, return_inverse=True)
    if step is not None:
        numbers = [step * int(number) for number in values]
        values = np.array([float(number) for number in numbers], dtype=np.float64)
        labels = tuple(format(number.normalize(), "f") for number in numbers)
    codes = match.spread(places.astype(np.int32), -1)
    return WeightColumn(name=match.column.name, codes=codes, values=values, labels=labels)


def bind_required(match: ColumnMatch) -> RequiredSizeColumn:
    stated, default = weights_in(match).astype(np.int64), match.column.default
    sizes = np.unique(stated if default is None else np.append(stated, default))
    missing = -1 if default is None else int(np.searchsorted(sizes, default))
    codes = match.spread(np.searchsorted(sizes, stated).astype(np.int32), missing)
    values = tuple(str(int(size)) for size in sizes)
    return RequiredSizeColumn(name=match.column.name, codes=codes, null_code=missing, values=values)


def weights_in(match: ColumnMatch) -> Floats:
    """The number in each present text; NaN if it is none."""
    numbers = (parse_number(text) for text in match.values.texts)
    return np.array([np.nan if number is None else float(number) for number in numbers], dtype=np.float64)


def _free_label(taken: Collection[str]) -> str:
    label = MISSING_LABEL
    while label in taken:
        label = f"({label})"
    return label


def _bounds(match: ColumnMatch, height: int) -> tuple[int, int]:
    lowest, highest = match.column.levels or (0, height)
    if highest > height:
        wrong = f"levels goes up to {highest}, but the hierarchy's top is level {height}"
        raise InputError.of(match.place, wrong, f"give levels between 0 and {height}", "levels")
    return lowest, highest


def _check_below_top(match: ColumnMatch, built: Built, level: int, key: str, remedy: str = "") -> None:
    """Raise if a level shows all values as one."""
    height = built.hierarchy.height
    if level and level >= height:
        wrong = f"level {level} is not below the hierarchy's top, level {height}, where all values are one"
        raise InputError.of(match.place, wrong, f"give a level from 0 to {max(height - 1, 0)}{remedy}", key)


def _above(match: ColumnMatch, built: Built, level: int) -> Hierarchy | None:
    """The hierarchy from a level on, with the sets of that level as its leaves; None if it has no levels but
    "unchanged" and "one set"."""
    if not match.column.kind.height:
        return None
    base = built.hierarchy.levels[level]
    first = base.edges[:-1]
    domain = len(base.labels) - built.hierarchy.strays
    levels = tuple(_rebased(above, first, domain) for above in built.hierarchy.levels[level:])
    hierarchy = Hierarchy(base.labels, levels, domain, f"the sets of level {level}")
    check_hierarchy(hierarchy)
    return hierarchy


def _rebased(above: Level, first: npt.NDArray[np.int64], domain: int) -> Level:
    """A level over the sets of a lower one. A set without domain values represents the whole domain."""
    groups = above.groups[first].astype(np.int32)
    sizes = np.bincount(groups[:domain], minlength=len(above.labels)).astype(np.int64)
    return Level(groups, above.labels, np.where(sizes == 0, domain, sizes))
