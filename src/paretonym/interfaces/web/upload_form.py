"""Reading of an upload: what was found, what was asked for, and its first cells as they are read. Shown to
the publisher on this page only; made in the worker, because the file is untrusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paretonym.interfaces.web.column_values import glance
from paretonym.interfaces.web.uploads import check_content, check_unpacked
from paretonym.tables.source import (
    Column,
    Counts,
    FileForm,
    TableForm,
    counts_with_points,
)
from paretonym.tables.source.engines import read

ROWS_SHOWN = 6
LONGEST_CELL = 80


@dataclass(frozen=True, slots=True)
class UploadForm:
    """A file's form as found, and what was asked for."""

    path: Path
    found: FileForm
    asked: Mapping[str, Any]

    @classmethod
    def of(cls, path: Path, asked: Mapping[str, Any]) -> UploadForm:
        """Of a file that is not too large once unpacked."""
        extent = FileForm.extent(path)
        check_unpacked(extent.rows, extent.columns, extent.bytes)
        if (pieces := FileForm.unpacked(path)) is not None:
            check_content(pieces)
        found = FileForm.of(path, *map(asked.get, ("encoding", "separator", "sheet")))
        return cls(path, found, asked)

    @property
    def form(self) -> TableForm:
        """Form that a reader needs: what was asked for and means something in such a file, and what was found
        and is not what a reader assumes."""
        foreign = {
            "workbook": ("encoding", "separator"),
            "CSV": ("sheet",),
            "JSON lines": ("sheet", "separator", "header_row", "footer_rows"),
        }.get(self.found.kind, tuple(self.asked))
        given = {name: value for name, value in self.asked.items() if name not in foreign}
        return self.found.told(TableForm.of(given))

    @property
    def decimal(self) -> str | None:
        """The mark of decimals that was asked for."""
        return self.asked.get("decimal")

    def as_json(self) -> dict[str, Any]:
        """Entries of the page's fields; no value of the file but the names of its sheets."""
        sheets = list(self.found.sheets)
        return {
            **self.found._asdict(),
            "sheets": sheets,
            "sheet": self.form.sheet or (sheets[0] if sheets else None),
            "header_row": self.form.header_row or 1,
            "footer_rows": self.form.below,
            "asked": {name: value for name, value in self.asked.items() if value not in (None, "")},
            "decimal": self.decimal,
        }

    def with_cells(self, table: Counts, schema: Mapping[str, Any], types: Sequence[str]) -> dict[str, Any]:
        """Entries of the page's fields, with the mark of decimals, as the schema has it; the first cells
        and a glance at every column."""
        commas = {name for name, entry in schema["columns"].items() if entry.get("decimal") == ","}
        commas |= set(schema["columns"]) if schema.get("decimal") == "," else set()
        pointed, first = counts_with_points(table, commas), self._first_rows(commas)
        return {
            **self.as_json(),
            "decimal": self.decimal or ("," if commas else "."),
            "columns": [
                {
                    "name": column.name,
                    "type": type_,
                    "cells": [row[column.name] for row in first],
                    **glance(column),
                }
                for column, type_ in zip(pointed.columns, types, strict=True)
            ],
        }

    def _first_rows(self, commas: set[str]) -> list[dict[str, str]]:
        """The first rows as they lie in the file, each read as all are: what was counted has no order."""
        rows = FileForm.first_rows(self.path, self.form, ROWS_SHOWN)
        read_rows = (counts_with_points(read(rows.slice(place, 1)), commas) for place in range(len(rows)))
        return [{column.name: _cell(column) for column in row.columns} for row in read_rows]


def _cell(column: Column) -> str:
    text = column.texts[0] if column.texts else ""
    return text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}…"
