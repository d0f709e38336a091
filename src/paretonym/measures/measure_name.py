"""The name by which a measure is asked for: `l`, or of one column `l@diagnosis`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MeasureName:
    """A measure, and the column that it is about where one is named.

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
