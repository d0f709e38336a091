"""The table of the population that a table was drawn from: opened for a study, and again for a saved run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from paretonym.base.errors import Field, InputError
from paretonym.base.number_text import format_fraction, parse_fraction
from paretonym.tables.data_address import lasting_place, local_file
from paretonym.tables.schema import Schema, of_population, wanted_of
from paretonym.tables.source import Counts, TableForm
from paretonym.tables.source.engines import open_source

# The options under which a run records the population, and the share of it that the table is.
OPTION = "population_file"
FRACTION = "sampling_fraction"


def open_population(
    schema: Schema, data: Any, engine: str, memory: str | int | None, form: TableForm
) -> Counts:
    """The population, read or counted like the table itself; only its quasi-identifiers are needed."""
    if isinstance(data, str) and data == "-":
        raise InputError.of(
            Field(OPTION),
            "the standard input can be read once only, and a release reads the population again",
            "save it to a file first",
        )
    return open_source(data, wanted_of(of_population(schema)), engine=engine, memory=memory, form=form)


def population_files(data: Any) -> list[str]:
    """The file of a population, if it is one: no output may replace it."""
    file = local_file(data) if isinstance(data, str | os.PathLike) else None
    return [] if file is None else [str(file)]


def population_as_json(source: Counts) -> dict[str, Any]:
    """The record of a population in a run: where it is, and what it was."""
    path = None if source.path is None else lasting_place(source.path)
    return {OPTION: {"path": path, "fingerprint": source.fingerprint}}


def fraction_as_json(fraction: Fraction | None) -> dict[str, Any]:
    """The record of a sampling fraction in a run."""
    return {} if fraction is None else {FRACTION: format_fraction(fraction)}


def stored_fraction(options: Mapping[str, Any]) -> Fraction | None:
    """The sampling fraction of a saved run, if it has one."""
    text = options.get(FRACTION)
    return None if text is None else parse_fraction(text, Field(FRACTION))


def same_population(
    schema: Schema, entry: Mapping[str, Any], engine: str, memory: str | int | None
) -> Counts:
    """The population of a saved run; any other one is refused."""
    if entry["path"] is None:
        raise InputError.of(Field(OPTION), "the run does not record where it is", "explore again")
    source = open_population(schema, entry["path"], engine, memory, TableForm())
    if source.fingerprint != entry["fingerprint"]:
        raise InputError.of(
            source.name, "the population has changed since this run was made", "explore again"
        )
    return source
