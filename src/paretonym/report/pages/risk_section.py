"""Where the risk of the table comes from, before any release: a section of the confidential report."""

from __future__ import annotations

from math import comb

from paretonym.errors import InputError
from paretonym.frontier import Microdata
from paretonym.report.pages.html import Html, Part, paragraphs, section, table, tag
from paretonym.report.pages.report_sections import sizes_table, warned
from paretonym.risk import SampleRisk, TableRisk
from paretonym.sentence_parts import percentage

TITLE = "Where the risk comes from"
MOST_COMBINATIONS = 10
# A report compares at most this many tuples, over all combinations.
MOST_COMPARED = 50_000_000


def risk_section(data: Microdata) -> Html:
    """The table as it is: uniques, class sizes, columns and combinations that make people unique, and
    estimates if weights or a sampling fraction are known. It describes the table, so it is never public."""
    try:
        found = data.table_risk(_size(data), data.sampling_fraction)
    except InputError as error:
        return section(TITLE, paragraphs(f"Not measured: {error}."))
    parts: list[Part] = [
        warned(found.sample.warnings if found.sample else ()),
        paragraphs(f"Of the table as it is, before any release: {found}"),
        sizes_table(found.classes),
        tag("h3", "Quasi-identifiers, the riskiest first"),
        _columns(found),
    ]
    if found.combinations:
        parts += [tag("h3", f"Combinations that make {found.unit.many} unique"), _combinations(found)]
    if found.sample is not None:
        parts += [tag("h3", "In the population (estimates)"), _sample(found.sample)]
    return section(TITLE, *parts)


def _size(data: Microdata) -> int | None:
    """The largest combinations that are searched: the usual ones, or fewer if these would take long."""
    cube = data.cube.finest or data.cube
    columns = len(cube.axes)
    compared = [sum(comb(columns, m) for m in range(1, size + 1)) * cube.tuples for size in (1, 2, 3)]
    possible = [size for size, each in enumerate(compared, 1) if each <= MOST_COMPARED and size < columns]
    return max(possible, default=1) if columns > 1 else None


def _columns(found: TableRisk) -> Html:
    rows = [
        [
            each.name,
            f"{each.values:,}",
            f"{each.alone:,}",
            percentage(each.score),
            f"{each.without:,}",
            f"{each.smallest_without:,}",
        ]
        for each in sorted(found.columns, key=lambda column: (-column.score, column.without))
    ]
    head = ["column", "values", "unique alone", "share of score", "unique without it", "k without it"]
    return table(head, rows, numbers=range(1, 6))


def _combinations(found: TableRisk) -> Html:
    shown = found.combinations[:MOST_COMBINATIONS]
    rows = [[", ".join(each.columns), f"{each.rows:,}", percentage(each.score)] for each in shown]
    return table(["columns, no fewer of which suffice", found.unit.many, "share of score"], rows, [1, 2])


def _sample(found: SampleRisk) -> Html:
    source = "weights" if found.weights else "the sampling fraction"
    return paragraphs(
        f"By {source}, the table stands for {found.population:,.0f} people. The smallest class stands for "
        f"{found.smallest:,.1f} of them (estimated k-map), and {found.expected:,.1f} people "
        f"({percentage(found.share)}) are expected to be re-identified by somebody who searches the whole "
        "population for each of them. These are estimates, not proven; in simulations the number of "
        "re-identifications was too low, for samples of 2 % by a factor of three to six."
    )
