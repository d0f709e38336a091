"""All measures as a table, for notebooks."""

from __future__ import annotations

import html
from types import ModuleType
from typing import TYPE_CHECKING

from paretonym.engine.measures.card import Measure, Scale
from paretonym.engine.measures.registry import MEASURES

if TYPE_CHECKING:
    import pandas

HEADS = ("name", "direction", "lowest", "highest", "question", "formula", "reference")


class MeasureTable(tuple[Measure, ...]):
    """All measures, to look at: name, better direction, range, question, formula and reference of each."""

    __slots__ = ()

    def to_pandas(self) -> pandas.DataFrame:
        """One row for each measure."""
        import pandas

        return pandas.DataFrame([_row(each) for each in self])

    def __repr__(self) -> str:
        return "\n".join(f"{each.name} ({each.direction}): {each.question}" for each in self)

    def _repr_html_(self) -> str:
        rows = [list(map(str, _row(each).values())) for each in self]
        return f"<table>{_line('th', HEADS)}{''.join(_line('td', row) for row in rows)}</table>"


def _row(card: Measure) -> dict[str, object]:
    return {name: getattr(card.scale if name in Scale._fields else card, name) for name in HEADS}


def _line(kind: str, cells: list[str] | tuple[str, ...]) -> str:
    return f"<tr>{''.join(f'<{kind}>{html.escape(cell)}</{kind}>' for cell in cells)}</tr>"


def measures() -> MeasureTable:
    """Every measure that can be an objective or a limit; notebooks show them as a table."""
    return MeasureTable(MEASURES.values())


class CallableModule(ModuleType):
    """The package of measures, which has the name of the public function: whichever of the two somebody gets
    as `paretonym.engine.measures` lists them when it is called."""

    def __call__(self) -> MeasureTable:
        return measures()
