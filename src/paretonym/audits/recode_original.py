"""The original recoded again, by look-up and SQL, and laid beside the release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from paretonym.audits.schema_adapter import MISSING, KeptMeaning, Original
from paretonym.audits.shown_sets import NOWHERE, Shown
from paretonym.audits.sql_engine import Engine, quoted
from paretonym.audits.table_file import TableFile, listed

# Codes of rows and their texts, by name of the column.
Columns: TypeAlias = dict[str, tuple[Any, tuple[str, ...]]]


@dataclass(frozen=True, eq=False)
class Recoded:
    """The original as the manifest says that it is released: the view `view` of an engine has the columns of
    the file, and how many original rows `n` look like this. `perhaps`: the same of every class that a row may
    be in, of rows whose class cannot be told."""

    original: Original
    shown: Shown
    view: str
    perhaps: str | None = None


def recode(file: TableFile, original: Original, shown: Shown, view: str = "recoded") -> Recoded:
    """Recode every original row and count equal ones. Columns must be those of the file."""
    quasi: Columns = {column.name: (column.codes, (*column.labels, NOWHERE)) for column in shown.columns}
    kept: Columns = {column.name: (column.codes, column.texts) for column in original.kept}
    _count_columns(file, view, {**quasi, **kept})
    if shown.several is None:
        return Recoded(original, shown, view)
    rows, labels = shown.several.rows, shown.several.labels
    quasi = {column.name: (labels[:, j], column.labels) for j, column in enumerate(shown.columns)}
    kept = {name: (codes[rows], texts) for name, (codes, texts) in kept.items()}
    _count_columns(file, f"{view}_perhaps", {**quasi, **kept})
    return Recoded(original, shown, view, f"{view}_perhaps")


def _count_columns(file: TableFile, view: str, columns: Columns) -> None:
    codes = {file.column(name): columns[name][0] for name in file.names}
    texts = {file.column(name): columns[name][1] for name in file.names}
    count_texts(file.engine, view, codes, texts)


def count_texts(
    engine: Engine, table: str, codes: Mapping[str, Any], texts: Mapping[str, tuple[str, ...]]
) -> None:
    """Make a table of the different rows that codes stand for, and how often each occurs, `n`."""
    engine.keep(f"{table}_codes", dict(codes))
    for place, labels in texts.items():
        engine.lookup(f"{table}_{place}", labels)
    counted = f"select {listed(list(codes))}, count(*) as n from {table}_codes group by all"
    joins = " ".join(f"join {table}_{place} as of_{place} on of_{place}.code = {place}" for place in codes)
    shown = listed([f"of_{place}.text as {place}" for place in codes])
    engine.run(
        f"create or replace temp table {table} as select {shown}, n from ({counted}) as counted {joins}"
    )
    engine.run(f"drop table {table}_codes")


def plain_texts(file: TableFile, original: Original) -> list[str]:
    """The columns of the file for comparing, as expressions.

    A release writes missing values in its own way: that does not tell two rows apart here.
    """
    missing = listed([quoted(word) for word in ("", MISSING, *original.null)])
    places = [file.column(name) for name in file.names]
    return [f"if(trim({place}) in ({missing}), {quoted('')}, {file.same(place, place)})" for place in places]


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
