"""Measures of a population by SQL: a table of the people whom the rows were drawn from, recoded like the
release."""

from __future__ import annotations

import math
from collections.abc import Mapping

from paretonym.audits.checks import WHOLE, Check, same, same_rounded
from paretonym.audits.manifest_completeness import POPULATION_STATED as STATED
from paretonym.audits.manifest_reader import Manifest
from paretonym.audits.original_rows import Original
from paretonym.audits.row_comparison import count_texts
from paretonym.audits.shown_sets import NOWHERE, at_level, levels_of
from paretonym.audits.sql_classes import count
from paretonym.audits.sql_engine import listed
from paretonym.audits.sql_measures import NotMeasurable
from paretonym.audits.table_file import TableFile
from paretonym.errors import Field
from paretonym.sql_literals import sql_text

MEASURED = ("k-map", "presence-max", "presence-min")
UNSHOWN = f"cannot be verified: give {Field('population_file')} and {Field('schema')}"
PART = "rows are part of the population"


def beside_population(
    file: TableFile, population: Original, manifest: Manifest
) -> tuple[dict[str, float], list[Check]]:
    """k-map and presence of the release, counted again, and whether its rows can be part of the population:
    no class may have more rows than people."""
    try:
        levels = levels_of(manifest.recoding, population)
        columns = [at_level(column, levels[column.name]) for column in population.quasi]
        keys = [file.column(column.name) for column in columns]
    except (NotMeasurable, KeyError):
        why = "the classes of a population are known only where every column is shown at one level"
        return {}, [Check("original", PART, None, None, None, f"cannot be decided: {why}")]
    codes = {key: column.codes for key, column in zip(keys, columns, strict=True)}
    texts = {key: (*column.labels, NOWHERE) for key, column in zip(keys, columns, strict=True)}
    count_texts(file.engine, "people", codes, texts, population.weights)
    sample = count(file.engine, file.view, keys, (), "sample_classes")
    somewhere = " and ".join(f"{key} <> {sql_text(NOWHERE)}" for key in keys)
    file.engine.run(
        "create or replace temp table sample_and_people as "
        "select coalesce(size, 0) as size, coalesce(n, 0) as n from "
        f"{sample.name} full join (select {listed(keys)}, n from people where {somewhere}) "
        f"using ({listed(keys)})"
    )
    short = int(file.engine.number("select coalesce(sum(greatest(size - n, 0)), 0) from sample_and_people"))
    why = f"{short:,} rows look like nobody in it, or like fewer people than rows" if short else ""
    checks = [Check("original", PART, 0, short, not short, why)]
    return ({} if short else _measured(file)), checks


def _measured(file: TableFile) -> dict[str, float]:
    values = file.engine.row(
        "select min(n) filter (size > 0), max(size / n) filter (size > 0), min(size / n) "
        "from sample_and_people"
    )
    return dict(zip(MEASURED, map(float, values), strict=True))


def check_population(manifest: Manifest, found: Mapping[str, float], given: bool) -> list[Check]:
    """The stated k-map and presence beside what was counted in a population, if one was `given`."""
    return [_stated(name, manifest, found, given) for name in MEASURED if name in manifest.statements]


def _stated(name: str, manifest: Manifest, found: Mapping[str, float], given: bool) -> Check:
    said = manifest.statements[name]
    if name in found:
        right = same if name == STATED else same_rounded
        return Check("statement", name, said, found[name], right(said, found[name]))
    if given:
        return Check("statement", name, said, None, False, "the population does not show it")
    if why := _impossible(name, manifest):
        return Check("statement", name, said, None, False, why)
    return Check("statement", name, said, None, None, UNSHOWN)


def _impossible(name: str, manifest: Manifest) -> str:
    """Why no population can give what is stated, as far as the manifest itself shows it."""
    said, k = manifest.statements[name], manifest.claims.get("k", 1)
    fewest = manifest.statements.get(STATED, math.nan)
    counted = k <= fewest < WHOLE and fewest == int(fewest)
    if name == STATED:
        return "" if counted else "it is a number of people, at least as many as the smallest class has rows"
    if not 0 <= said <= 1:
        return "it is a share"
    # Of the fewest people at least as many are in the release as the smallest class has rows.
    least = k / fewest if counted else 0.0
    if name == MEASURED[1] and said < least and not same_rounded(said, least):
        return "the class with the fewest people of the population has a higher share"
    if name == MEASURED[2] and said > manifest.statements.get(MEASURED[1], 1):
        return "it is above the highest share"
    return ""
