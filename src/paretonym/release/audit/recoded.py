"""The original recoded again, by look-up and SQL, and laid beside the release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paretonym.release.audit.engine import Engine, quoted
from paretonym.release.audit.meaning import MISSING, KeptMeaning, Original, QuasiMeaning
from paretonym.release.audit.measuring import NotMeasurable
from paretonym.release.audit.tablefile import TableFile, listed


@dataclass(frozen=True, eq=False)
class Recoded:
    """The original as the manifest says that it is released: the view `view` of an engine has the columns of
    the file, and how many original rows `n` look like this."""

    original: Original
    levels: Mapping[str, int]
    view: str


def levels_of(recoding: Mapping[str, Any], original: Original) -> dict[str, int]:
    """The level of every quasi-identifier; anything else cannot be made again here."""
    levels = recoding.get("levels")
    if not isinstance(levels, dict):
        raise NotMeasurable("the manifest names no levels, so the original cannot be recoded again")
    for column in original.quasi:
        level = levels.get(column.name)
        if not isinstance(level, int) or not 0 <= level < len(column.levels):
            raise NotMeasurable(f"the manifest names no level of '{column.name}' that the schema has")
    return levels


def recode(file: TableFile, original: Original, levels: Mapping[str, int], view: str = "recoded") -> Recoded:
    """Recode every original row and count equal ones. Columns must be those of the file."""
    columns: dict[str, QuasiMeaning | KeptMeaning] = {column.name: column for column in original.quasi}
    columns |= {column.name: column for column in original.kept}
    codes: dict[str, Any] = {}
    texts: dict[str, tuple[str, ...]] = {}
    for name in file.names:
        column, place = columns[name], file.column(name)
        if isinstance(column, QuasiMeaning):
            shown = column.levels[levels[name]]
            codes[place], texts[place] = shown.sets[column.leaves], shown.labels
        else:
            codes[place], texts[place] = column.codes, column.texts
    count_texts(file.engine, view, codes, texts)
    return Recoded(original, levels, view)


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
