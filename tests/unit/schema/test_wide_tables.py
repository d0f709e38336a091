"""Tables with very many columns: nothing is looked up column by column in a list of all."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from paretonym.errors import InputError
from paretonym.schema.model import ColumnSpec, Schema
from paretonym.schema.schema_binding import bind
from paretonym.schema.schema_parser import schema_from
from paretonym.source.table import Table
from paretonym.source.table_reader import open_table

QUASI = {"role": "quasi", "hierarchy": {"flat": True}}


def wide(columns: int) -> Table:
    cells = pa.array(np.arange(4) % 2)
    return open_table(pa.table({f"c{n}": cells for n in range(columns)}))


class Counted(str):
    """A name that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, other)


def test_the_work_grows_with_the_columns_not_with_their_square() -> None:
    columns = 2_000
    names = [Counted(f"c{n}") for n in range(columns)]
    kept = schema_from({"columns": {"c0": QUASI}}).columns[0]
    schema = Schema((kept, *(ColumnSpec(name, "drop") for name in names[1:])))
    Counted.compared = 0
    bind(schema, wide(columns))
    assert Counted.compared < 40 * columns


def test_a_forgotten_column_is_named_and_very_many_are_counted() -> None:
    schema = schema_from({"columns": {"c0": QUASI}})
    with pytest.raises(InputError) as refused:
        bind(schema, wide(203))
    assert len(refused.value.problems) == 51
    assert str(refused.value.problems[-1]) == (
        "the schema: there are 152 more columns of the dataframe that have no role; see the first ones above"
    )
