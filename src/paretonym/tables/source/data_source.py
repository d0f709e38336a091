"""Requests for data, and the forms of it: columns, omitted values, tuples, the form of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from paretonym.base.arrays import Codes, Integers, Mask
from paretonym.base.errors import Field, InputError, printable
from paretonym.base.factorize import summed_rows
from paretonym.base.sentence_parts import several

ColumnType: TypeAlias = Literal["text", "integer", "decimal", "date", "boolean"]

NULL = -1

Coding: TypeAlias = Mapping[str, Codes]
"""By column, the number that each of its distinct values is counted as and, last, that of a null."""


@dataclass(frozen=True, eq=False)
class Omission:
    """Rows that are left out for what they hold: by column, which distinct values (and, last, whether a null)
    leave a row out. One such value is enough."""

    values: Mapping[str, Mask] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class TupleCounts:
    """Distinct tuples in ascending order: `codes[j][i]` is what the j-th column is counted as in tuple i,
    which `counts[i]` rows have."""

    codes: tuple[Codes, ...]
    counts: Integers

    @classmethod
    def of(cls, codes: Sequence[Codes], counts: Integers) -> TupleCounts:
        """Counted tuples in any order, of which some may be equal."""
        sizes = [int(column.max(initial=0)) + 1 for column in codes]
        first, sums = summed_rows(codes, sizes, counts)
        return cls(tuple(column[first].astype(np.int32) for column in codes), sums)


@dataclass(frozen=True, slots=True)
class TableForm:
    """Form in which a file holds its table, as far as it was stated: what its reader cannot always see.

    The encoding and separator of a text, the sheet of a workbook, the row of the header, counted from 1 as
    editors and spreadsheets do, and how many rows at the end are none of the table; None is not said."""

    encoding: str | None = None
    separator: str | None = None
    sheet: str | None = None
    header_row: int | None = None
    footer_rows: int | None = None

    def check(self) -> None:
        """Refuse what is no number of rows."""
        for name, least in (("header_row", 1), ("footer_rows", 0)):
            number = getattr(self, name)
            if number is not None and (type(number) is not int or number < least):
                raise InputError.of(
                    Field(name, str(number)), "this is no number of rows", f"give a number from {least}"
                )

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> TableForm:
        """The form that some options state."""
        return cls(**{field.name: options.get(field.name) for field in fields(cls)})

    def or_else(self, other: TableForm) -> TableForm:
        """This, and what the other says where this says nothing."""
        return replace(other, **self.as_json())

    def as_json(self) -> dict[str, Any]:
        """The settings that are stated."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def __str__(self) -> str:
        parts = [
            f"in {self.encoding}" if self.encoding else "",
            f"separated by {self.separator!r}" if self.separator else "",
            f"from sheet '{printable(self.sheet)}'" if self.sheet else "",
            f"with the header in row {self.header_row:,}" if self.header_row else "",
            f"without {self.left_out}" if self.cuts else "",
        ]
        return ", ".join(filter(None, parts))

    @property
    def left_out(self) -> str:
        """The rows that are left out, in words."""
        above = f"{several(self.above, 'row', 'rows')} above the header" if self.above else ""
        below = f"the last {several(self.below, 'row', 'rows')}" if self.below > 1 else "the last row"
        return " and ".join(filter(None, [above, below if self.below else ""]))

    @property
    def above(self) -> int:
        """Number of rows above the header."""
        return (self.header_row or 1) - 1

    @property
    def below(self) -> int:
        """Number of rows below the table."""
        return self.footer_rows or 0

    @property
    def cuts(self) -> bool:
        """True if rows are left out."""
        return self.above + self.below > 0


# Nothing is said.
USUAL_FORM = TableForm()


@dataclass(frozen=True, slots=True)
class Wanted:
    """Needs of a schema: the columns to count together (None: all), and those of which it must know
    whether a value repeats. Of a table that nobody has described yet, only the `first` rows may be read.
    Numbers in the columns `commas` have a decimal comma. `order` is that of the columns where the rows alone
    would say in which they come, `form` how a file holds the table."""

    counted: frozenset[str] | None = None
    unique: frozenset[str] = frozenset()
    first: int | None = None
    commas: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()
    form: TableForm = USUAL_FORM

    def of(self, names: Sequence[str]) -> tuple[str, ...]:
        """The columns to count, in the order of the data; one at least, so that rows are counted."""
        chosen = (name for name in names if self.counted is None or name in self.counted)
        return tuple(chosen) or tuple(names[:1])

    def unique_of(self, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name in self.unique)
