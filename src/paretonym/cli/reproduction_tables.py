"""Reproductions as tables for people."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from paretonym.reproduce.entry import Fact, Reproduction, Result


def listing(entries: Iterable[Reproduction]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("name", no_wrap=True)
    table.add_column("table or figure", overflow="fold")
    papers: list[str] = []
    for each in entries:
        if each.paper not in papers[-1:]:
            papers.append(each.paper)
            table.add_row("", Text(each.paper, style="dim"))
        table.add_row(each.name, each.what)
    return table


def fact_view(each: Reproduction, result: Result) -> RenderableType:
    """A line for each row, measured beside printed, and what has to be said about it."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=each.what, title_justify="left")
    columns = list(dict.fromkeys(fact.column for fact in result.facts))
    compared = {fact.column for fact in result.facts if fact.printed is not None}
    table.add_column("")
    for name in columns:
        table.add_column(name, justify="right")
        if name in compared:
            table.add_column("printed", justify="right", style="dim")
    for row in dict.fromkeys(fact.row for fact in result.facts):
        facts = {fact.column: fact for fact in result.facts if fact.row == row}
        table.add_row(row, *(cell for name in columns for cell in _cells(facts.get(name), name in compared)))
    notes = [Text(f"{note}") for note in result.notes]
    return Group(table, *notes, Text(f"{each.paper}.\n", style="dim"))


def _cells(fact: Fact | None, compared: bool) -> list[str]:
    if fact is None:
        return ["", ""] if compared else [""]
    own = number(fact.column, fact.measured)
    if not compared:
        return [own]
    return [own, "" if fact.printed is None else number(fact.column, fact.printed)]


def number(column: str, value: float) -> str:
    """As people write it: shares in percent, counts with thousands, small numbers with two digits.

    >>> number("share of nodes", 0.2251), number("nodes", 17920), number("error", 0.00037)
    ('22.5 %', '17,920', '0.00037')
    """
    if column.startswith("share"):
        return f"{100 * value:.1f} %"
    if value == int(value):
        return f"{value:,.0f}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"
