"""Which texts mean missing: many at once as one by one."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from paretonym.schema.hierarchies import means_missing
from paretonym.schema.missing_values import missing_texts
from paretonym.source.dictionary_encoding import coded, make_column

TEXT = st.text(" ?-n\t a", max_size=3)


@given(st.lists(TEXT, min_size=1, max_size=8), st.lists(TEXT, max_size=3))
def test_many_texts_are_read_as_one_by_one(texts: list[str], null: list[str]) -> None:
    column = make_column("x", coded(pa.array(texts)), "the table")
    expected = [means_missing(text, tuple(null)) for text in column.texts]
    assert missing_texts(column, null).tolist() == expected
