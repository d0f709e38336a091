"""`paretonym risk`: where the risk of a table comes from, before any release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from paretonym.cli.command_parameters import Option
from paretonym.cli.common_options import (
    DATA,
    SCHEMA,
    USUAL_COUNT,
    CountOptions,
    Json,
    Quiet,
    check_address,
)
from paretonym.cli.console import note, output, print_json, warn
from paretonym.errors import printable

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from paretonym.risk import SampleRisk, TableRisk

EXAMPLES = """Examples:

\b
  paretonym risk patients.csv --schema patients.toml
  paretonym risk patients.csv --schema patients.toml --size 4 --json
  paretonym risk survey.csv --schema survey.toml --sampling-fraction 2%
  paretonym risk sqlite:///clinic.db --table patients --schema patients.toml
"""
MOST_COMBINATIONS = 15
CONFIDENTIAL = "Confidential, for the publisher alone: these figures describe the table itself."


def risk(
    data: Annotated[str, DATA],
    schema: Annotated[Path, SCHEMA],
    size: Annotated[
        int | None,
        Option(min=1, help="Search combinations of at most this many columns (default 3)."),
    ] = None,
    sampling_fraction: Annotated[
        str | None,
        Option(
            metavar="SHARE",
            help="Estimate the risk in the population, of which the table is this share, such as 2%. Weights "
            "are scaled to it.",
        ),
    ] = None,
    source: CountOptions = USUAL_COUNT,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show where the risk of a table comes from, before any release.

    Counts people who are unique, and finds the quasi-identifiers, and the small combinations of them, that
    make them unique (minimal sample uniques, SUDA2). The output is as confidential as the table; it shows no
    value of a column.
    """
    from paretonym.run import Study
    from paretonym.schema import read_schema

    described = read_schema(schema)
    note("Reading …", quiet or as_json)
    check_address(data)
    study = Study(data, described, **source.keywords)
    found = study.risk(size=size, sampling_fraction=sampling_fraction)
    if as_json:
        print_json(found.as_json())
        return
    warn(*found.warnings)
    output().print(risk_view(found))
    note(CONFIDENTIAL, quiet)


def risk_view(found: TableRisk) -> RenderableType:
    """The risk of a table: sentences, then tables of class sizes, columns and combinations."""
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = [Text(str(found)), Text(str(found.classes))]
    parts += [_sizes(found), _columns(found)]
    if found.combinations:
        parts.append(_combinations(found))
    if found.sample is not None:
        parts.append(_sample(found.sample))
    return Group(*parts)


def titled(title: str, *headings: str, first: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left", title_style="bold")
    table.add_column(first, overflow="fold")
    for heading in headings:
        table.add_column(heading, justify="right")
    return table


def _sizes(found: TableRisk) -> Table:
    from paretonym.sentence_parts import percentage

    many = found.unit.many
    who = "who" if found.unit.is_person else "that"
    table = titled("Class sizes", "classes", many, "share", first=f"{many} {who} look the same")
    for each in found.classes.bins():
        if each.classes:
            size = f"{each.low:,}" if each.low == each.high else f"{each.low:,} … {each.high:,}"
            share = percentage(each.rows / found.classes.rows)
            table.add_row(size, f"{each.classes:,}", f"{each.rows:,}", share)
    return table


def _columns(found: TableRisk) -> Table:
    from paretonym.sentence_parts import percentage

    headings = ("values", "unique alone", "share of score", "unique without it", "k without it")
    table = titled("Quasi-identifiers, the riskiest first", *headings, first="column")
    for each in sorted(found.columns, key=lambda column: (-column.score, column.without)):
        table.add_row(
            printable(each.name), f"{each.values:,}", f"{each.alone:,}", percentage(each.score),
            f"{each.without:,}", f"{each.smallest_without:,}",
        )  # fmt: skip
    return table


def _combinations(found: TableRisk) -> Table:
    from paretonym.sentence_parts import percentage

    shown = found.combinations[:MOST_COMBINATIONS]
    more = f" ({len(shown)} of {len(found.combinations):,})" if len(shown) < len(found.combinations) else ""
    title = f"Combinations that make {found.unit.many} unique, none of them larger than needed{more}"
    table = titled(title, found.unit.many, "share of score", first="columns")
    for each in shown:
        table.add_row(", ".join(map(printable, each.columns)), f"{each.rows:,}", percentage(each.score))
    return table


def _sample(found: SampleRisk) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    from paretonym.sentence_parts import percent

    title = "Unique in the population (estimates" + (" without the weights)" if found.weights else ")")
    table = titled(title, "people", "share", first="model and what it assumes")
    for each in found.uniques.estimates:
        mark = ", trusted here" if each.model == found.uniques.trusted else ""
        people = "does not fit" if each.uniques is None else f"{each.uniques:,.0f}"
        share = "" if each.uniques is None else percent(each.uniques * found.fraction / found.rows)
        table.add_row(f"{each.model}{mark}: {each.assumes}", people, share)
    text = (
        f"{_drawn(found)}, "
        f"{found.expected:,.1f} people ({percent(found.share)}) are expected to be re-identified by somebody "
        "who searches the whole population for each of them (negative binomial model). The smallest class "
        f"stands for {found.smallest:,.1f} people of it (estimated k-map). These are estimates, "
        "not proven. In simulations the number of re-identifications was too low: for samples of 2 % the "
        "truth was three to six times as high."
    )
    return Group(table, Text(text))


def _drawn(found: SampleRisk) -> str:
    """Where the estimates come from."""
    from paretonym.sentence_parts import percent

    if found.weights is None:
        return f"If the table is a random sample of {percent(found.fraction)} of a population"
    if found.weights == "scaled":
        return (
            f"If the table is a sample of {percent(found.fraction)} of a population, drawn as the weights say"
        )
    return f"If the table stands for {found.population:,.0f} people, as many as the weights add up to"
