"""Which texts mean missing: many at once as one by one."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from paretonym.tables.schema.hierarchies import means_missing
from paretonym.tables.schema.missing_values import missing_texts
from paretonym.tables.schema.model import as_mapping
from paretonym.tables.schema.schema_binding import bind
from paretonym.tables.schema.schema_file import schema_from
from paretonym.tables.source.dictionary_encoding import coded, make_column
from paretonym.tables.source.table_counts import Counts

TEXT = st.text(" ?-n\t a", max_size=3)


@given(st.lists(TEXT, min_size=1, max_size=8), st.lists(TEXT, max_size=3))
def test_many_texts_are_read_as_one_by_one(texts: list[str], null: list[str]) -> None:
    column = make_column("x", coded(pa.array(texts)), "the table")
    expected = [means_missing(text, tuple(null)) for text in column.texts]
    assert missing_texts(column, null).tolist() == expected


def test_a_column_may_have_null_strings_of_its_own(table: Callable[..., Counts]) -> None:
    """99 is no age, but a number of children."""
    column = {"role": "quasi", "hierarchy": {"intervals": [10]}}
    people = table(age=["20", "30", "99"], children=["99", "1", "2"])
    schema = schema_from(
        {"missing": "drop", "columns": {"age": {**column, "null": ["99"]}, "children": column}}
    )
    bound = bind(schema, people)
    assert bound.rows == 2
    assert bound.quasi[0].hierarchy.leaves == ("20", "30")
    assert bound.quasi[1].hierarchy.leaves == ("1", "99")
    assert schema_from(as_mapping(schema, lambda file: file.name)) == schema
