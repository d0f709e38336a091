"""The schema of an upload while a person edits it: read from the page, reviewed level by level."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from paretonym.base.errors import MOST_VALUES_SHOWN, InputError, Problem
from paretonym.interfaces.web.problem_json import problems_json
from paretonym.tables.schema import (
    ColumnSummary,
    Schema,
    SchemaSummary,
    bind,
    missing_texts,
    schema_from,
    summarize,
    toml_mapping,
)
from paretonym.tables.source import Column, Counts, TableForm, counts_with_points
from paretonym.tables.source.engines import read

# The contents of hierarchy files that the page has sent, by their names.
HierarchyFiles: TypeAlias = Mapping[str, str]
MOST_FILES = 200


def schema_of(mapping: Mapping[str, Any], files: HierarchyFiles) -> Schema:
    """The schema that the page sends. It may name no file but those that the page has sent: the page must not
    read what lies on this disk."""
    missing = [
        Problem(
            f"column '{name}'",
            f"its hierarchy is in the file {last_part(file)}, which is not known here",
            "choose the schema and that file together, or write the hierarchy as a tree",
        )
        for name, file in _named_files(mapping)
        if last_part(file) not in files
    ]
    if missing:
        raise FileNamed(missing)
    return schema_from(mapping, load=lambda name: files[last_part(name)])


def _named_files(mapping: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, column in _described(mapping).items():
        hierarchy = column.get("hierarchy") if isinstance(column, Mapping) else None
        if isinstance(hierarchy, Mapping) and "file" in hierarchy:
            yield name, str(hierarchy["file"])


def last_part(path: str) -> str:
    r"""The name of a file without its folders, however these are separated.

    >>> last_part("trees\\marital.csv"), last_part("marital.csv")
    ('marital.csv', 'marital.csv')
    """
    return re.split(r"[\\/]", path)[-1]


def schema_in(content: bytes, path: Path, files: HierarchyFiles) -> dict[str, Any]:
    """The schema in a file that the page sends, as the page edits it; all that is wrong with it is raised."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        wrong = "this is not a schema"
        raise InputError.of(str(path), wrong, "give a file that ends in .toml") from None
    mapping = toml_mapping(text, path.name)
    schema_of(mapping, files)
    return mapping


def hierarchy_text(content: bytes, name: str) -> str:
    """The text of a hierarchy file that the page sends."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError.of(name, "it is not text in UTF-8", "save it as CSV in UTF-8") from None


class FileNamed(InputError):
    """The page named a file that it has not sent."""


def _described(mapping: Mapping[str, Any]) -> Mapping[str, Any]:
    columns = mapping.get("columns")
    return columns if isinstance(columns, Mapping) else {}


@dataclass(frozen=True, eq=False)
class Upload:
    """An uploaded file, and its table, which is read when it is first needed. Its form is what was asked for,
    or else found."""

    path: Path
    name: str
    form: TableForm = field(default_factory=TableForm)

    @cached_property
    def table(self) -> Counts:
        return read(self.path, **self.form.as_json())


def review(upload: Upload, mapping: Mapping[str, Any], files: HierarchyFiles) -> dict[str, Any]:
    """Review of the table by the schema: every level of every column, and all that is wrong, each problem
    with the column and the key that it is about."""
    try:
        schema = schema_of(mapping, files)
        table = counts_with_points(upload.table, schema.commas)
        summary = summarize(schema, table, bind(schema, table))
        return _document(summary, table, schema, [], _ways(summary.columns))
    except FileNamed:
        raise
    except InputError as error:
        problems = problems_json(error.problems)
        schema = _readable(mapping, problems, files)
        columns = tuple(c for name in schema.names for c in _alone(schema, name, upload.table))
        summary = SchemaSummary(upload.table.rows, 0, upload.table.rows, columns)
        return _document(summary, upload.table, schema, problems, None)


def readable_schema(mapping: Mapping[str, Any], files: HierarchyFiles) -> Schema:
    """The schema that the page sends, without what is wrong in it."""
    try:
        return schema_of(mapping, files)
    except FileNamed:
        raise
    except InputError as error:
        return _readable(mapping, problems_json(error.problems), files)


def _readable(
    mapping: Mapping[str, Any], problems: Sequence[Mapping[str, Any]], files: HierarchyFiles
) -> Schema:
    """The schema, or if it cannot be read, what is left of it without the keys, or the columns, that are
    wrong."""
    wrong = {(p["column"], p["field"]) for p in problems}
    names = {column for column, _ in wrong}
    columns = _described(mapping)
    pruned = {
        name: {key: value for key, value in column.items() if (name, key) not in wrong}
        for name, column in columns.items()
        if isinstance(column, Mapping)
    }
    without = {name: {"role": "drop"} if name in names else column for name, column in columns.items()}
    for tried in (columns, pruned, without):
        with suppress(InputError):
            return schema_of({**mapping, "purpose": [], "columns": tried}, files)
    return Schema(())


def _document(
    summary: SchemaSummary,
    table: Counts,
    schema: Schema,
    problems: Sequence[Mapping[str, Any]],
    lattice: int | None,
) -> dict[str, Any]:
    quasi = [c.name for c in schema.with_role("quasi") if c.name in table.by_name]
    values = {name: _values(schema, table.column(name)) for name in quasi}
    return {"problems": list(problems), "lattice": lattice, "values": values, **asdict(summary)}


def _values(schema: Schema, cells: Column) -> list[str] | None:
    """The values of a quasi-identifier, to begin an order with; None if there are more than may be shown."""
    absent = missing_texts(cells, schema.null_of(cells.name)).tolist()
    present = [text for text, missing in zip(cells.texts, absent, strict=True) if not missing]
    return sorted(present) if len(present) <= MOST_VALUES_SHOWN else None


def _alone(schema: Schema, name: str, table: Counts) -> tuple[ColumnSummary, ...]:
    """One quasi-identifier as if it were the only column, so that its levels are shown before everything is
    valid."""
    if schema.column(name).role != "quasi" or name not in table.names:
        return ()
    columns = tuple(c if c.name == name else replace(c, role="drop") for c in schema.columns)
    # If the levels that the search may use are wrong, the existing levels are still shown.
    unbounded = tuple(replace(c, levels=None) for c in columns)
    for tried in (columns, unbounded):
        single = replace(schema, columns=tried, missing=schema.missing or "value", text=None)
        with suppress(InputError):
            pointed = counts_with_points(table, single.commas & {name})
            summary = summarize(single, pointed, bind(single, pointed))
            return tuple(column for column in summary.columns if column.name == name)
    return ()


def _ways(columns: tuple[ColumnSummary, ...]) -> int:
    ways = 1
    for column in columns:
        if column.lowest is not None and column.highest is not None:
            ways *= column.highest - column.lowest + 1
    return ways
