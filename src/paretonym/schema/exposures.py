"""Columns that identify people although no measure counts them: published exactly, or at a level, with values
that only one row or person has, alone or together with other such columns."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from paretonym.arrays import Codes
from paretonym.errors import shown
from paretonym.language import _, format_number, ngettext
from paretonym.notice import Notice
from paretonym.schema.bound_schema import BoundSchema, QuasiColumn
from paretonym.schema.missing_values import missing_texts
from paretonym.schema.model import ColumnSpec, Schema
from paretonym.schema.roles import Role
from paretonym.source import Counts

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
        if self.together:
            return self._of_columns()
        if self.role == "weight":
            return self._of_weights()
        if self.coarser:
            return self._of_labels()
        if self.unit != "rows":
            sentence = ngettext(
                "Column '{column}' is published exactly. {number} of its values is that of one person: "
                "somebody who knows the exact value finds the rows of that person.",
                "Column '{column}' is published exactly. {number} of its values are those of one person "
                "each: somebody who knows the exact value finds the rows of that person.",
                self.unique,
                column=self.column,
            )
        else:
            sentence = self._of_rows()
        if self.role == "sensitive":
            remedy = _(
                "Drop it, publish a coarser level of its hierarchy, or declare it harmless in the schema."
            )
        else:
            remedy = _("Drop it, generalize it in the data, or declare it harmless in the schema.")
        return f"{sentence} {remedy}"

    def _of_rows(self) -> str:
        values = {
            "column": self.column,
            "rows": format_number(f"{self.rows:,}"),
            "share": _share(self.unique, self.rows),
        }
        if self.rare > self.unique:
            return ngettext(
                "Column '{column}' is published exactly. {number} of {rows} rows ({share}) has a value that "
                "no other row has, and {rare} a value that fewer than {few} rows have: somebody who knows "
                "the exact value finds the row.",
                "Column '{column}' is published exactly. {number} of {rows} rows ({share}) have a value that "
                "no other row has, and {rare} a value that fewer than {few} rows have: somebody who knows "
                "the exact value finds the row.",
                self.unique,
                **values,
                rare=format_number(f"{self.rare:,}"),
                few=FEW,
            )
        return ngettext(
            "Column '{column}' is published exactly. {number} of {rows} rows ({share}) has a value that no "
            "other row has: somebody who knows the exact value finds the row.",
            "Column '{column}' is published exactly. {number} of {rows} rows ({share}) have a value that no "
            "other row has: somebody who knows the exact value finds the row.",
            self.unique,
            **values,
        )

    def _of_columns(self) -> str:
        return _(
            "Columns {columns} are published. Together they single out {number} of {rows} {unit}: somebody "
            "who knows these values finds the row. Drop one of them, publish it coarser, or declare those "
            "harmless in the schema that nobody can know.",
            columns=self.together,
            number=format_number(f"{self.unique:,}"),
            rows=format_number(f"{self.rows:,}"),
            unit=_(self.unit),
        )

    def _of_labels(self) -> str:
        return ngettext(
            "Column '{column}' is published at a level at which {number} of {rows} {unit} has a label that "
            "nobody else has: somebody who knows the value finds the row. Publish a coarser level, use top "
            "and bottom, or declare it harmless in the schema.",
            "Column '{column}' is published at a level at which {number} of {rows} {unit} have a label that "
            "nobody else has: somebody who knows the value finds the row. Publish a coarser level, use top "
            "and bottom, or declare it harmless in the schema.",
            self.unique,
            column=self.column,
            rows=format_number(f"{self.rows:,}"),
            unit=_(self.unit),
        )

    def _of_weights(self) -> str:
        holder = _("row") if self.unit == "rows" else _("person")
        single = _("no weight is held by one {holder} alone", holder=holder)
        if self.unique:
            single = ngettext(
                "{number} weight is held by one {holder} alone",
                "{number} weights are held by one {holder} alone",
                self.unique,
                holder=holder,
            )
        if self.rounded:
            return _(
                "Column '{column}', the sampling weight, is published rounded to multiples of {rounded}, and "
                "no measure counts that: {single}. Weights show from which group somebody was drawn, so "
                "somebody who knows the design of the survey can undo generalization. Do not publish them, "
                "round more, or declare them harmless in the schema.",
                column=self.column,
                rounded=format_number(str(self.rounded)),
                single=single,
            )
        return _(
            "Column '{column}', the sampling weight, is published exactly, and no measure counts that: "
            "{single}. Weights show from which group somebody was drawn, so somebody who knows the design of "
            "the survey can undo generalization. Do not publish them, round them, or declare them harmless "
            "in the schema.",
            column=self.column,
            single=single,
        )


def _share(part: int, whole: int) -> str:
    share = f"{100 * part / whole:.1f} %"
    return _("less than {share}", share=format_number("0.1 %")) if share == "0.0 %" else format_number(share)


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
    """What each distinct value of a column and, last, a null is published as, and the number of these; the
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
    """How many rows or people have values of these columns that, together, no other has."""
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
