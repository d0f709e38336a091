"""A schema meets its table: every rule about columns and values is checked, and all that is wrong is told."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from paretonym.errors import InputError, Problem
from paretonym.schema.bound_schema import (
    BoundSchema,
    ClassColumn,
    QuasiColumn,
    SensitiveColumn,
)
from paretonym.schema.column_binding import Meeting, bind_class, bind_quasi, bind_sensitive
from paretonym.schema.missing_values import Presence, dropped_rows, occurring, presence, undecided
from paretonym.schema.model import ColumnSpec, Schema
from paretonym.schema.schema_rules import column_rules, role_problems
from paretonym.source.table import Table


def bind(schema: Schema, table: Table) -> BoundSchema:
    """What the schema makes of the table; raises an InputError with every problem."""
    outcome = _met(schema, table)
    if outcome.problems:
        raise InputError(outcome.problems)
    return BoundSchema(
        tuple(outcome.quasi), tuple(outcome.sensitive), tuple(outcome.classes), outcome.dropped
    )


def problems(schema: Schema, table: Table) -> tuple[Problem, ...]:
    """Everything that keeps the schema from being used with this table."""
    return tuple(_met(schema, table).problems)


@dataclass(frozen=True, eq=False)
class _Outcome:
    """What was bound so far, and what was wrong."""

    problems: list[Problem]
    quasi: list[QuasiColumn]
    sensitive: list[SensitiveColumn]
    classes: list[ClassColumn]
    dropped: npt.NDArray[np.bool_]


def _met(schema: Schema, table: Table) -> _Outcome:
    described = [column for column in schema.columns if column.name in table.by_name]
    found = {column.name: presence(table.column(column.name), schema.null) for column in described}
    outcome = _Outcome(role_problems(schema, table), [], [], [], dropped_rows(schema, table, found))
    for column in described:
        outcome.problems.extend(undecided(schema, table, column, found[column.name]))
    if outcome.dropped.all():
        outcome.problems.append(_nothing_left(schema, table))
        return outcome
    for column in described:
        _meet(_meeting(schema, table, column, found[column.name], outcome.dropped), outcome)
    return outcome


def _meeting(
    schema: Schema, table: Table, column: ColumnSpec, found: Presence, dropped: npt.NDArray[np.bool_]
) -> Meeting:
    cells = table.column(column.name)
    kept = ~dropped
    return Meeting(
        place=schema.place(column.name),
        column=column,
        cells=cells,
        kept=kept,
        absent=found.texts,
        present=occurring(cells, kept) & ~found.texts,
        missing=bool((found.rows & kept).any()),
        people=schema.rows == "people",
        null=schema.null,
    )


def _meet(meeting: Meeting, outcome: _Outcome) -> None:
    """One column: its rules first; it is bound only if it keeps them."""
    broken = column_rules(meeting)
    outcome.problems.extend(broken)
    if broken:
        return
    try:
        if meeting.column.role == "quasi":
            outcome.quasi.append(bind_quasi(meeting))
        elif meeting.column.role == "sensitive":
            outcome.sensitive.append(bind_sensitive(meeting))
        elif meeting.column.role == "class":
            outcome.classes.append(bind_class(meeting))
    except InputError as error:
        outcome.problems.extend(error.problems)


def _nothing_left(schema: Schema, table: Table) -> Problem:
    if table.rows == 0:
        return Problem(table.name, "the table has no rows", "give a table with rows")
    wrong = f"every one of the {table.rows} rows has a missing value, so none is left"
    return Problem(schema.name, wrong, 'say missing = "value" for the columns that are often empty')
