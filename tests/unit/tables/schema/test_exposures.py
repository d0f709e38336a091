"""What the spelling of a release can tell of rows that are not in it."""

from __future__ import annotations

import pyarrow as pa
import pytest

from paretonym.tables.schema import bind, schema_from, spelling_warnings
from paretonym.tables.source.engines import read


@pytest.mark.parametrize(
    ("rows", "hierarchy", "warning"),
    [
        (["7", "7.0", "8"], {"intervals": [5]}, "are written in several ways"),
        (["7", "8", "8"], {"intervals": [5]}, None),
        (["12*", "123", "124"], {"mask": 3}, "have their level added"),
        (["121", "123", "124"], {"mask": 3}, None),
    ],
)
def test_a_spelling_that_depends_on_other_rows_is_warned_of(
    rows: list[str], hierarchy: dict[str, object], warning: str | None
) -> None:
    """What a label shows of a number in two spellings, or beside a value that looks like it, depends on rows
    that may be suppressed."""
    schema = schema_from({"columns": {"code": {"role": "quasi", "hierarchy": hierarchy}}})
    table = read(pa.table({"code": rows * 3}))
    warnings = spelling_warnings(bind(schema, table))
    assert [text for text in warnings if warning is None or warning not in text] == []
    assert len(warnings) == (warning is not None)
