"""Columns of a Parquet file that are declared to be categories, in the way of releases.

Parquet stores texts; that some of them are categories is said by the types that Arrow keeps beside the table.
The declaration may name no more than types, and its bytes follow from these. The order of ordered categories
is shown to every reader: it must be the schema's own.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from paretonym.audits.checks import Check
from paretonym.audits.table_file import TableFile
from paretonym.errors import Field

DECLARED = "ARROW:schema"
ORDER = "order of the categories"


def plain(kind: Any) -> Any:
    """The type of the values, be they categories or not."""
    import pyarrow as pa

    return kind.value_type if pa.types.is_dictionary(kind) else kind


def is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(plain(kind)) or pa.types.is_large_string(plain(kind)))


def is_ordered(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_dictionary(kind) and kind.ordered)


def only_declares(file: Any) -> bool:
    """Whether the metadata of a file do nothing but declare categories of text, and at least one. The names
    of some types, such as zones of timestamps and types of other programs, can hold any text."""
    import pyarrow as pa

    kinds = file.schema_arrow.types
    categories = [kind for kind in kinds if pa.types.is_dictionary(kind)]
    usual = [pa.dictionary(pa.int32(), pa.string(), ordered) for ordered in (False, True)]
    known = all(kind in usual or _is_released(kind) for kind in kinds)
    return set(file.metadata.metadata) == {DECLARED.encode()} and bool(categories) and known


def _is_released(kind: Any) -> bool:
    """Whether a release has columns of this type that are no categories."""
    from pyarrow import types

    tests = (
        types.is_string, types.is_boolean, types.is_integer, types.is_floating, types.is_decimal,
        types.is_date32,
    )  # fmt: skip
    return any(test(kind) for test in tests)


def declaration(schema: Any) -> dict[str, bytes]:
    """The metadata that declare these types."""
    import pyarrow as pa

    types = pa.schema([pa.field(field.name, field.type) for field in schema])
    return {DECLARED: base64.b64encode(types.serialize().to_pybytes())}


def check_category_order(
    files: Iterable[TableFile], orders: Mapping[str, Sequence[str]] | None
) -> list[Check]:
    """Whether ordered categories are in the order that the schema gives; nothing if there are none. Another
    order, such as that of the original's own categories, could carry what no row shows. `orders` are None if
    there is no schema."""
    wrong, found = "", False
    parts = [part for file in files if file.parquet for part in file.parts]
    for name, listed in (each for part in parts for each in _ordered(part)):
        found = True
        there = set(listed)
        if [text for text in (orders or {}).get(name, ()) if text in there] != listed:
            wrong = wrong or f"'{name}' is ordered, and not by the schema's order"
    if found and orders is None:
        return [Check("file", ORDER, None, None, None, f"cannot be verified: give {Field('schema')}")]
    return [Check("file", ORDER, None, None, not wrong, wrong)] if found else []


def _ordered(part: Path) -> Iterator[tuple[str, list[str]]]:
    """The ordered categories of each column of a file."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    with parquet.ParquetFile(part) as file:
        for name in (field.name for field in file.schema_arrow if is_ordered(field.type)):
            column = file.read(columns=[name]).column(name)
            chunks = column.unify_dictionaries().chunks if isinstance(column, pa.ChunkedArray) else [column]
            yield name, chunks[0].dictionary.to_pylist() if chunks else []
