"""The values that a column has in two sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from paretonym.source.counted_table import CountedTable
from paretonym.source.table import Table, equal_values

# Values that are named one by one; of more, only their number is known.
MOST_NAMED = 100_000
AnySource: TypeAlias = Table | CountedTable


@dataclass(frozen=True, slots=True)
class SharedValues:
    """How many values two columns share, and which, at most `MOST_NAMED` of them."""

    number: int
    texts: tuple[str, ...]

    @property
    def all_named(self) -> bool:
        return self.number == len(self.texts)


def shared_values(first: AnySource, second: AnySource, name: str) -> SharedValues:
    """The values of a column that both sources have."""
    memories = [source.memory for source in (first, second) if isinstance(source, CountedTable)]
    if not memories:
        both = equal_values(first.column(name), second.column(name))
        return SharedValues(len(both), both)
    from paretonym.source.engines.column_comparison import compared
    from paretonym.source.engines.duckdb_session import parse_memory

    number, named = compared(first, second, name, min(map(parse_memory, memories)), MOST_NAMED)
    return SharedValues(number, tuple(named))
