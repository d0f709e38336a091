"""The rules that keep a table from leaking: what a schema must say before anything is made."""

from __future__ import annotations

from paretonym.errors import Problem, did_you_mean
from paretonym.schema.column_binding import Meeting
from paretonym.schema.column_types import type_problems
from paretonym.schema.hierarchies.exact_numbers import all_numbers
from paretonym.schema.hierarchies.hierarchy_registry import HIERARCHY_KINDS
from paretonym.schema.model import ROLES, ColumnSpec, Schema
from paretonym.schema.uniqueness_warnings import nearly_unique
from paretonym.source import DataSource

MOST_SENSITIVE_NUMBERS = 50
MOST_NAMED = 50
CHOICES = ", ".join(role for role in ROLES if role != "undecided")


def role_problems(schema: Schema, source: DataSource) -> list[Problem]:
    """Columns without a role, roles without a column, roles that nobody decided, and no QI at all."""
    known = set(source.names)
    unused = [name for name in schema.names if name not in known]
    forgotten = [name for name in source.names if name not in schema.by_name]
    problems = [_forgotten(schema, source, name) for name in forgotten[:MOST_NAMED]]
    problems += [_absent(schema, source, name) for name in unused[:MOST_NAMED]]
    problems += _more(schema, source, len(forgotten) - MOST_NAMED, len(unused) - MOST_NAMED)
    problems += [_undecided(schema, column) for column in schema.with_role("undecided")]
    if not schema.with_role("quasi"):
        remedy = 'say role = "quasi" for the columns by which a person could be recognised'
        problems.append(Problem(schema.name, "no column has the role quasi", remedy))
    return problems


def _more(schema: Schema, source: DataSource, forgotten: int, unused: int) -> list[Problem]:
    """What is left when enough columns are named."""
    more = (
        (forgotten, f"{source.name} that have no role"),
        (unused, f"the schema that are not in {source.name}"),
    )
    return [
        Problem(schema.name, f"there are {count:,} more columns of {what}", "see the first ones above")
        for count, what in more
        if count > 0
    ]


def column_rules(meeting: Meeting) -> list[Problem]:
    """The rules that a column breaks."""
    checks = {
        "identifier": (_identifier_repeats,),
        "quasi": (_needs_hierarchy, _granularity_needs_numbers, _type),
        "sensitive": (_too_many_numbers, _level_needs_hierarchy, _type),
        "class": (_near_unique, _type),
        "other": (_near_unique, _type),
    }
    return [problem for check in checks.get(meeting.column.role, ()) for problem in check(meeting)]


def _forgotten(schema: Schema, source: DataSource, name: str) -> Problem:
    wrong = f"the table {source.name} has this column, but the schema gives it no role"
    return Problem(schema.place(name), wrong, f"add it with one of the roles {CHOICES}")


def _absent(schema: Schema, source: DataSource, name: str) -> Problem:
    wrong = f"the table {source.name} has no such column"
    return Problem(schema.place(name), wrong, did_you_mean(name, source.names), in_data=True)


def _undecided(schema: Schema, column: ColumnSpec) -> Problem:
    return Problem(schema.place(column.name), "its role is undecided", f"decide on one of {CHOICES}", "role")


def _identifier_repeats(meeting: Meeting) -> list[Problem]:
    counts = meeting.cells.counts
    repeated = (counts > 1) & ~meeting.absent
    if not meeting.people or not repeated.any():
        return []
    wrong = (
        f"this identifier repeats: {int(repeated.sum())} values stand in {int(counts[repeated].sum())} rows"
    )
    remedy = 'give one row per person, or say rows = "events" if rows are not people'
    return [Problem(meeting.place, wrong, remedy)]


def _needs_hierarchy(meeting: Meeting) -> list[Problem]:
    if meeting.column.hierarchy is not None or meeting.column.order is not None:
        return []
    kinds = ", ".join(f"hierarchy.{kind}" for kind in HIERARCHY_KINDS)
    return [
        Problem(meeting.place, "a quasi-identifier needs a hierarchy", f"give one of {kinds}", "hierarchy")
    ]


def _granularity_needs_numbers(meeting: Meeting) -> list[Problem]:
    order = meeting.column.kind.order_of(meeting.column, meeting.values)
    numeric = meeting.type in ("integer", "decimal") or order == "numbers"
    if meeting.column.granularity is None or numeric:
        return []
    wrong = "granularity is given, but the values are not numbers"
    remedy = 'leave it out, or say type = "integer" or "decimal"'
    return [Problem(meeting.place, wrong, remedy, "granularity")]


def _too_many_numbers(meeting: Meeting) -> list[Problem]:
    count = int(meeting.present.sum())
    said = meeting.column.level is not None or meeting.column.release_level is not None
    if said or count <= MOST_SENSITIVE_NUMBERS or not _numeric(meeting):
        return []
    wrong = (
        f"a sensitive column of numbers has {count} values and no level: neighbouring numbers would count as "
        "different values, and l and t would look better than they are"
    )
    remedy = "give a hierarchy and a level, such as hierarchy.intervals = [1000] and level = 1"
    remedy += ', or say type = "text" if the numbers are codes'
    return [Problem(meeting.place, wrong, remedy, "level")]


def _numeric(meeting: Meeting) -> bool:
    """Numbers by type, by kind, or by looks: in a CSV file every column is text."""
    if meeting.column.kind.reads == "numbers":
        return True
    if meeting.column.type is not None or meeting.type != "text":
        return meeting.type in ("integer", "decimal")
    return all_numbers(meeting.values.texts)


def _level_needs_hierarchy(meeting: Meeting) -> list[Problem]:
    if meeting.column.hierarchy is not None:
        return []
    given = {"level": meeting.column.level, "release_level": meeting.column.release_level}
    return [
        Problem(
            meeting.place,
            f"{key} is {level}, but there is no hierarchy",
            f"give a hierarchy, or leave {key} out",
            key,
        )
        for key, level in given.items()
        if level
    ]


def _near_unique(meeting: Meeting) -> list[Problem]:
    distinct, rows = int(meeting.present.sum()), meeting.rows
    if meeting.column.kept or not nearly_unique(distinct, rows):
        return []
    wrong = (
        f"{distinct} distinct values in {rows} rows would be released as they are and could point to people"
    )
    remedy = 'say role = "drop", or kept = "yes" if the column is harmless'
    return [Problem(meeting.place, wrong, remedy, "kept")]


def _type(meeting: Meeting) -> list[Problem]:
    return type_problems(meeting.column, meeting.values)
