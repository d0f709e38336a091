"""Binding a schema to a table: every rule about columns and values is checked, and all problems are reported.

The rules prevent leaks: they are what a schema must declare before anything is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Mask
from paretonym.base.errors import InputError, Problem, did_you_mean
from paretonym.tables.schema.bound_schema import (
    BoundColumn,
    BoundSchema,
    ColumnMatch,
    bind_class,
    bind_household,
    bind_kept,
    bind_person,
    bind_quasi,
    bind_required,
    bind_sensitive,
    bind_weight,
    unit_texts,
    units,
    weights_in,
)
from paretonym.tables.schema.direct_identifiers import identifying_sign
from paretonym.tables.schema.hierarchies.date_line import read_days
from paretonym.tables.schema.hierarchies.hierarchy_builder import HIERARCHY_KINDS
from paretonym.tables.schema.hierarchies.level_table import Values
from paretonym.tables.schema.hierarchies.number_line import all_numbers, comma_remedy, read_numbers
from paretonym.tables.schema.missing_values import drops, missing_rows, missing_texts, omitted_by, undecided
from paretonym.tables.schema.model import ColumnSpec, Schema
from paretonym.tables.schema.roles import ROLES, Role
from paretonym.tables.schema.schema_keys import MOST_INTEGERS
from paretonym.tables.source import Counts, has_decimal_comma, header_warning
from paretonym.tables.source.engines import Wanted

MOST_SENSITIVE_NUMBERS = 50
MOST_NAMED = 50
# No row stands for more people than that, and sums of weights stay far from the limits of floats.
LARGEST_WEIGHT = 1e12
CHOICES = ", ".join(role for role in ROLES if role != "undecided")
NOT_PUBLISHED = 'set role = "drop", or kept = "yes" if the column is harmless'
TRUTHS = frozenset({"true", "false", "yes", "no", "1", "0"})


def bind(schema: Schema, source: Counts) -> BoundSchema:
    """The schema bound to the data; raises an InputError with every problem."""
    problems = role_problems(schema, source)
    omitted = omitted_by(schema, source)
    remaining = source.omitting(omitted)
    in_table = set(source.names)
    columns = [column for column in schema.columns if column.name in in_table]
    for column in columns:
        problems.extend(undecided(schema, source, column, omitted))
    if not remaining.rows:
        raise InputError([*problems, _nothing_left(schema, source)])
    bound: list[BoundColumn] = []
    for column in columns:
        # An identifier may repeat where rows are not people.
        if column.role not in TREATMENT or (column.role == "identifier" and not schema.one_row_each):
            continue
        treatment, match = TREATMENT[column.role], _match(schema, source, column, remaining)
        broken = [problem for check in treatment.checks for problem in check(match)]
        problems.extend(broken)
        if not broken and treatment.bind is not None:
            try:
                result = treatment.bind(match)
            except InputError as error:
                problems.extend(error.problems)
            else:
                bound += [] if result is None else [result]
    if problems:
        raise InputError(problems)
    return BoundSchema.of(bound, omitted, remaining.rows)


def _match(schema: Schema, source: Counts, column: ColumnSpec, remaining: Counts) -> ColumnMatch:
    # For an identifier only repetition matters: its values need not be loaded.
    unique = column.role == "identifier"
    cells = source.repeated(column.name) if unique else source.column(column.name)
    counted = cells if unique else remaining.column(column.name)
    absent = missing_texts(counted, schema.null_of(column.name))
    present = (counted.counts > 0) & ~absent
    return ColumnMatch(
        place=schema.place(column.name),
        column=column,
        cells=cells,
        rows=remaining.rows,
        absent=absent,
        present=present,
        present_rows=counted.counts[present],
        missing_rows=missing_rows(counted, absent),
        people=schema.one_row_each,
        persons=_persons(schema, remaining),
        null=schema.null_of(column.name),
    )


def _persons(schema: Schema, remaining: Counts) -> int:
    """Number of persons of the rows that are left; 0 if no column says whose they are."""
    person = schema.person
    if person is None or person.name not in remaining.names:
        return 0
    column = remaining.column(person.name)
    return len({*unit_texts(column.type, compress(column.texts, (column.counts > 0).tolist()))})


def _bind_other(match: ColumnMatch) -> BoundColumn | None:
    """A column that is published at a level of its hierarchy, unless its sets are so many that they could
    identify people; None if it is published unchanged."""
    if match.column.published_level is None:
        return None
    generalized = bind_kept(match)
    if problems := _too_many(match, len(np.unique(generalized.codes[match.present]))):
        raise InputError(problems)
    return generalized


def wanted_of(schema: Schema) -> Wanted:
    """The columns that are counted together: all that a release shows, so that it can be made from counts,
    those that say whose a row is and which household's, weights, and those without whose value a row is
    dropped. Identifiers must not repeat where rows are people; nothing else is read."""
    unique = schema.with_role("identifier") if schema.one_row_each else ()
    return Wanted(
        frozenset(column.name for column in schema.columns if column.rules.counted or drops(schema, column)),
        frozenset(column.name for column in unique),
        commas=schema.commas,
        order=schema.names,
        form=schema.form,
    )


def of_population(schema: Schema, names: Sequence[str] = ()) -> Schema:
    """The schema for a table of the population: its quasi-identifiers alone; other columns are not read."""
    quasi = schema.with_role("quasi")
    names_of_quasi = {column.name for column in quasi}
    further = tuple(ColumnSpec(name, "drop") for name in names if name not in names_of_quasi)
    name = f"{schema.name}, read for the population"
    return replace(schema, columns=(*quasi, *further), rows="people", name=name)


def _nothing_left(schema: Schema, source: Counts) -> Problem:
    if source.rows == 0:
        return Problem(source.name, "the table has no rows", "give a table with rows")
    wrong = f"every one of the {source.rows} rows has a missing value, so none remain"
    return Problem(schema.name, wrong, 'set missing = "value" for the columns that are often empty')


def role_problems(schema: Schema, source: Counts) -> list[Problem]:
    """Columns without a role, roles without a column, roles that nobody decided, and no QI at all."""
    in_table = set(source.names)
    if schema.names and (problem := _another_table(schema, source)) is not None:
        return [problem]
    unused = [name for name in schema.names if name not in in_table]
    wrong = f"the table {source.name} has this column, but the schema gives it no role"
    problems = [
        Problem(schema.place(name), wrong, f"add it with one of the roles {CHOICES}")
        for name in source.names
        if name not in schema.by_name
    ]
    # Names alike are looked for only where few are wrong: that takes time.
    names_in_table = f"known: {', '.join(source.names[:MOST_NAMED])}"
    wrong = f"the table {source.name} does not have this column"
    problems += [
        Problem(
            schema.place(name),
            wrong,
            did_you_mean(name, source.names) if len(unused) <= MOST_NAMED else names_in_table,
            in_data=True,
        )
        for name in unused
    ]
    problems += [
        Problem(schema.place(column.name), "its role is undecided", f"decide on one of {CHOICES}", "role")
        for column in schema.with_role("undecided")
    ]
    if not schema.with_role("quasi"):
        remedy = 'set role = "quasi" for the columns by which a person could be recognized'
        problems.append(Problem(schema.name, "no column has the role quasi", remedy))
    return problems


def _another_table(schema: Schema, source: Counts) -> Problem | None:
    """The problem if few columns are those of the schema. Their names are not shown: they may be a person's
    row."""
    shared = len(set(schema.names) & set(source.names))
    if shared and (2 * shared >= len(schema.names) or header_warning(source) is None):
        return None
    few = f"only {shared} of the {len(schema.names)}" if shared else "none of the"
    wrong = f"the table has {few} columns of {schema.name}: it is another table, or its first line is a row"
    remedy = "give the table that the schema describes, with its header"
    return Problem(source.name, wrong, remedy, in_data=True)


def _identifier_repeats(match: ColumnMatch) -> list[Problem]:
    counts, present = match.cells.counts, ~match.absent
    if match.cells.type == "decimal":
        counts = np.bincount(units(match)[1][present], counts[present]).astype(np.int64)
    else:
        counts = counts[present]
    repeated = counts > 1
    if not match.people or not repeated.any():
        return []
    values, rows = int(repeated.sum()), int(counts[repeated].sum())
    repeating = "1 value is" if values == 1 else f"{values:,} values are"
    wrong = f"this identifier repeats: {repeating} in {rows:,} rows"
    remedy = (
        'give one row per person; set role = "person" if the column says which person a row belongs to; or '
        'set rows = "events" if rows are not people'
    )
    return [Problem(match.place, wrong, remedy)]


def _rows_without(match: ColumnMatch) -> list[Problem]:
    """Rows without a person, a household or a weight."""
    if not match.missing_rows or match.column.default is not None:
        return []
    rules = match.column.rules
    wrong = f"{match.missing_rows:,} of {match.rows:,} rows {rules.unstated}"
    return [Problem(match.place, wrong, rules.remedy)]


def _weight_wrong(match: ColumnMatch) -> list[Problem]:
    """Weights that are no numbers, not above 0, or out of all proportion; counted, never shown."""
    weights = weights_in(match)
    least, most = 1 / LARGEST_WEIGHT, LARGEST_WEIGHT
    faults = (
        (np.isnan(weights), "that is not a number", "write numbers such as 12.5"),
        (weights <= 0, "of 0 or below", "a row stands for some people: remove these rows"),
        (
            (weights > most) | ((weights > 0) & (weights < least)),
            f"above {most:.0e} or below {least:.0e}",
            "a weight says how many people a row stands for: check the unit",
        ),
    )
    problems = []
    for fault, words, remedy in faults:
        if rows := int(match.present_rows[fault].sum()):
            wrong = f"{rows:,} of {match.rows:,} rows {'has' if rows == 1 else 'have'} a weight {words}"
            problems.append(Problem(match.place, wrong, f'{remedy}, or give the column the role "drop"'))
    return problems


def _no_size(match: ColumnMatch) -> list[Problem]:
    """Required sizes that are no whole numbers from 1 up; counted, never shown."""
    sizes = weights_in(match)
    fault = ~((sizes >= 1) & (sizes <= MOST_INTEGERS) & (sizes == np.floor(sizes)))
    rows = int(match.present_rows[fault].sum())
    if not rows:
        return []
    wrong = f"{rows:,} of {match.rows:,} rows {'requires' if rows == 1 else 'require'} no whole number"
    remedy = f'write numbers from 1 to {MOST_INTEGERS:,}, or give the column the role "drop"'
    return [Problem(match.place, wrong, remedy)]


def _needs_hierarchy(match: ColumnMatch) -> list[Problem]:
    if match.column.hierarchy is not None or match.column.order is not None:
        return []
    remedy = f"give one of {', '.join(f'hierarchy.{kind}' for kind in HIERARCHY_KINDS)}"
    return [Problem(match.place, "a quasi-identifier needs a hierarchy", remedy, "hierarchy")]


def _too_many_numbers(match: ColumnMatch) -> list[Problem]:
    count = int(match.present.sum())
    decided = match.column.level is not None or match.column.release_level is not None
    if decided or count <= MOST_SENSITIVE_NUMBERS or not _numeric(match):
        return []
    wrong = (
        f"a sensitive column of numbers has {count} values and no level: neighbouring numbers would "
        "count as different values, and l and t would look better than they are"
    )
    remedy = (
        "give a hierarchy and the level to publish, such as hierarchy.intervals = [1000] and release_level = "
        "1 (level = 1 only measures intervals: the exact numbers are published), "
        'or set type = "text" if the numbers are codes'
    )
    return [Problem(match.place, wrong, remedy, "release_level")]


def _numeric(match: ColumnMatch) -> bool:
    """True if a column is numeric, by its type, its kind or its values: in a CSV file every column is
    text."""
    if match.column.kind.reads == "numbers":
        return True
    if match.column.type is not None or match.type != "text":
        return match.type in ("integer", "decimal")
    texts = match.values.texts
    return all_numbers([text.replace(",", ".") if has_decimal_comma(text) else text for text in texts])


def _level_needs_hierarchy(match: ColumnMatch) -> list[Problem]:
    if match.column.hierarchy is not None:
        return []
    settings = {"level": match.column.level, "release_level": match.column.release_level}
    return [
        Problem(
            match.place,
            f"{key} is {level}, but there is no hierarchy",
            f"give a hierarchy, or omit {key}",
            key,
        )
        for key, level in settings.items()
        if level
    ]


def _identifying(match: ColumnMatch) -> list[Problem]:
    """A column that is published unchanged and looks as if it identified people: by its name, by the shape of
    its values, or by their number."""
    column = match.column
    if column.kept or (column.role == "other" and column.published_level is not None):
        return []
    return _looks_identifying(match) or _too_many(match, len(match.values.texts))


def _looks_identifying(match: ColumnMatch) -> list[Problem]:
    """A column that is published unchanged and looks like a direct identifier by its name or its values."""
    column = match.column
    if column.kept or column.published_level is not None:
        return []
    sign = identifying_sign(column.name, match.values.texts, match.holders)
    if sign is None:
        return []
    wrong = f"{sign}, and the role {column.role} publishes it unchanged"
    return [Problem(match.place, wrong, NOT_PUBLISHED, "kept")]


def _too_many(match: ColumnMatch, distinct: int) -> list[Problem]:
    """A column with more distinct values, as it is published, than half the rows."""
    rows = match.holders
    if match.column.kept or 2 * distinct <= rows:
        return []
    unchanged = match.column.published_level is None
    wrong = (
        f"{distinct} distinct values in {rows} {'people' if match.persons else 'rows'} would be "
        f"released {'unchanged' if unchanged else 'at its release_level'} and could identify people"
    )
    return [Problem(match.place, wrong, NOT_PUBLISHED, "kept")]


def _type(match: ColumnMatch) -> list[Problem]:
    """The values that are not of the column's `type`."""
    column, values = match.column, match.values
    if column.type not in CHECKS or column.type == values.type or _checked_later(column):
        return []
    what, check = CHECKS[column.type]
    unfit = np.flatnonzero(~check(column, values))
    if not len(unfit):
        return []
    wrong = f"{what}: {values.counted(values.texts[index] for index in unfit)}"
    remedy = f'fix them or change type = "{column.type}", or list them in null if they mean missing'
    remedy = comma_remedy(remedy, (values.texts[index] for index in unfit))
    return [Problem(values.place, wrong, remedy, "type")]


