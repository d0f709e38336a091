"""The name of a measure in a question: `l`, or `l@diagnosis` for one column."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MeasureName:
    """A measure, and the column that it is about if one is named.

    >>> MeasureName.parsed("l@diagnosis"), str(MeasureName("k"))
    (MeasureName(measure='l', column='diagnosis'), 'k')
    """

    measure: str
    column: str | None = None

    @classmethod
    def parsed(cls, text: str) -> MeasureName:
        measure, at, column = text.partition("@")
        return cls(measure, column if at else None)

    def __str__(self) -> str:
        return self.measure if self.column is None else f"{self.measure}@{self.column}"
