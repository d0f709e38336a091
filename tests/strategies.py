"""Tables as hypothesis draws them: a failure shrinks to a small table, which is printed with its schema."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

from hypothesis import strategies as st

from paretonym.research.exams.random_tables import RandomTable, Row, bounded, owned, random_table

# Every number that such a generator gives is drawn by hypothesis, and so shrinks.
generators: st.SearchStrategy[Random] = st.randoms(use_true_random=False)


# For what is drawn by our own code: it shrinks to the least seed.
seeds: st.SearchStrategy[int] = st.integers(0, 2**32 - 1)


@st.composite
def tables(draw: st.DrawFn, /, bounds: bool = True, persons: bool = False, **settings: Any) -> RandomTable:
    """A random table; `settings` are those of `random_table`. With `bounds` some have bounds on their levels,
    and with `persons` a column says whose a row is.

    A seed gives the columns, so that tables are as different as seeds; which rows stay is drawn for each of
    them, so that a failure shrinks to the rows that it takes.
    """
    generator = Random(draw(seeds))
    table = random_table(generator, **settings)
    least = settings.get("rows", (1, 40))[0]
    table = replace(table, rows=_thinned(draw, table.rows[:-least]) + table.rows[-least:])
    table = owned(table, generator) if persons else table
    return bounded(table, generator) if bounds and generator.random() < 0.3 else table


def _thinned(draw: st.DrawFn, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    return tuple(row for row in rows if draw(st.integers(0, 9)))


@cache
def _wide(seed: int) -> RandomTable:
    """Eleven columns of 64 values each, and 64 rows."""
    generator, names = Random(f"wide {seed}"), [f"q{j}" for j in range(11)]
    columns = [generator.sample(range(64), 64) for _ in names]
    rows = [
        {
            **{name: str(value) for name, value in zip(names, values, strict=True)},
            "s0": generator.choice("xyz"),
        }
        for values in zip(*columns, strict=True)
    ]
    entries: dict[str, Any] = {name: {"role": "quasi", "hierarchy": {"intervals": [8, 32]}} for name in names}
    return RandomTable(
        tuple(rows), {"columns": entries | {"s0": {"role": "sensitive", "order": ["x", "y", "z"]}}}
    )


def wide_tables() -> st.SearchStrategy[RandomTable]:
    """Tables whose tuples need more bits than a word has; a few, each the same every time."""
    return st.integers(0, 9).map(_wide)
