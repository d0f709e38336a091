"""Comparison of rows: every row of the release must be one of the original, recoded again by look-up and SQL,
and nothing may be missing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from paretonym.arrays import Integers
from paretonym.audits.checks import NOTHING, Check, parse_requirement, significant
from paretonym.audits.original_rows import KeptMeaning, Original
from paretonym.audits.shown_sets import NOWHERE, Shown
from paretonym.audits.sql_classes import (
    Counted,
    Reference,
    class_values,
    ordered_distance,
    tree_distance,
)
from paretonym.audits.sql_engine import Engine, listed
from paretonym.audits.sql_formulas import DISTANCES, alias, line_of
from paretonym.audits.sql_measures import NotMeasurable, Watched, class_number
from paretonym.audits.table_file import TableFile
from paretonym.errors import InputError

# Codes of entries and their texts, by name of the column.
Columns: TypeAlias = dict[str, tuple[Any, tuple[str, ...]]]


@dataclass(frozen=True, eq=False)
class Recoded:
    """The original as the manifest says that it is released: the view `view` of an engine has the columns of
    the file, and how many original rows `n` look like this. `perhaps`: the same of every class that a row may
    be in, of rows whose class cannot be determined."""

    original: Original
    shown: Shown
    view: str
    perhaps: str | None = None


def recode(file: TableFile, original: Original, shown: Shown, view: str = "recoded") -> Recoded:
    """Recode every entry of the original and count equal rows. Columns must be those of the file."""
    quasi: Columns = {column.name: (column.codes, (*column.labels, NOWHERE)) for column in shown.columns}
    kept: Columns = {column.name: (column.codes, column.texts) for column in original.kept}
    _count_columns(file, view, {**quasi, **kept}, original.weights)
    if shown.several is None:
        return Recoded(original, shown, view)
    entries, labels = shown.several.entries, shown.several.labels
    quasi = {column.name: (labels[:, j], column.labels) for j, column in enumerate(shown.columns)}
    kept = {name: (codes[entries], texts) for name, (codes, texts) in kept.items()}
    weights = None if original.weights is None else original.weights[entries]
    _count_columns(file, f"{view}_perhaps", {**quasi, **kept}, weights)
    return Recoded(original, shown, view, f"{view}_perhaps")


def _count_columns(file: TableFile, view: str, columns: Columns, weights: Integers | None) -> None:
    codes = {file.column(name): columns[name][0] for name in file.names}
    texts = {file.column(name): columns[name][1] for name in file.names}
    count_texts(file.engine, view, codes, texts, weights)


def count_texts(
    engine: Engine,
    table: str,
    codes: Mapping[str, Any],
    texts: Mapping[str, tuple[str, ...]],
    weights: Integers | None = None,
) -> None:
    """Make a table of the different rows that codes stand for, and how often each occurs, `n`. Each entry of
    the codes counts as many rows as its weight says, or one."""
    often = {} if weights is None else {"weight": weights}
    engine.keep(f"{table}_codes", {**codes, **often})
    for place, labels in texts.items():
        engine.lookup(f"{table}_{place}", labels)
    rows = "count(*)" if weights is None else "sum(weight)::bigint"
    counted = f"select {listed(list(codes))}, {rows} as n from {table}_codes group by {listed(list(codes))}"
    joins = " ".join(f"join {table}_{place} as of_{place} on of_{place}.code = {place}" for place in codes)
    shown = listed([f"of_{place}.text as {place}" for place in codes])
    engine.run(
        f"create or replace temp table {table} as select {shown}, n from ({counted}) as counted {joins}"
    )
    engine.run(f"drop table {table}_codes")


def plain_texts(file: TableFile, original: Original) -> list[str]:
    """The columns of the file for comparing, as expressions.

    A release writes missing values in its own way, which does not make two rows different here.
    """
    return [file.plain(place, place, original.null) for place in map(file.column, file.names)]


def measured_view(file: TableFile, original: Original) -> dict[str, str]:
    """Make the view `measured`: the file's columns with sensitive values at the level of their measures.
    The column of each sensitive name there."""
    engine = file.engine
    sensitive = [column for column in original.kept if column.values]
    places = {column.name: file.column(column.name) for column in sensitive}
    joins = " ".join(_measured_join(file, column, places[column.name]) for column in sensitive)
    shown = [f"coalesce(as_{place}.measured, release.{place}) as m{place}" for place in places.values()]
    engine.run(
        f"create or replace temp view measured as select {listed(['release.*', *shown])} "
        f"from {file.view} as release {joins}"
    )
    return {name: f"m{place}" for name, place in places.items()}


def _measured_join(file: TableFile, column: KeptMeaning, place: str) -> str:
    """Make a table with the measured value of each text, and the join that uses it."""
    table = f"measured_{place}"
    file.engine.run(
        f"create or replace temp table {table} as "
        "select unnest(?::varchar[]) as text, unnest(?::varchar[]) as measured",
        [list(column.texts), list(column.measured)],
    )
    own, shown = (file.same(place, text) for text in (f"as_{place}.text", f"release.{place}"))
    return f"left join {table} as as_{place} on {own} = {shown}"


KEPT = "classes kept against the rule"


def compare_rows(file: TableFile, recoded: Recoded, together: str | None = None) -> list[Check]:
    """Compare the rows of both: the release may contain no row that the original does not give, and a class
    must be there with all its rows or not at all. A row whose class cannot be determined counts for each
    class that it may be in, but is missing from none. With `together`, rows were suppressed with their person
    or household, for reasons that the original alone does not show."""
    _lay_side_by_side(file, recoded)
    quasi = listed([file.column(column.name) for column in recoded.original.quasi])
    classes = f"select sum(released) as released, sum(given) as given from beside group by {quasi}"
    torn = file.engine.count(f"select count(*) filter (released > 0 and released < given) from ({classes})")
    return [*_foreign(file, recoded), *_torn(torn, together), *_unsettled(recoded)]


def _foreign(file: TableFile, recoded: Recoded) -> list[Check]:
    foreign = file.engine.count("select sum(greatest(released - possible, 0)) from beside")
    if recoded.perhaps is not None:
        # Each of these rows is in one class only: together there are no more than the original has.
        quasi = {column.name for column in recoded.original.quasi}
        kept = listed([file.column(name) for name in file.names if name not in quasi] or ["1"])
        total = f"select sum(released) as released, sum(given) as given from beside group by {kept}"
        foreign = max(foreign, file.engine.count(f"select sum(greatest(released - given, 0)) from ({total})"))
    why = "" if foreign == 0 else "cells were changed or not generalized, or rows were added"
    return [Check("original", "rows not from the original", 0, foreign, foreign == 0, why)]


def _torn(torn: int, together: str | None) -> list[Check]:
    if torn and together:
        why = f"cannot be decided: rows go with their {together}, and which stays depends on old rows too"
        return [Check("original", "classes with rows missing", None, torn, None, why)]
    why = "" if torn == 0 else "a class stays or is suppressed with all its rows; but rows were removed"
    return [Check("original", "classes with rows missing", 0, torn, torn == 0, why)]


def _unsettled(recoded: Recoded) -> list[Check]:
    if not recoded.shown.unsettled:
        return []
    why = "classes overlap: which of them these rows are in cannot be decided"
    found = recoded.shown.unsettled
    return [Check("original", "rows that fit several classes", None, found, None, why)]


def _lay_side_by_side(file: TableFile, recoded: Recoded) -> None:
    """Make the table `beside`: for every different row, how often it is released, how often it is given for
    sure, and how often it may be."""
    plain = zip(plain_texts(file, recoded.original), map(file.column, file.names), strict=True)
    columns = listed([f"{text} as {place}" for text, place in plain])
    both = (
        f"select {columns}, 1 as released, 0 as given, 0 as possible from {file.view} "
        f"union all select {columns}, 0 as released, n as given, n as possible from {recoded.view}"
    )
    if recoded.perhaps is not None:
        both += (
            f" union all select {columns}, 0 as released, 0 as given, n as possible from {recoded.perhaps}"
        )
    names = listed([file.column(name) for name in file.names])
    sums = listed([f"sum({each}) as {each}" for each in ("released", "given", "possible")])
    file.engine.run(
        f"create or replace temp table beside as select {names}, {sums} from ({both}) group by {names}"
    )


def compare_kept(
    counted: Counted,
    watched: tuple[Watched, ...],
    file: TableFile,
    keep: Mapping[str, str],
    close: bool,
) -> list[Check]:
    """Whether exactly the classes stayed that meet the conditions of the manifest. `counted` are the classes
    of the whole original, recoded.

    If classes also had to be `close` to the input, how close is not published. Then a class that was
    suppressed although it meets all other conditions must be farther from the input than all that stayed, by
    some distance of some sensitive column.
    """
    conditions = [_condition(counted, watched, name, text) for name, text in keep.items()]
    meets = " and ".join(f"class in ({condition})" for condition in conditions) or "true"
    same = " and ".join(f"own.{key} = shown.{key}" for key in counted.keys)
    shown = f"(select distinct {listed(counted.keys)} from {file.view}) as shown"
    counted.engine.run(
        f"create or replace temp table judged as select class, ({meets}) as meets, "
        f"exists (select 1 from {shown} where {same}) as stays from {counted.name} as own"
    )
    far = " union ".join(_farther(counted, one) for one in watched) if close and watched else ""
    excused = f" and not (meets and class in ({far}))" if far else ""
    wrong = counted.engine.count(f"select count(*) from judged where meets <> stays{excused}")
    said = ", ".join(f"{name}{text}" for name, text in keep.items())
    why = "" if wrong == 0 else f"classes stayed or were suppressed contrary to {said or 'closeness'}"
    return [Check("original", KEPT, 0, wrong, wrong == 0, why)]


def _farther(counted: Counted, one: Watched) -> str:
    """A query for the classes that are farther from the input than all that stayed, by any distance."""
    values = class_values(counted, one.column, _reference(one))
    distances = [f"select class, {alias(name)} as value from {values}" for name in DISTANCES]
    if one.order:
        distances.append(ordered_distance(counted, one.column, _reference(one), one.order))
    if one.tree:
        distances.append(tree_distance(counted, one.column, _reference(one), one.tree))
    stayed = "class in (select class from judged where stays)"
    return " union ".join(
        f"select class from ({each}) where value > "
        f"(select coalesce(max(value), 0) + {NOTHING!r} from ({each}) where {stayed})"
        for each in distances
    )


def _condition(counted: Counted, watched: tuple[Watched, ...], name: str, text: str) -> str:
    """A query for the classes that meet the conditions."""
    if "," in name:
        return _in_order(counted, watched, name.split(","), text.removeprefix(">=").split(","))
    try:
        asked = parse_requirement(f"{name}{text}")
    except InputError:
        raise NotMeasurable("the manifest's rule cannot be read") from None
    if math.isinf(asked.bound):
        raise NotMeasurable("the manifest's rule has no finite bound")
    line, (_, at, column) = line_of(name), name.partition("@")
    if line is not None and line.source == "sizes" and line.of_class:
        return f"select class from {counted.name} where {line.of_class} {asked.comparison} {asked.bound!r}"
    ones = [one for one in watched if not at or one.name == column]
    value = class_number(name)
    if not value or not ones or any(one.reference is None for one in ones):
        raise NotMeasurable(f"the rule {name}{text} is unknown")
    # By the digits that count, as everywhere.
    slack = 1e-9 * max(abs(significant(asked.bound)), 1e-3)
    bound = asked.bound - slack if asked.comparison.startswith(">") else asked.bound + slack
    tables = [class_values(counted, one.column, _reference(one)) for one in ones]
    return " intersect ".join(
        f"select class from {table} where {value} {asked.comparison} {bound!r}" for table in tables
    )


def _in_order(counted: Counted, watched: tuple[Watched, ...], names: list[str], bounds: list[str]) -> str:
    """`k,l-distinct>=20,4`: 21 of the first, or 20 of it and 4 of the second. Whole numbers of the first."""
    if len(names) != 2 or len(bounds) != 2 or not bounds[0].isdigit():
        raise NotMeasurable("the manifest's rule cannot be read")
    more = _condition(counted, watched, names[0], f">={int(bounds[0]) + 1}")
    enough, then = (
        _condition(counted, watched, name, f">={bound}") for name, bound in zip(names, bounds, strict=True)
    )
    return f"({more}) union (({enough}) intersect ({then}))"


def _reference(one: Watched) -> Reference:
    if one.reference is None:
        raise NotMeasurable("it is measured against the input")
    return one.reference
