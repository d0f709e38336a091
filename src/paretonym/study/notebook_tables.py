"""Tables that notebooks show besides frontiers and releases: a drafted schema, its review, and a report."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from paretonym.base.errors import Field, InputError
from paretonym.base.files import Output, check_outputs, write_output
from paretonym.base.language import in_language, languages
from paretonym.engine.frontier import Frontier, Microdata
from paretonym.tables.data_kinds import Data
from paretonym.tables.schema import SchemaSummary, bind, schema_from, summarize, toml_of
from paretonym.tables.schema.draft import Decision, columns_like, draft_schema
from paretonym.tables.source import FileForm, TableForm
from paretonym.tables.source.engines import open_undescribed


class SchemaDraft(dict[str, Any]):
    """A schema to review and edit: the same as a schema file, as a dict, to be given to a `Study`.

    `reasons` say why each role was guessed, `decisions` what a person must decide, `noticed` what is odd
    about the table. Confidential like the table: hierarchies list its values.
    """

    def __init__(
        self,
        mapping: dict[str, Any],
        reasons: dict[str, str],
        decisions: Sequence[Decision],
        noticed: Sequence[str],
    ) -> None:
        super().__init__(mapping)
        self.reasons = dict(reasons)
        self._decisions = tuple(decisions)
        self._settled: set[str] = set()
        self.noticed = tuple(noticed)

    @property
    def decisions(self) -> tuple[str, ...]:
        """Decisions that a person must still take, a sentence each: what was set is decided."""
        persons = any(entry.get("role") == "person" for entry in self["columns"].values())
        settled = {*self, *(("rows",) if persons else ())}
        rest = (
            replace(one, columns=tuple(name for name in one.columns if name not in self._settled))
            for one in self._decisions
        )
        return tuple(str(one) for one in rest if (one.key not in settled if one.key else one.columns))

    def set(self, column: str, **keys: object) -> SchemaDraft:
        """Change the entry of a column, or of all that a pattern names: `draft.set("illness",
        role="sensitive")`, `draft.set("q*", role="drop")`; None removes a key. What a schema may not say is
        refused, and nothing is changed."""
        columns = self["columns"]
        names = columns_like(column, tuple(columns), "the draft")
        changed = {
            name: {key: value for key, value in {**columns[name], **keys}.items() if value is not None}
            for name in names
        }
        schema_from({"columns": changed})
        columns.update(changed)
        self._settled.update(names)
        return self

    @property
    def undecided(self) -> tuple[str, ...]:
        """The columns that still need a role."""
        return tuple(name for name, column in self["columns"].items() if column.get("role") == "undecided")

    def save(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Write the schema file, once every entry can be read; undecided roles may stay."""
        text = toml_of(schema_from(self))
        write_output(Output(Path(path), private=True), text.encode(), force, ())

    def __repr__(self) -> str:
        open_ones = f", {len(self.undecided)} undecided" if self.undecided else ""
        return f"<SchemaDraft of {len(self['columns'])} columns{open_ones}>"

    def _repr_html_(self) -> str:
        from paretonym.report.pages import table_in_notebook

        rows = [
            [name, column.get("role", ""), _spelled(column), self.reasons.get(name, "")]
            for name, column in self["columns"].items()
        ]
        notes = [f"To decide: {decision}." for decision in self.decisions]
        return table_in_notebook(["column", "role", "hierarchy", "why"], rows, notes, self.noticed)


def _spelled(entry: dict[str, Any]) -> str:
    """The kind of a hierarchy, without its values."""
    return ", ".join(entry.get("hierarchy", {}))


