"""`paretonym init`: draft a schema for a table, or update one."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from paretonym.cli.command_parameters import Option
from paretonym.cli.common_options import (
    DATA,
    USUAL_SOURCE,
    Force,
    Json,
    Quiet,
    SourceOptions,
    check_address,
    inputs_of,
    shown_data,
)
from paretonym.cli.console import note, output, print_json
from paretonym.errors import InputError, printable
from paretonym.outputs import Output, check_changed, check_outputs, write_files, write_output

if TYPE_CHECKING:
    from rich.table import Table

    from paretonym.schema.draft import Draft, Update

# What a schema says about how its file is written.
FORM = ("encoding", "separator")
EXAMPLES = """Examples:

\b
  paretonym init patients.csv -o patients.toml
  paretonym init --update patients.toml patients-of-may.csv
  paretonym init sqlite:///clinic.db --table patients -o patients.toml
  paretonym init visits/ -o visits.toml --memory 4GB
"""


def init(
    data: Annotated[str, DATA],
    out: Annotated[
        Path | None, Option("--out", "-o", metavar="FILE", help="Write the schema here (TOML).")
    ] = None,
    update: Annotated[
        Path | None,
        Option("--update", metavar="SCHEMA", help="Add new values and columns of DATA to this schema."),
    ] = None,
    source: SourceOptions = USUAL_SOURCE,
    force: Force = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draft a schema for a table.

    Every guess is explained; what a person must decide is marked.
    """
    from paretonym.source.engines import open_columns

    check_address(data)
    opened = partial(open_columns, data, **source.keywords)
    if update is not None:
        if out is not None:
            raise InputError.of("--out", "given together with --update", "give only one of the two")
        check_changed([update], inputs_of(data))
        _update(update, opened(), as_json, quiet)
        return
    if out is not None:
        check_outputs([Output(out)], force, inputs_of(data))
    from paretonym.schema.draft import draft_schema

    draft = _with_form(draft_schema(opened()), source)
    if out is not None:
        draft_file = Output(out, private=True)
        write_output(draft_file, draft.text.encode(), force, inputs_of(data))
    following = {name: value for name, value in source.given.items() if name not in FORM}
    _show(draft, shown_data(data, following), out, as_json, quiet)


def _with_form(draft: Draft, source: SourceOptions) -> Draft:
    """The draft with what was said about how the file is written, for the commands that follow."""
    lines = [f"{name} = {json.dumps(value)}\n" for name in FORM if (value := source.given[name]) is not None]
    return replace(draft, text="".join(lines) + draft.text) if lines else draft


def _show(draft: Draft, data: str, out: Path | None, as_json: bool, quiet: bool) -> None:
    if as_json:
        print_json(_document(draft, out))
        return
    if out is None:
        output().out(draft.text, end="")
        note("Not saved; use -o SCHEMA.toml to keep it.", quiet)
        return

    output().print(draft_table(draft))
    note(_closing(draft, data, out), quiet)


def _closing(draft: Draft, data: str, out: Path) -> str:
    following = f"paretonym schema {shlex.quote(str(out))} --data {data}"
    warned = "".join(f"Warning: {sentence}.\n" for sentence in draft.noticed)
    kept = "Keep it private: it contains values of the table."
    if not draft.decisions:
        return f"{warned}Wrote {out}. Check every guess in it, then run: {following}\n{kept}"
    listed = "".join(f"\n  {decision}" for decision in draft.decisions)
    return (
        f"{warned}Wrote {out}. Check every guess in it, and decide (marked DECIDE):{listed}\n"
        f"Then run: {following}\n{kept}"
    )


def _document(draft: Draft, out: Path | None) -> dict[str, Any]:
    columns = [
        {"name": one.name, "role": one.role, "reason": one.reason, "decide": one.decide or None}
        for one in draft.suggestions
    ]
    text = {"text": draft.text} if out is None else {}
    path = None if out is None else str(out)
    found = {"decisions": list(draft.decisions), "noticed": list(draft.noticed)}
    return {"schema": path, "columns": columns, **found, **text}


def _update(path: Path, table: Any, as_json: bool, quiet: bool) -> None:
    from paretonym.schema.draft import update_schema

    update = update_schema(path, table)
    if update.texts:
        check_changed(update.texts, inputs_of(table.path))
        write_files(update.texts)
    if as_json:
        print_json(
            {"schema": str(path), "values": update.values, "columns": update.columns, "gone": update.gone}
        )
        return
    note(_news(update, path, table.name), quiet)


def _news(update: Update, path: Path, data: str) -> str:
    news = [
        f"column {name}: {count:,} new value{'s' if count > 1 else ''}"
        for name, count in update.values.items()
    ]
    news += [f"column {name}: new, its role is undecided" for name in update.columns]
    gone = [f"\n  column {name}: no longer in {data}; kept in the schema" for name in update.gone]
    if not news:
        return f"{data} has nothing new; {path} was not changed.{''.join(gone)}"
    listed = "".join(f"\n  {line}" for line in news)
    return f"Updated {path}; search for 'new in' and decide where each belongs:{listed}{''.join(gone)}"


def draft_table(draft: Draft) -> Table:
    """A table of the columns with the role that was guessed, and why."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("column", overflow="fold")
    table.add_column("role", no_wrap=True)
    table.add_column("why", overflow="fold")
    for one in draft.suggestions:
        table.add_row(printable(one.name), one.role, printable(one.reason))
    return table