def _checked_later(column: ColumnSpec) -> bool:
    """True if a hierarchy of dates will read the values, which reports more about what is wrong with them."""
    dated = column.type == "date" and column.role in ("quasi", "sensitive")
    return column.unknown_to_top or (dated and column.kind.reads == "dates")


def _integers(column: ColumnSpec, values: Values) -> Mask:
    numbers = read_numbers(values.texts)
    return numbers.readable & np.asarray(numbers.scaled % 10**numbers.decimals == 0, dtype=np.bool_)


def _booleans(column: ColumnSpec, values: Values) -> Mask:
    truths = (text.strip().lower() in TRUTHS for text in values.texts)
    return np.fromiter(truths, dtype=np.bool_, count=len(values.texts))


CHECKS: Mapping[str | None, tuple[str, Callable[[ColumnSpec, Values], Mask]]] = {
    "integer": ("not integers", _integers),
    "decimal": ("not numbers", lambda column, values: read_numbers(values.texts).readable),
    "date": ("not dates", lambda column, values: read_days(values.texts, column.format) >= 0),
    "boolean": ("not true or false (yes or no, 1 or 0)", _booleans),
}


class Treatment(NamedTuple):
    """The rules that a column of a role is checked by, and how it is bound if it breaks none."""

    checks: tuple[Callable[[ColumnMatch], list[Problem]], ...]
    bind: Callable[[ColumnMatch], BoundColumn | None] | None = None


# Of columns of other roles no values are needed.
TREATMENT: Mapping[Role, Treatment] = {
    "identifier": Treatment((_identifier_repeats,)),
    "quasi": Treatment((_needs_hierarchy, _type), bind_quasi),
    "sensitive": Treatment(
        (_looks_identifying, _too_many_numbers, _level_needs_hierarchy, _type), bind_sensitive
    ),
    "class": Treatment((_identifying, _type), bind_class),
    "other": Treatment((_identifying, _level_needs_hierarchy, _type), _bind_other),
    "person": Treatment((_rows_without,), bind_person),
    "weight": Treatment((_rows_without, _weight_wrong), bind_weight),
    "household": Treatment((_rows_without,), bind_household),
    "required-k": Treatment((_rows_without, _no_size), bind_required),
}
