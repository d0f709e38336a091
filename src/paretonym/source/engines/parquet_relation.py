"""Parquet files as a relation of DuckDB: read by DuckDB itself, with the types that Arrow finds in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from paretonym.arrow import pa, parquet
from paretonym.errors import InputError, Problem
from paretonym.source.dictionary_encoding import check_shape
from paretonym.source.engines.duckdb_session import Session
from paretonym.source.file_relation import PATTERN_MARKS, FileSet
from paretonym.source.parquet_reader import metadata_of, schema_of
from paretonym.source.value_types import is_text, value_type
from paretonym.sql_literals import sql_text

# Bytes of a dictionary of few texts.
SMALL = 1 << 14


class ParquetRelation:
    """Columns and types of Parquet files, and the query that reads some of the columns."""

    # DuckDB reads these files alone.
    fault: BaseException | None = None

    def __init__(self, files: FileSet) -> None:
        self.files = files
        first = files.parts[0].path
        self._schema = schema_of(first)
        self._check_names()
        check_shape(str(first), self.names, rows=1)
        for part in files.parts[1:]:
            _check_alike(first, self._schema, part.path, schema_of(part.path))

    @property
    def names(self) -> tuple[str, ...]:
        return (*self._schema.names, *self.files.partitions)

    @cached_property
    def types(self) -> Mapping[str, Any]:
        return {
            **dict(zip(self._schema.names, self._schema.types, strict=True)),
            **dict.fromkeys(self.files.partitions, pa.string()),
        }

    @property
    def rows(self) -> int:
        """How many rows the files say that they have."""
        return sum(metadata_of(part.path).num_rows for part in self.files.parts)

    @contextmanager
    def selected(self, session: Session, names: Sequence[str]) -> Iterator[str]:
        """A query for some columns, called c0, c1, … in their order."""
        source = self._source(session)
        places = [self.names.index(name) for name in names]
        cells = ", ".join(f"f{place} as c{number}" for number, place in enumerate(places))
        yield f"select {cells or '1 as none'} from {source}"

    def texts(self, names: Sequence[str]) -> dict[int, list[str]]:
        """By place among these names, the columns of text of which every row group has a small dictionary,
        and what these dictionaries hold. A column may hold texts that are in none of them."""
        own = [name for name in names if name in self._schema.names]
        found: dict[str, set[str]] = {name: set() for name in own if is_text(value_type(self.types[name]))}
        try:
            for part in self.files.parts:
                for dictionaries in _small_dictionaries(part.path, list(found)):
                    found = {name: found[name] | texts for name, texts in dictionaries if name in found}
        except (pa.ArrowException, OSError, UnicodeError):
            # DuckDB will find what is wrong with the file.
            return {}
        return {place: sorted(found[name]) for place, name in enumerate(names) if name in found}

    def no_row(self) -> InputError:
        return InputError.of(self.files.given, "there is no row", "give a table with rows")

    def _source(self, session: Session) -> str:
        """All files with their columns by position: DuckDB's names ignore case."""
        listed = ", ".join(sql_text(str(part.path)) for part in self.files.parts)
        hive = str(bool(self.files.partitions)).lower()
        source = f"read_parquet([{listed}], hive_partitioning = {hive}, hive_types_autocast = false)"
        places = {name: place for place, name in enumerate(self.names)}
        own = len(self._schema.names)
        # Behind the columns of the files, those of the folders in DuckDB's order.
        further = [places[name] for name in session.shape(source)[own:]]
        columns = ", ".join(f"f{place}" for place in (*range(own), *further))
        return f"{source} as file({columns})"

    def _check_names(self) -> None:
        known = {name.casefold() for name in self._schema.names}
        for name in self.files.partitions:
            if name.casefold() in known:
                raise InputError.of(
                    self.files.given,
                    f"column '{name}' is both in the files and in the names of their folders",
                    "rename one of them",
                )
        for part in self.files.parts:
            if any(mark in str(part.path) for mark in PATTERN_MARKS):
                raise InputError.of(
                    str(part.path), "the path contains '*', '?' or '['", "give the file another name"
                )
            if any(group == "INT96" for group in _physical_types(part.path)):
                raise InputError.of(
                    str(part.path),
                    "it contains times of the outdated type INT96, which DuckDB may round",
                    "write it again, or give each file by itself",
                )


def arrow_alone(path: Path) -> bool:
    """Whether a file is one that DuckDB does not read exactly, or whose name it takes for a pattern."""
    types = map(value_type, schema_of(path).types)
    return (
        any(mark in str(path) for mark in PATTERN_MARKS)
        or "INT96" in _physical_types(path)
        or any(pa.types.is_decimal256(kind) for kind in types)
    )


def _small_dictionaries(path: Path, names: Sequence[str]) -> Iterator[list[tuple[str, set[str]]]]:
    """By row group, the columns of these that have a dictionary of few bytes, and the dictionary. It comes
    along whole with the first row."""
    with parquet.ParquetFile(path, read_dictionary=names) as file:
        for number in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(number)
            chunks = [group.column(place) for place in range(group.num_columns)]
            small = {chunk.path_in_schema for chunk in chunks if _dictionary_bytes(chunk) <= SMALL}
            read = [name for name in names if name in small]
            rows = file.iter_batches(1, row_groups=[number], columns=read, use_threads=False)
            for batch in islice(rows, 1 if group.num_rows else 0):
                yield [(name, set(batch.column(name).dictionary.drop_null().to_pylist())) for name in read]


def _dictionary_bytes(chunk: Any) -> int:
    if not chunk.has_dictionary_page:
        return SMALL + 1
    return int(chunk.data_page_offset - chunk.dictionary_page_offset)


def _physical_types(path: Path) -> list[str]:
    schema = metadata_of(path).schema
    return [schema.column(place).physical_type for place in range(len(schema))]


def _check_alike(first: Path, expected: Any, path: Path, found: Any) -> None:
    """Refuse a file whose columns are not those of the first."""
    if found.names != expected.names:
        named = [name for name in found.names if name not in expected.names]
        missing = [name for name in expected.names if name not in found.names]
        parts = [
            *(f"column '{name}' is not in {first}" for name in named[:1]),
            *(f"it has no column '{name}'" for name in missing[:1]),
        ]
        wrong = " and ".join(parts) or f"its columns are in a different order from those of {first}"
        raise InputError.of(str(path), wrong, "give files that have the same columns")
    problems = [
        Problem(
            f"{path}, column '{name}'",
            f"its type is {given}, in {first} it is {before}",
            "write all files with the same types",
        )
        for name, before, given in zip(expected.names, expected.types, found.types, strict=True)
        if before != given
    ]
    if problems:
        raise InputError(problems)