def draft(
    data: Data,
    *,
    encoding: str | None = None,
    separator: str | None = None,
    header_row: int | None = None,
    footer_rows: int | None = None,
    engine: str = "auto",
    memory: str | int | None = None,
    table: str | None = None,
    query: str | None = None,
) -> SchemaDraft:
    """A schema for a table that nobody has described yet: guesses, with their reasons, to review and edit.

    `data` is whatever a `Study` takes, with the same options. Of a file, titles above the header, sums below
    the rows and an encoding other than UTF-8 are seen, and said in the draft.
    `draft.set("illness", role="sensitive")` decides what was left open; then `pn.Study(data, draft)`.
    """
    form = FileForm.seen(data, TableForm(encoding, separator, None, header_row, footer_rows), table)
    rows = open_undescribed(data, engine=engine, memory=memory, form=form, table=table, query=query)
    drafted = draft_schema(rows, form=form)
    reasons = {column.name: column.reason for column in drafted.suggestions}
    return SchemaDraft(tomllib.loads(drafted.text), reasons, drafted.undecided, drafted.noticed)


HEADS = ["column", "role", "type", "values", "missing", "sets at each level"]


@dataclass(frozen=True, slots=True)
class SchemaReview:
    """Review of a schema for a table; with `problems`, if it cannot be used yet, in place of a summary."""

    summary: SchemaSummary | None
    problems: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: Microdata) -> SchemaReview:
        """The review of a table and its schema."""
        try:
            return cls(summarize(data.schema, data.source, bind(data.schema, data.source)))
        except InputError as error:
            return cls(None, tuple(str(problem) for problem in error.problems))

    def __str__(self) -> str:
        if self.summary is None:
            return "\n".join(self.problems)
        dropped = f", {self.summary.dropped:,} of them dropped" if self.summary.dropped else ""
        first = f"{self.summary.read:,} rows read{dropped}, {len(self.summary.columns)} columns"
        rows = [HEADS, *self._rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join([first, *lines, *(f"Warning: {text}" for text in self.summary.warnings)])

    def _rows(self) -> list[list[str]]:
        columns = () if self.summary is None else self.summary.columns
        return [
            [
                column.name,
                column.role,
                column.type or "",
                "" if column.distinct is None else f"{column.distinct:,}",
                "" if column.missing is None else f"{column.missing:,}",
                " → ".join(f"{level.groups:,}" for level in column.levels),
            ]
            for column in columns
        ]

    def _repr_html_(self) -> str:
        from paretonym.report.pages import table_in_notebook

        if self.summary is None:
            return table_in_notebook(["to fix"], [[problem] for problem in self.problems], [], ())
        read = f"{self.summary.read:,} rows read, {self.summary.dropped:,} dropped."
        return table_in_notebook(HEADS, self._rows(), [read], self.summary.warnings)


@dataclass(frozen=True, slots=True, repr=False)
class ReportPage:
    """A report as one page of HTML, which notebooks show in a frame of its own; it is saved as HTML or,
    with the extra [pdf], as PDF."""

    html: str
    reader: str

    def save(self, path: str | os.PathLike[str], force: bool = False) -> Path:
        """Write the page, as PDF if the name ends in .pdf; that for the officer is confidential."""
        from paretonym.report import printed

        page = Output(Path(path), private=self.reader == "officer")
        check_outputs([page], force)
        form = ".pdf" if Path(path).suffix.lower() == ".pdf" else ".html"
        content = printed(self.html, str(path)) if form == ".pdf" else self.html.encode()
        write_output(page, content, force, ())
        return Path(path)

    def __repr__(self) -> str:
        return f"<ReportPage for the {self.reader}, {len(self.html):,} characters>"

    def _repr_html_(self) -> str:
        from paretonym.report.pages import page_in_notebook

        return page_in_notebook(self.html)


def report_of(
    frontier: Frontier, data: Microdata | None, pick: str | None, reader: str, language: str
) -> ReportPage:
    """The report that `paretonym report` writes, in a language."""
    if language not in languages():
        wrong = f"there is no translation for '{language}'"
        raise InputError.of(Field("language"), wrong, f"choose one of {', '.join(languages())}")
    from paretonym.report import tell
    from paretonym.report.pages import check_reader, report_page

    check_reader(reader)
    with in_language(language):
        return ReportPage(report_page(tell(frontier, data, pick), reader), reader)
