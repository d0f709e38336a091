"""What an attack found out, in plain words."""

from __future__ import annotations

from typing import TypeAlias

from rich import box
from rich.table import Table

from paretonym.errors import printable
from paretonym.measures.wording import several
from paretonym.release.attack.findings import Linkage, PairLinkage, RowLinkage

Found: TypeAlias = Linkage | PairLinkage | RowLinkage


def told(found: Found) -> Table:
    """One line for each finding: a number and what it counts."""
    table = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for number, words in _lines(found):
        table.add_row(number, printable(words))
    return table


def _lines(found: Found) -> list[tuple[str, str]]:
    if isinstance(found, RowLinkage):
        return [(f"{found.rows[0]:,}", "rows are the same in both files")] if found.same else _rows(found)
    return _one(found) if isinstance(found, Linkage) else _two(found)


def verdict(found: Found) -> str:
    if isinstance(found, Linkage) and found.strangers:
        rows = several(found.strangers, "row fits", "rows fit")
        return f"Broken: {rows} nobody of this original. Is it the right one?"
    if isinstance(found, RowLinkage) and found.same:
        return "Withstood: both files are the same release, and the second shows nothing new."
    if not found.withstood and isinstance(found, RowLinkage):
        rows = several(sum(found.narrowed), "row fits", "rows fit")
        return f"Broken: {rows} fewer than k = {found.k:,} rows of the other file."
    if not found.withstood and not isinstance(found, RowLinkage):
        people = several(found.narrowed, "person is", "people are")
        return f"Broken: {people} narrowed to fewer than k = {found.k:,} rows."
    return f"Withstood: nobody is narrowed to fewer than k = {found.k:,} rows."


def _one(found: Linkage) -> list[tuple[str, str]]:
    lines = [
        (f"{found.people:,}", "people of the original are looked for by their quasi-identifiers"),
        (f"{found.absent:,}", "of them fit no row: they were left out"),
        (f"{found.narrowed:,}", f"are narrowed to between 1 and {found.k - 1:,} rows (none may be)"),
        (f"{found.smallest:,}", "rows fit a person who is there, at the least"),
        (f"{found.strangers:,}", "rows fit nobody (none may)"),
    ]
    for guess in found.guesses:
        value = f"value of {guess.column}"
        lines += [
            (f"{guess.blind:.1%}", f"of the people have the most frequent {value} of all"),
            (f"{guess.informed:.1%}", f"have the most frequent {value} among the rows that fit them"),
            (f"{guess.homogeneous:,}", f"people are in a class with one {value}: it is known"),
            (f"{100 * guess.gain:.1f}", f"points more frequent than in all is a {value} in a class, at most"),
            (f"{guess.surest:.1%}", f"is how sure the surest guess of a {value} is"),
        ]
    return lines


def _two(found: PairLinkage) -> list[tuple[str, str]]:
    lines = [
        (f"{found.people:,}", "people of the original are looked for in both files"),
        (f"{found.both:,}", "of them are in both"),
        (f"{found.one:,}", "are in one: that the other left them out says that few look like them there"),
        (f"{found.smallest:,}", "rows are left for a person when both are compared, at the least"),
        (f"{found.narrowed:,}", f"people are narrowed to fewer than {found.k:,} rows"),
        (f"{found.shared:,}", "people look alike in both files at once, at the least"),
    ]
    for pinning in found.pinnings:
        words = f"people have one value of {pinning.column} left, though each file alone leaves several"
        lines.append((f"{pinning.pinned:,}", words))
    return lines


def _rows(found: RowLinkage) -> list[tuple[str, str]]:
    lines = []
    for place, (own, other) in enumerate(zip(found.files, found.files[::-1], strict=True)):
        lines += [
            (f"{found.rows[place]:,}", f"rows of {own} are looked for in {other}"),
            (f"{found.narrowed[place]:,}", f"of them fit between 1 and {found.k - 1:,} rows there"),
            (f"{found.alone[place]:,}", "fit none: they were left out there"),
            (f"{found.smallest[place]:,}", "rows fit one that has a partner, at the least"),
        ]
    if found.not_compared:
        lines.append((f"{len(found.not_compared)}", f"columns not compared: {', '.join(found.not_compared)}"))
    return lines
