"""`paretonym risk`: where the risk of a table comes from, before any release."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from paretonym.interfaces.cli.command_inputs import SOURCE, Source, check_address
from paretonym.interfaces.cli.screen import DETAILED, DetailedScreen, View, columns

if TYPE_CHECKING:
    from rich.console import RenderableType

    from paretonym.engine.risk import SampleRisk, TableRisk

EXAMPLES = """Examples:

\b
  paretonym risk patients.csv --schema patients.toml
  paretonym risk patients.csv --schema patients.toml --size 4 --json
  paretonym risk survey.csv --schema survey.toml --sampling-fraction 2%
  paretonym risk sqlite:///clinic.db --table patients --schema patients.toml
"""
FEW, MOST_COMBINATIONS = 3, 15
CONFIDENTIAL = "Confidential, for the publisher alone: these figures describe the table itself."


def risk(
    data: str,
    schema: Path,
    size: int | None = None,
    sampling_fraction: str | None = None,
    source: Source = SOURCE,
    screen: DetailedScreen = DETAILED,
) -> None:
    """Show where the risk of a table comes from, before any release.

    Counts people who are unique, and finds the quasi-identifiers, and the small combinations of them, that
    make them unique (minimal sample uniques, SUDA2). The output is as confidential as the table; it shows no
    value of a column.
    """
    from paretonym.study import Study
    from paretonym.tables.schema import read_schema

    described = read_schema(schema)
    screen.note("Reading …")
    check_address(data)
    table_risk = Study(data, described, **source.keywords).risk(
        size=size, sampling_fraction=sampling_fraction
    )
    lines = list(_lines(table_risk))
    screen.show(
        View(table_risk.as_json(), lines, table_risk.warnings, CONFIDENTIAL, lambda: _details(table_risk))
    )


def _lines(risk: TableRisk) -> Iterator[str]:
    from paretonym.base.sentence_parts import percentage

    yield str(risk)
    yield str(risk.classes)
    riskiest = sorted(risk.columns, key=lambda column: (-column.score, column.without))[:FEW]
    if any(column.score for column in riskiest):
        named = ", ".join(f"{column.name} ({percentage(column.score)} of the score)" for column in riskiest)
        yield f"Riskiest quasi-identifiers: {named}."
    if risk.combinations:
        few = risk.combinations[:FEW]
        named = "; ".join(f"{', '.join(one.columns)} ({_people(risk, one.rows)})" for one in few)
        yield f"What makes {risk.unit.many} unique: {named}."
    if risk.sample is not None:
        yield _estimate(risk.sample)
    if risk.classes.households is not None and risk.classes.households.in_population:
        yield risk.classes.households.in_population


def _people(risk: TableRisk, number: int) -> str:
    """A number of people; of person-groups, if somebody counts once for each combination of values."""
    from paretonym.base.sentence_parts import several

    return several(number, "person-group", "person-groups") if risk.cautions else risk.unit.count(number)


def _details(risk: TableRisk) -> Iterator[RenderableType]:
    """Tables of class sizes, columns, combinations, and estimates for the population."""
    from paretonym.base.sentence_parts import percentage

    many = risk.unit.many
    who = "who" if risk.unit.is_person else "that"
    sizes = [
        (
            f"{one.low:,}" if one.low == one.high else f"{one.low:,} … {one.high:,}",
            f"{one.classes:,}",
            f"{one.rows:,}",
            percentage(one.rows / risk.classes.rows),
        )
        for one in risk.classes.bins()
        if one.classes
    ]
    heading = f"{many} {who} look the same"
    yield columns(heading, ">classes", f">{many}", ">share", title="Class sizes", rows=sizes)
    by_column = [
        (
            one.name, f"{one.values:,}", f"{one.alone:,}", percentage(one.score), f"{one.without:,}",
            f"{one.smallest_without:,}",
        )
        for one in sorted(risk.columns, key=lambda column: (-column.score, column.without))
    ]  # fmt: skip
    yield columns(
        "column", ">values", ">unique alone", ">share of score", ">unique without it", ">k without it",
        title="Quasi-identifiers, the riskiest first", rows=by_column,
    )  # fmt: skip
    if risk.combinations:
        few = risk.combinations[:MOST_COMBINATIONS]
        more = f" ({len(few)} of {len(risk.combinations):,})" if len(few) < len(risk.combinations) else ""
        title = f"Combinations that make {many} unique, none of them larger than needed{more}"
        rows = [(", ".join(one.columns), f"{one.rows:,}", percentage(one.score)) for one in few]
        counted = "person-groups" if risk.cautions else many
        yield columns("columns", f">{counted}", ">share of score", title=title, rows=rows)
    if risk.sample is not None:
        yield _models(risk.sample)


def _models(sample: SampleRisk) -> RenderableType:
    from paretonym.base.sentence_parts import percent

    title = "Unique in the population (estimates" + (" without the weights)" if sample.weights else ")")
    rows = []
    for one in sample.uniques.estimates:
        mark = ", trusted here" if one.model == sample.uniques.trusted else ""
        people = "does not fit" if one.uniques is None else f"{one.uniques:,.0f}"
        share = "" if one.uniques is None else percent(one.uniques * sample.fraction / sample.rows)
        rows.append((f"{one.model}{mark}: {one.assumes}", people, share))
    return columns("model and what it assumes", ">people", ">share", title=title, rows=rows)


def _estimate(sample: SampleRisk) -> str:
    from paretonym.base.sentence_parts import percent

    return (
        f"{_drawn(sample)}, {sample.expected:,.1f} people ({percent(sample.share)}) are expected to be "
        "re-identified by somebody who searches the whole population for each of them (negative binomial "
        f"model). The smallest class stands for {sample.smallest:,.1f} people of it (estimated k-map). These "
        "are estimates, not proven. In simulations the number of re-identifications was too low: for samples "
        "of 2 % the truth was three to six times as high."
    )


def _drawn(sample: SampleRisk) -> str:
    """Where the estimates come from."""
    from paretonym.base.sentence_parts import percent

    if sample.weights is None:
        return f"If the table is a random sample of {percent(sample.fraction)} of a population"
    if sample.weights == "scaled":
        share = percent(sample.fraction)
        return f"If the table is a sample of {share} of a population, drawn as the weights say"
    return f"If the table stands for {sample.population:,.0f} people, as many as the weights add up to"
