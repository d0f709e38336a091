"""Random small tables with their schemas, for exams: every kind of hierarchy, weights, missing values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from paretonym.testing.random_columns import class_column, random_column, sensitive_column
from paretonym.testing.random_spelling import PLAIN, Spelling

if TYPE_CHECKING:
    from paretonym.run.study import Study
    from paretonym.source.table import Table

Row: TypeAlias = Mapping[str, str | None]

# The last two have no common denominator that a float could hold exactly.
IMPORTANCES = (1, 1, 1, 1, 2, 0.5, 0.3, 7, 0.1234567890123, 2.7182818284)


@dataclass(frozen=True, slots=True)
class RandomTable:
    """Rows as people write them, and a schema as `Study` takes it."""

    rows: tuple[Row, ...]
    schema: Mapping[str, Any]

    @property
    def columns(self) -> dict[str, list[str | None]]:
        """The same rows, column by column."""
        return {name: [row[name] for row in self.rows] for name in self.schema["columns"]}

    def study(self) -> Study:
        """A study of this table, which it gets as an Arrow table of text."""
        # Here, so that drawing tables needs nothing heavy.
        from paretonym.run.study import Study

        return Study(text_table(self.columns), self.schema)

    def shuffled(self, generator: Random) -> RandomTable:
        """The same rows in another order."""
        return replace(self, rows=tuple(generator.sample(self.rows, len(self.rows))))


def random_table(
    generator: Random,
    spelling: Spelling = PLAIN,
    *,
    quasi: tuple[int, int] = (2, 4),
    rows: tuple[int, int] = (1, 40),
    missing: float = 0.2,
    kinds: tuple[str, ...] | None = None,
    sensitive: int = 0,
    labelled: bool = False,
) -> RandomTable:
    """A table with from `quasi[0]` to `quasi[1]` quasi-identifiers and so many rows.

    With probability `missing` a column has values missing; so many `sensitive` columns follow, and with
    `labelled` a column of role class. The same generator state gives the same table, in whichever spelling.

    >>> random_table(Random(1)).rows == random_table(Random(1)).rows
    True
    """
    names = [f"q{j}" for j in range(generator.randint(*quasi))]
    columns = {name: random_column(generator, spelling, kinds) for name in names}
    gaps = {name: 0.15 if generator.random() < missing else 0.0 for name in names}
    drawn = [
        {name: _cell(generator, columns[name].values, gaps[name]) for name in names}
        for _ in range(generator.randint(*rows))
    ]
    # One row without a gap, so that some row is left.
    drawn.append({name: columns[name].values[0] for name in names})
    entries = {
        name: {"role": "quasi", "importance": generator.choice(IMPORTANCES), **columns[name].entry}
        for name in names
    }
    rule = generator.choice(["drop", "value"])
    further = {f"s{j}": sensitive_column(generator, spelling) for j in range(sensitive)}
    if labelled:
        further["label"] = class_column(generator, spelling)
    for name, column in further.items():
        drawn = [{**row, name: generator.choice(column.values)} for row in drawn]
        entries[name] = dict(column.entry)
    return RandomTable(tuple(drawn), {"missing": rule, "columns": entries})


def text_table(columns: Mapping[str, Sequence[str | None]]) -> Table:
    """Columns of texts as a table in memory; None is a null."""
    # Here, so that drawing tables needs nothing heavy.
    import pyarrow

    from paretonym.source.table_reader import open_table

    arrays = {name: pyarrow.array(cells, pyarrow.string()) for name, cells in columns.items()}
    return open_table(pyarrow.table(arrays))


def bounded(table: RandomTable, generator: Random) -> RandomTable:
    """The same table, with bounds on the levels of about half its columns."""
    entries = dict(table.schema["columns"])
    for column in table.study().bound.quasi:
        if generator.random() < 0.5:
            ends = sorted(generator.choices(range(column.hierarchy.height + 1), k=2))
            entries[column.name] = {**entries[column.name], "levels": ends}
    return replace(table, schema={**table.schema, "columns": entries})


def _cell(generator: Random, values: tuple[str, ...], gap: float) -> str | None:
    value, chance = generator.choice(values), generator.random()
    return None if chance < gap else value
