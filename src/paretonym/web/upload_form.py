"""How an upload is read: what was found, what was asked for, and its first cells as they are read. Shown to
the publisher on this page only; made in the worker, because the file is untrusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from paretonym.source import (
    NULL,
    Column,
    Counts,
    FileForm,
    counts_with_points,
)
from paretonym.web.column_values import glance
from paretonym.web.uploads import check_content, check_unpacked

ROWS_SHOWN = 6
LONGEST_CELL = 80


@dataclass(frozen=True, slots=True)
class UploadForm:
    """A file's form as found, and what a reader of it must be told: `encoding` and `separator` if they were
    asked for or are not what a reader assumes, `sheet` if there is a choice."""

    found: FileForm
    asked: Mapping[str, str | None]

    @classmethod
    def of(cls, path: Path, asked: Mapping[str, str | None]) -> UploadForm:
        """Of a file that is not too large once unpacked."""
        extent = FileForm.extent(path)
        check_unpacked(extent.rows, extent.columns, extent.bytes)
        if (pieces := FileForm.unpacked(path)) is not None:
            check_content(pieces)
        return cls(FileForm.of(path, asked.get("encoding"), asked.get("separator")), asked)

    @property
    def form(self) -> dict[str, str | None]:
        """What a reader is told."""
        if self.found.kind == "workbook":
            several = self.found.sheets[0] if len(self.found.sheets) > 1 else None
            return {"encoding": None, "separator": None, "sheet": self.asked.get("sheet") or several}
        text = self.found.kind in ("CSV", "JSON lines")
        usual = self.found.encoding in (None, "utf-8", "utf-16", "utf-32")
        encoding = self.asked.get("encoding") or (None if usual else self.found.encoding)
        separator = self.asked.get("separator") if self.found.kind == "CSV" else None
        return {"encoding": encoding if text else None, "separator": separator, "sheet": None}

    @property
    def decimal(self) -> str | None:
        """The mark of decimals that was asked for."""
        return self.asked.get("decimal")

    def as_json(self) -> dict[str, Any]:
        """What the page shows in its fields; no value of the file but the names of its sheets."""
        sheets = list(self.found.sheets)
        return {
            **self.found._asdict(),
            "sheets": sheets,
            "sheet": self.form["sheet"] or (sheets[0] if sheets else None),
            "asked": {name: value for name, value in self.asked.items() if value},
            "decimal": self.decimal,
        }

    def with_cells(self, table: Counts, schema: Mapping[str, Any], types: Sequence[str]) -> dict[str, Any]:
        """What the page shows in its fields, with the mark of decimals, as the schema has it; the first cells
        and a glance at every column."""
        commas = {name for name, entry in schema["columns"].items() if entry.get("decimal") == ","}
        commas |= set(schema["columns"]) if schema.get("decimal") == "," else set()
        pointed = counts_with_points(table, commas)
        return {
            **self.as_json(),
            "decimal": self.decimal or ("," if commas else "."),
            "columns": [
                {"name": column.name, "type": type_, "cells": _cells(column), **glance(column)}
                for column, type_ in zip(pointed.columns, types, strict=True)
            ],
        }


def _cells(column: Column) -> list[str]:
    codes = np.asarray(column.codes[:ROWS_SHOWN]).tolist()
    texts = ("" if code == NULL else column.texts[code] for code in codes)
    return [text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}…" for text in texts]
