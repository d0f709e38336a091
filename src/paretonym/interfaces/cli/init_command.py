"""`paretonym init`: draft a schema for a table, or update one."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paretonym.base.errors import InputError
from paretonym.base.files import Output, check_changed, check_outputs, write_files, write_output
from paretonym.base.sentence_parts import several
from paretonym.interfaces.cli.command_inputs import (
    WRITTEN,
    WrittenSource,
    check_address,
    command_data,
    inputs_of,
    names_in,
)
from paretonym.interfaces.cli.screen import DETAILED, DetailedScreen, View, columns, output

if TYPE_CHECKING:
    from paretonym.tables.schema import Role
    from paretonym.tables.schema.draft import Draft
    from paretonym.tables.source import TableForm

EXAMPLES = """Examples:

\b
  paretonym init patients.csv -o patients.toml
  paretonym init survey.csv --quasi "age,sex" --sensitive "diag*" --drop "q*" -o survey.toml
  paretonym init --update patients.toml patients-of-may.csv
  paretonym init sqlite:///clinic.db --table patients -o patients.toml
  paretonym init visits/ -o visits.toml --memory 4GB
"""


@dataclass(frozen=True)
class GivenRoles:
    """The columns of some roles, by their names or patterns."""

    quasi: list[str] | None = None
    sensitive: list[str] | None = None
    person: list[str] | None = None
    drop: list[str] | None = None

    @property
    def choices(self) -> dict[Role, list[str]]:
        """By role, the names and patterns; an option may be repeated, and name several."""
        named: dict[Role, list[str] | None] = {
            "quasi": self.quasi,
            "sensitive": self.sensitive,
            "person": self.person,
            "drop": self.drop,
        }
        return {
            role: [name for text in texts or () for name in names_in(text)] for role, texts in named.items()
        }


NO_ROLES = GivenRoles()


def init(
    data: str,
    out: Path | None = None,
    update: Path | None = None,
    roles: GivenRoles = NO_ROLES,
    source: WrittenSource = WRITTEN,
    force: bool = False,
    screen: DetailedScreen = DETAILED,
) -> None:
    """Draft a schema for a table.

    Every guess is explained; what a person must decide is marked.
    """
    from paretonym.tables.source import FileForm
    from paretonym.tables.source.engines import open_undescribed

    check_address(data)
    if update is not None:
        if out is not None:
            raise InputError.of("--out", "given together with --update", "give only one of the two")
        check_changed([update], inputs_of(data))
        screen.show(_updated(update, data, source))
        return
    if out is not None:
        check_outputs([Output(out)], force, inputs_of(data))
    from paretonym.tables.schema.draft import draft_schema

    form = FileForm.seen(data, source.form, source.table)
    table = open_undescribed(data, **{**source.keywords, "form": form})
    draft = draft_schema(table, form=form, choices=roles.choices)
    if out is not None:
        write_output(Output(out, private=True), draft.text.encode(), force, inputs_of(data))
        following = {"memory": source.memory, "query": source.query, "engine": source.engine}
        sheet = {} if form.sheet else {"table": source.table}
        screen.show(_view(draft, command_data(data, {**sheet, **following}), out, form))
    elif screen.as_json:
        screen.show(View({**_document(draft, None), "text": draft.text}))
    else:
        output().out(draft.text, end="")
        screen.note("Not saved; use -o SCHEMA.toml to keep it.")


def _view(draft: Draft, data: str, out: Path, form: TableForm) -> View:
    """The roles that were guessed, and what a person must decide."""
    decide = several(len(draft.decisions), "decision is", "decisions are")
    number = several(len(draft.suggestions), "column", "columns")
    lines = [f"Wrote {out}: {number}; {decide} left to you. Check every guess.", *_roles(draft)]
    lines[1:1] = [f"Read {form}; the schema says so."] if form.as_json() else []
    lines += [f"  DECIDE {decision}" for decision in draft.decisions[:4]]
    if len(draft.decisions) > 4:
        lines.append(f"  DECIDE {len(draft.decisions) - 4} more, marked in the file")
    hint = (
        f"Next: paretonym schema {shlex.quote(str(out))} --data {data}\n"
        "Keep the schema private: it contains values of the table."
    )
    rows = [(one.name, one.role, one.reason) for one in draft.suggestions]
    noticed = [f"{sentence}." for sentence in draft.noticed]
    return View(
        _document(draft, out), lines, noticed, hint, lambda: [columns("column", "role", "why", rows=rows)]
    )


MOST_NAMED = 12


def _roles(draft: Draft) -> Iterator[str]:
    """A line for each role: what happens to its columns; the roles that remove columns share one."""
    for role, heading in {one.role: one.heading for one in draft.suggestions if not one.removed}.items():
        yield f"  {heading}: {_names(draft, role)}"
    gone = dict.fromkeys(one.role for one in draft.suggestions if one.removed)
    if gone:
        yield f"  removed: {', '.join(f'{_names(draft, role)} ({role})' for role in gone)}"


def _names(draft: Draft, role: Role) -> str:
    """The columns of a role; of many, the first."""
    names = [one.name for one in draft.suggestions if one.role == role]
    further = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {further} more" if further > 0 else "")


def _document(draft: Draft, out: Path | None) -> dict[str, Any]:
    return {
        "schema": None if out is None else str(out),
        "columns": [
            {"name": one.name, "role": one.role, "reason": one.reason, "decide": one.decide or None}
            for one in draft.suggestions
        ],
        "decisions": list(draft.decisions),
        "noticed": list(draft.noticed),
    }


def _updated(path: Path, data: str, source: WrittenSource) -> View:
    """The schema with the new values and columns of a table."""
    from paretonym.tables.schema import read_schema, wanted_of
    from paretonym.tables.schema.draft import update_schema
    from paretonym.tables.source.engines import open_source

    table = open_source(data, wanted_of(read_schema(path)), **source.keywords)
    update = update_schema(path, table)
    if update.texts:
        check_changed(update.texts, inputs_of(table.path))
        write_files(update.texts)
    news = [
        *(f"  column {name}: {several(n, 'new value', 'new values')}" for name, n in update.values.items()),
        *(f"  column {name}: new, its role is undecided" for name in update.columns),
    ]
    gone = [f"  column {name}: no longer in {table.name}; kept in the schema" for name in update.gone]
    head = f"Updated {path}; search for 'new in' and decide where each belongs:"
    if not news:
        head = f"{table.name} has nothing new; {path} was not changed."
    document = {"schema": str(path), "values": update.values, "columns": update.columns, "gone": update.gone}
    return View(document, [head, *news, *gone])
