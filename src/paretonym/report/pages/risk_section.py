"""Where the risk of the table comes from, before any release: a section of the confidential report."""

from __future__ import annotations

from math import comb

from paretonym.base.errors import InputError
from paretonym.base.language import N_, _, format_number
from paretonym.base.sentence_parts import percentage
from paretonym.engine.frontier import Microdata
from paretonym.engine.risk import SampleRisk, TableRisk
from paretonym.report.pages.html import Html, Part, paragraphs, section, table, tag
from paretonym.report.pages.report_sections import sizes_table, warned

TITLE = N_("Where the risk comes from")
MOST_COMBINATIONS = 10
# A report compares at most this many tuples, over all combinations.
MOST_COMPARED = 50_000_000


def risk_section(data: Microdata) -> Html:
    """The table as it is: uniques, class sizes, columns and combinations that make people unique, and
    estimates if weights or a sampling fraction are known. It describes the table, so it is never public."""
    try:
        risk = data.table_risk(affordable_size(data), data.sampling_fraction)
    except InputError as error:
        return section(_(TITLE), paragraphs(_("Not measured: {error}.", error=error)))
    parts: list[Part] = [
        warned(risk.sample.warnings if risk.sample else ()),
        paragraphs(_("The table as it is, before any release. {found}", found=risk)),
        sizes_table(risk.classes),
        tag("h3", _("Quasi-identifiers, the riskiest first")),
        _columns(risk),
    ]
    if risk.combinations:
        title = _("Combinations that make {many} unique", many=_(risk.unit.many))
        parts += [tag("h3", title), _combinations(risk)]
    if risk.sample is not None:
        parts += [tag("h3", _("In the population (estimates)")), paragraphs(estimates(risk.sample))]
    return section(_(TITLE), *parts)


def affordable_size(data: Microdata) -> int | None:
    """The largest combinations that are searched: the usual ones, or fewer if these would take long."""
    cube = data.cube.finest or data.cube
    columns = len(cube.axes)
    compared = [sum(comb(columns, m) for m in range(1, size + 1)) * cube.tuples for size in (1, 2, 3)]
    possible = [size for size, tuples in enumerate(compared, 1) if tuples <= MOST_COMPARED and size < columns]
    return max(possible, default=1) if columns > 1 else None


def _columns(risk: TableRisk) -> Html:
    rows = [
        [
            column.name,
            format_number(column.values),
            format_number(column.alone),
            percentage(column.score),
            format_number(column.without),
            format_number(column.smallest_without),
        ]
        for column in sorted(risk.columns, key=lambda column: (-column.score, column.without))
    ]
    head = [
        _("column"),
        _("values"),
        _("unique alone"),
        _("share of score"),
        _("unique without it"),
        _("k without it"),
    ]
    return table(head, rows, numbers=range(1, 6))


def _combinations(risk: TableRisk) -> Html:
    riskiest = risk.combinations[:MOST_COMBINATIONS]
    rows = [
        [", ".join(combination.columns), format_number(combination.rows), percentage(combination.score)]
        for combination in riskiest
    ]
    head = [_("columns, no fewer of which suffice"), _(risk.unit.many), _("share of score")]
    return table(head, rows, [1, 2])


def estimates(risk: SampleRisk) -> str:
    """Sentences on what a sampling fraction or weights say about the population."""
    people = format_number(f"{risk.population:,.0f}")
    if risk.weights:
        source = _("By weights, the table stands for {people} people.", people=people)
    else:
        source = _("By the sampling fraction, the table stands for {people} people.", people=people)
    expected = _(
        "The smallest class stands for {smallest} of them (estimated k-map), and {expected} people ({share}) "
        "are expected to be re-identified by somebody who searches the whole population for each of them. "
        "These are estimates, not proven; in simulations the number of re-identifications was too low, for "
        "samples of 2 % by a factor of three to six.",
        smallest=format_number(f"{risk.smallest:,.1f}"),
        expected=format_number(f"{risk.expected:,.1f}"),
        share=percentage(risk.share),
    )
    return f"{source} {expected}"
