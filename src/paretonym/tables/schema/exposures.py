"""Columns that identify people although no measure counts them: published exactly, or at a level, with values
that only one row or person has, alone or together with other such columns."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from paretonym.base.arrays import Codes
from paretonym.base.errors import shown
from paretonym.base.language import _, format_number, ngettext
from paretonym.base.notice import Notice
from paretonym.tables.schema.bound_schema import BoundSchema, QuasiColumn
from paretonym.tables.schema.missing_values import missing_texts
from paretonym.tables.schema.model import ColumnSpec, Schema
from paretonym.tables.schema.roles import Role
from paretonym.tables.source import Counts

RARE = (
    "column {names} shows rare values: whoever knows one finds the row",
    "{number} columns show rare values: {names}",
)
RARE_TOGETHER = ("columns {names} single people out together",) * 2
WEIGHT = ("the sampling weight {names} is published: it shows from which group somebody was drawn",) * 2
# A value in fewer rows than this is rare.
FEW = 5


@dataclass(frozen=True, slots=True)
class Exposure:
    """A column that is published unchanged: of `rows` rows, `unique` have a value that no other row has, and
    `rare` ones (those included) a value that fewer than five have. Where a person may have several rows,
    `unit` says that people are counted: a person may then have several rare values. `together` names several
    columns, each in quotes, of which the rows are counted together. No value is named."""

    column: str
    role: Role
    rows: int
    unique: int
    rare: int
    unit: str = "rows"
    coarser: bool = False
    rounded: str = ""
    together: str = ""

    def as_json(self) -> dict[str, Any]:
        usual = {"unit": "rows", "coarser": False, "rounded": "", "together": ""}
        return {name: value for name, value in asdict(self).items() if usual.get(name) != value}

    @property
    def notice(self) -> Notice:
        """The warning, and what it says of several columns in one line."""
        brief = RARE_TOGETHER if self.together else WEIGHT if self.role == "weight" else RARE
        return Notice(str(self), brief, self.together or self.column)

    def __str__(self) -> str:
        rows = format_number(f"{self.rows:,}")
        if self.together:
            return _(
                "Columns {columns} are published. Together they single out {number} of {rows} {unit}: "
                "somebody who knows these values finds the row. Drop one of them, publish it coarser, or "
                "declare those harmless in the schema that nobody can know.",
                columns=self.together,
                number=format_number(f"{self.unique:,}"),
                rows=rows,
                unit=_(self.unit),
            )
        if self.unit != "rows":
            alone = ngettext(
                "{number} of its values belongs to one person alone.",
                "{number} of its values belong to one person each.",
                self.unique,
            )
        else:
            alone = ngettext(
                "{number} of {rows} rows ({share}) has a value that no other row has.",
                "{number} of {rows} rows ({share}) have a value that no other row has.",
                self.unique,
                rows=rows,
                share=_share(self.unique, self.rows),
            )
        rare = _(
            "{rare} rows have one that fewer than {few} rows have.",
            rare=format_number(f"{self.rare:,}"),
            few=format_number(str(FEW)),
        )
        several = self.rare > self.unique and self.unit == "rows"
        return " ".join([self._published(), alone, *([rare] if several else []), self._consequence()])

    def _published(self) -> str:
        """Sentence on how the column is published."""
        place = {"column": self.column}
        if self.role != "weight":
            if self.coarser:
                return _("Column '{column}' is published at a level of its hierarchy.", **place)
            return _("Column '{column}' is published exactly.", **place)
        if self.rounded:
            return _(
                "Column '{column}', the sampling weight, is published rounded to multiples of {rounded}.",
                rounded=format_number(str(self.rounded)),
                **place,
            )
        return _("Column '{column}', the sampling weight, is published exactly.", **place)

    def _consequence(self) -> str:
        """Sentence on what somebody could do with it, and what the publisher can do about that."""
        if self.role == "weight":
            return _(
                "No measure counts that weights show from which group somebody was drawn: somebody who "
                "knows the design of the survey can undo generalization. Do not publish them, round them "
                "more, or declare them harmless in the schema."
            )
        return _(
            "Somebody who knows such a value finds the row. Drop the column, publish it coarser, or declare "
            "it harmless in the schema."
        )


def _share(part: int, whole: int) -> str:
    share = f"{100 * part / whole:.1f} %"
    little = part > 0 and share == "0.0 %"
    return _("less than {share}", share=format_number("0.1 %")) if little else format_number(share)


def exposures(schema: Schema, source: Counts, bound: BoundSchema) -> tuple[Exposure, ...]:
    """The columns that are no quasi-identifiers and are published with values that identify a row, alone or
    together, unless the schema declares them harmless."""
    remaining = source.omitting(bound.omitted)
    columns = [
        column for column in schema.columns if column.released and column.role != "quasi" and not column.kept
    ]
    alone = [_exposure(schema, column, remaining, bound) for column in columns]
    named = [exposure for exposure in alone if exposure.unique or exposure.role == "weight"]
    others = [column for column in columns if column.role in ("other", "class")]
    together = _together(schema, others, remaining, bound) if len(others) > 1 else None
    most = max((exposure.unique for exposure in alone), default=0)
    return (*named, together) if together is not None and together.unique > most else tuple(named)


def _exposure(schema: Schema, column: ColumnSpec, remaining: Counts, bound: BoundSchema) -> Exposure:
    counted, person = remaining.column(column.name), bound.person
    coding, number = _published(schema, column, remaining, bound)
    values, rows = len(counted.counts), bound.rows
    counts = np.bincount(coding[:values], weights=counted.counts, minlength=number + 1)
    if person is not None:
        # A value in all rows of one person, and in no others, identifies the person however many these are.
        pairs = remaining.tuples({column.name: coding, person.name: person.lookup})
        counts, rows = np.bincount(pairs.codes[0], minlength=number + 1), person.number
    counts = np.rint(counts[:number]).astype(np.int64)
    rounded = column.role == "weight" and bound.weight is not None and bound.weight.labels is not None
    return Exposure(
        column.name,
        column.role,
        rows,
        unique=int((counts == 1).sum()),
        rare=int(counts[counts < FEW].sum()),
        unit="people" if person is not None else "rows",
        coarser=column.name in bound.published_levels,
        rounded=str(column.round) if rounded else "",
    )


def _published(
    schema: Schema, column: ColumnSpec, remaining: Counts, bound: BoundSchema
) -> tuple[Codes, int]:
    """Codes of what each distinct value of a column and, last, a null is published as, and their number; the
    last code is no value."""
    counted, level = remaining.column(column.name), bound.published_levels.get(column.name)
    values = len(counted.counts)
    if level is not None:
        number, labels = len(level.labels), level.codes[:values]
        return np.append(np.where(labels < 0, number, labels), number).astype(np.int32), number
    if column.role == "weight" and bound.weight is not None and bound.weight.labels is not None:
        number = len(bound.weight.labels)
        codes = bound.weight.lookup
        return np.where(codes < 0, number, codes).astype(np.int32), number
    coding = np.arange(values + 1, dtype=np.int32)
    coding[:values][missing_texts(counted, schema.null_of(column.name))] = values
    return coding, values


def _together(schema: Schema, columns: list[ColumnSpec], remaining: Counts, bound: BoundSchema) -> Exposure:
    """Exposure of the rows or people with values of these columns that, together, no other has."""
    coding = {column.name: _published(schema, column, remaining, bound)[0] for column in columns}
    person, unit = bound.person, "people" if schema.rows == "people" else "rows"
    if person is None:
        unique, number = int((remaining.tuples(coding).counts == 1).sum()), bound.rows
    else:
        counted = remaining.tuples({**coding, person.name: person.lookup})
        *values, persons = counted.codes
        rows = np.stack(values)
        # Equal tuples of values lie next to each other, one for each person.
        changes = np.append(True, (rows[:, 1:] != rows[:, :-1]).any(axis=0))
        holders = np.diff(np.append(np.flatnonzero(changes), len(changes)))
        alone = np.repeat(holders == 1, holders)
        unique, number, unit = len(np.unique(persons[alone])), person.number, "people"
    names = ", ".join(f"'{column.name}'" for column in columns)
    return Exposure(columns[0].name, columns[0].role, number, unique, unique, unit, together=names)


def spelling_warnings(bound: BoundSchema) -> tuple[str, ...]:
    """Sentences about quasi-identifiers whose spelling in a release depends on all rows, so that it can tell
    how some row, perhaps a suppressed one, is written."""
    several = [column.name for column in bound.quasi if _is_written_in_several_ways(column)]
    levelled = [column.name for column in bound.quasi if _has_label_with_level(column)]
    consequence = "so the release can tell how a suppressed row is written"
    warnings = []
    if several:
        warnings.append(
            f"Some numbers or dates of {shown(several)} are written in several ways (7 and 7.0): all rows "
            f"show them in one, {consequence}. Write each of these columns in one form, then explore again."
        )
    if levelled:
        warnings.append(
            f"Some labels of {shown(levelled)} have their level added, because a value of the column looks "
            f"like the label: {consequence}. Rename such values, then explore again."
        )
    return tuple(warnings)


def _is_written_in_several_ways(column: QuasiColumn) -> bool:
    if column.cutting.line is None:
        return False
    ways = np.bincount(column.codes[column.codes >= 0], minlength=len(column.hierarchy.leaves))
    leaves = (column.hierarchy.leaves[leaf] for leaf in np.flatnonzero(ways > 1).tolist())
    # What is coded together at the ends is one value however it is written.
    return any(not (leaf.startswith(("<", "before ", "from ")) or leaf.endswith("+")) for leaf in leaves)


def _has_label_with_level(column: QuasiColumn) -> bool:
    labels = (label for level in column.hierarchy.levels[1:] for label in level.labels)
    return any(" (level " in label and label.endswith(")") for label in labels)
