"""A schema meets its table: every rule about columns and values is checked, and all that is wrong is told."""

from __future__ import annotations

from dataclasses import dataclass

from paretonym.errors import InputError, Problem
from paretonym.schema.bound_schema import (
    BoundSchema,
    ClassColumn,
    QuasiColumn,
    SensitiveColumn,
)
from paretonym.schema.column_binding import Meeting, bind_class, bind_quasi, bind_sensitive
from paretonym.schema.missing_values import missing_rows, missing_texts, omitted_by, undecided
from paretonym.schema.model import ColumnSpec, Schema
from paretonym.schema.schema_rules import column_rules, role_problems
from paretonym.source import DataSource, Omission

# What is said of other columns needs none of their values.
BOUND_ROLES = ("identifier", "quasi", "sensitive", "class", "other")


def bind(schema: Schema, source: DataSource) -> BoundSchema:
    """What the schema makes of the data; raises an InputError with every problem."""
    outcome = _met(schema, source)
    if outcome.problems:
        raise InputError(outcome.problems)
    return BoundSchema(
        tuple(outcome.quasi),
        tuple(outcome.sensitive),
        tuple(outcome.classes),
        outcome.omitted,
        outcome.left.rows,
    )


def problems(schema: Schema, source: DataSource) -> tuple[Problem, ...]:
    """Everything that keeps the schema from being used with these data."""
    return tuple(_met(schema, source).problems)


@dataclass(frozen=True, eq=False)
class _Outcome:
    """What was bound so far, the rows that are left, and what was wrong."""

    problems: list[Problem]
    quasi: list[QuasiColumn]
    sensitive: list[SensitiveColumn]
    classes: list[ClassColumn]
    omitted: Omission
    left: DataSource


def _met(schema: Schema, source: DataSource) -> _Outcome:
    known = set(source.names)
    described = [column for column in schema.columns if column.name in known]
    omitted = omitted_by(schema, source)
    outcome = _Outcome(role_problems(schema, source), [], [], [], omitted, source.omitting(omitted))
    for column in described:
        outcome.problems.extend(undecided(schema, source, column))
    if not outcome.left.rows:
        outcome.problems.append(_nothing_left(schema, source))
        return outcome
    for column in described:
        if column.role in BOUND_ROLES and (column.role != "identifier" or schema.rows == "people"):
            _meet(_meeting(schema, source, column, outcome.left), outcome)
    return outcome


def _meeting(schema: Schema, source: DataSource, column: ColumnSpec, left: DataSource) -> Meeting:
    # Of an identifier only what repeats matters: its values need not be brought here.
    unique = column.role == "identifier"
    cells = source.repeated(column.name) if unique else source.column(column.name)
    counted = cells if unique else left.column(column.name)
    absent = missing_texts(counted, schema.null)
    return Meeting(
        place=schema.place(column.name),
        column=column,
        cells=cells,
        rows=left.rows,
        absent=absent,
        present=(counted.counts > 0) & ~absent,
        missing=missing_rows(counted, absent) > 0,
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


def _nothing_left(schema: Schema, source: DataSource) -> Problem:
    if source.rows == 0:
        return Problem(source.name, "the table has no rows", "give a table with rows")
    wrong = f"every one of the {source.rows} rows has a missing value, so none is left"
    return Problem(schema.name, wrong, 'say missing = "value" for the columns that are often empty')
