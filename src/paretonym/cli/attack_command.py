"""`paretonym attack`: can this release be broken, or several of one table together?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from paretonym.cli.command_parameters import Argument, Option
from paretonym.cli.common_options import (
    Encoding,
    Json,
    Memory,
    OriginalEngine,
    OriginalQuery,
    OriginalTable,
    Quiet,
    Separator,
    check_address,
)
from paretonym.cli.console import live_progress, note, output, print_json
from paretonym.errors import printable
from paretonym.sentence_parts import listed, percent, percentage, several

if TYPE_CHECKING:
    from rich.table import Table

    from paretonym.attacks import Attack, Disclosure, Estimate, Matching, Verdict

EXAMPLES = """Examples:

\b
  paretonym attack release.csv --original patients.csv --schema patients.toml
  paretonym attack release.csv second.csv third.csv --original patients.csv --schema patients.toml
  paretonym attack release.csv --original sqlite:///clinic.db --original-table patients --schema patients.toml
  paretonym attack duckdb:///public.duckdb --table patients --original patients.csv --schema patients.toml
  paretonym attack release.csv second.csv --schema patients.toml
  paretonym attack release.csv --rows 5 --certain 80%
"""


def attack(
    files: Annotated[
        list[str],
        Argument(
            metavar="FILE…",
            help="One release, or several made from one table: files, folders of parts, or databases such as "
            "duckdb:///F.",
        ),
    ],
    of_database: Annotated[
        list[str] | None,
        Option("--table", metavar="NAME", help="Attack this table of a database; one for each database."),
    ] = None,
    manifest: Annotated[
        list[Path] | None,
        Option(
            "--manifest",
            metavar="FILE",
            help="Read the manifest from here if it is elsewhere; one for each FILE.",
        ),
    ] = None,
    original: Annotated[
        str | None,
        Option(metavar="DATA", help="Search for everybody in this table, from which the files were made."),
    ] = None,
    original_table: OriginalTable = None,
    original_query: OriginalQuery = None,
    schema: Annotated[
        Path | None, Option("--schema", metavar="FILE", help="Read roles and hierarchies from here.")
    ] = None,
    certain: Annotated[
        str,
        Option(
            metavar="SHARE",
            help="Count a value as disclosed if more than this share of the candidate rows show it.",
        ),
    ] = "90%",
    rows: Annotated[
        int, Option(metavar="N", help="Count fewer than N candidate rows as re-identification.")
    ] = 2,
    estimates: Annotated[
        bool, Option("--estimates/--no-estimates", help="Report attacks that only estimate.")
    ] = True,
    encoding: Encoding = None,
    separator: Separator = None,
    engine: OriginalEngine = None,
    memory: Memory = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Try to break a release, or several releases of one table together.

    Searches for everybody of the original by their quasi-identifiers, in all files at once. Without the
    original, judges each file by what it shows, and matches the rows of several files. A released row that
    can be somebody's is a candidate row. Verdicts follow absolute rules, not the claims of a manifest. Exits
    with 1 if an attack succeeds.
    """
    from paretonym.attacks import attack as attempt

    check_address(*files, original)
    with live_progress("Searching", quiet or as_json):
        found = attempt(
            *files,
            original=original,
            schema=schema,
            rules={"rows": rows, "certain": certain},
            estimates=estimates,
            encoding=encoding,
            separator=separator,
            engine=engine,
            memory=memory,
            original_table=original_table,
            original_query=original_query,
            table=of_database or (),
            manifest=manifest or (),
        )
    if as_json:
        print_json(found.as_json())
    else:
        for line in warnings(found):
            note(line)
        output().print(table(found))
        for line in sentences(found):
            note(line, quiet and found.withstood)
    if not found.withstood:
        raise click.exceptions.Exit(1)


EVENTS = (
    "Warning: the rows of this table are events, and several may belong to one person. All figures here "
    "count rows; people may be easier to find than the figures say."
)

OVERLAPPING = "equivalence classes that overlap, and what follows from that was not tried"
UNCOUNTED = "several rows may belong to one person, and people were not counted"


def warnings(found: Attack) -> list[str]:
    """Warnings that come before the figures."""
    lines = [EVENTS] if found.unit == "rows" else []
    if found.strangers:
        rows = several(found.strangers, "row matches", "rows match")
        nobody = "no row of" if found.unit == "rows" else "nobody in"
        lines.append(f"Warning: {rows} {nobody} this original. Is it the right one?")
    elif not found.consistent:
        lines.append("Warning: these files cannot all come from this original. Is it the right one?")
    return lines


def table(found: Attack) -> Table:
    """A table of the findings: a number and what it counts."""
    from rich import box
    from rich.table import Table

    lines = Table(box=box.SIMPLE, show_header=False, pad_edge=False)
    lines.add_column(justify="right", no_wrap=True)
    lines.add_column(overflow="fold")
    for number, words in _lines(found):
        lines.add_row(number, printable(words))
    return lines


def sentences(found: Attack) -> list[str]:
    """The verdicts, the attacker they assume and the attacks tried."""
    lines = [_sentence(found, verdict) for verdict in found.verdicts]
    if not found.matches:
        lines.append("The files and the original do not belong together: do not rely on these verdicts.")
    lines.append(_assumed(found))
    return [printable(line) for line in lines]


def _everyone(found: Attack) -> str:
    return "every row" if found.unit == "rows" else "everybody"


def _whose(found: Attack) -> str:
    return "a row's" if found.unit == "rows" else "somebody's"


def _who(found: Attack, number: int) -> str:
    return several(number, *(("row", "rows") if found.unit == "rows" else ("person", "people")))


def _sentence(found: Attack, verdict: Verdict) -> str:
    if verdict.attack == "re-identification":
        return f"Re-identification: {verdict.outcome} — {_identity(found, verdict)}."
    disclosure = next(each for each in found.disclosures if each.column == verdict.column)
    words = _value(found, verdict, disclosure)
    return f"Attribute disclosure of '{verdict.column}': {verdict.outcome} — {words}."


def _identity(found: Attack, verdict: Verdict) -> str:
    if found.unit == "persons":
        return _alone(found, verdict)
    few = "one released row" if found.rules.rows == 2 else f"fewer than {found.rules.rows:,} released rows"
    if verdict.outcome == "broken":
        if found.unit == "rows":
            return f"for {_who(found, verdict.found)} only {few} can be the same"
        return f"for {_who(found, verdict.found)} only {few} can be theirs"
    if verdict.undecided:
        who = _who(found, verdict.undecided)
        return f"no success, but for {who} a second possible row was neither found nor excluded"
    if found.unit == "rows":
        return f"every row is one of at least {found.at_least:,} that look the same; {UNCOUNTED}"
    if found.matchings:
        return f"nobody is left with only {few}, in any file or by matching two of them"
    return f"everybody in the release has at least {found.at_least:,} candidate rows"


def _alone(found: Attack, verdict: Verdict) -> str:
    """The verdict about persons with several rows."""
    who = _who(found, max(verdict.found, verdict.undecided))
    if verdict.outcome == "broken":
        others = "of nobody else" if found.rules.rows == 2 else f"of fewer than {found.rules.rows:,} people"
        return f"for {who} an equivalence class with their rows has rows {others}"
    if verdict.undecided and len(found.files) == 1:
        return f"no success, but rows of {who} fit {OVERLAPPING}"
    if verdict.undecided:
        return f"no success, but {who} can be the only ones whose rows look as they do in all files together"
    return f"in every equivalence class at least {found.at_least:,} people have rows"


def _value_of_persons(found: Attack, verdict: Verdict, disclosure: Disclosure) -> str:
    many = f"more than {percent(found.rules.certain)} of the people"
    share = f"{many} in one of their equivalence classes"
    if verdict.undecided and len(found.files) == 1:
        return f"no success, but rows of {_who(found, verdict.undecided)} fit {OVERLAPPING}"
    if verdict.undecided:
        return "no success in any single file; what the files show together about persons was not tried"
    if verdict.outcome != "broken":
        return f"no value is certain for anybody, and in no class do {many} have the same value in some row"
    parts = []
    if disclosure.known:
        whom = _who(found, disclosure.known)
        parts.append(f"for {whom} it is certain: a class shows more rows with it than others have there")
    if disclosure.likely:
        parts.append(f"for {_who(found, disclosure.likely)} {share} have the same value in some row")
    return "; ".join(parts)


def _value(found: Attack, verdict: Verdict, disclosure: Disclosure) -> str:
    if found.unit == "persons":
        return _value_of_persons(found, verdict, disclosure)
    share = percent(found.rules.certain)
    if verdict.outcome == "broken":
        parts = []
        if disclosure.known:
            parts.append(f"it is known for certain for {_who(found, disclosure.known)}")
        if disclosure.likely:
            whom = _who(found, disclosure.likely)
            parts.append(f"for {whom} more than {share} of the candidate rows show the same value")
        return "; ".join(parts)
    if verdict.undecided:
        who = _who(found, verdict.undecided)
        return f"no success, but for {who} a second possible value was neither found nor excluded"
    if found.unit == "rows":
        return (
            f"no row's value is known for certain or shown by more than {share} of the candidate rows; "
            f"{UNCOUNTED}"
        )
    return f"nobody's value is known for certain or shown by more than {share} of the candidate rows"


def _assumed(found: Attack) -> str:
    knows = listed(list(found.knows)) or "nothing"
    if found.original:
        known = f"somebody who knows {knows} of {_everyone(found)} in the original"
    else:
        one = "some row" if found.unit == "rows" else "a person"
        known = f"somebody who knows that {one} is in the release, and what that row shows of {knows}"
    files = "this file" if len(found.files) == 1 else f"these {len(found.files)} files"
    more = "" if len(found.files) == 1 else ", intersection and difference of the files, absence"
    if found.unit == "persons" and more:
        more = ", intersection of the files for re-identification"
    return (
        f"The attacker is {known} and has {files}. Attacks tried: record linkage, homogeneity{more}. "
        "The verdicts assume no other background knowledge."
    )


def _lines(found: Attack) -> Iterator[tuple[str, str]]:
    if found.original:
        yield from _presence(found)
    elif not found.matchings:
        yield f"{found.people:,}", "rows are in the release"
        yield f"{found.smallest:,}", "rows are in the smallest equivalence class (rows that look the same)"
    yield f"{found.reidentified:,}", f"{_few(found)} (must be 0)"
    if found.alone:
        words = "are unique by quasi-identifiers, shown unchanged: buckets hide values, not people"
        yield f"{found.alone:,}", f"{found.unit} {words}"
    for matching in found.matchings:
        yield from _matched(matching)
    for each in found.disclosures:
        yield from _disclosed(found, each)
    for estimate in found.estimates:
        if estimate.value > estimate.baseline:
            yield _guess(estimate), _estimate_words(estimate)
    if found.estimates:
        idle = sum(each.value <= each.baseline for each in found.estimates)
        yield (
            f"{idle:,}",
            f"of {len(found.estimates):,} estimates are no better than their baseline; not shown",
        )


def _few(found: Attack) -> str:
    """The words for whoever is re-identified."""
    number = found.rules.rows
    if found.unit == "persons":
        others = "nobody else has rows" if number == 2 else f"fewer than {number:,} people have rows"
        return f"people have rows in an equivalence class in which {others}"
    few = "one candidate row" if number == 2 else f"fewer than {number:,} candidate rows"
    return f"{found.unit} have only {few}"


def _presence(found: Attack) -> Iterator[tuple[str, str]]:
    several_files = len(found.files) > 1
    unit = "rows" if found.unit == "rows" else "people"
    by = "the quasi-identifiers of their rows" if found.unit == "persons" else "their quasi-identifiers"
    yield f"{found.people:,}", f"{unit} of the original are searched for by {by}"
    if several_files:
        yield f"{found.everywhere:,}", "of them are in all files"
        yield f"{found.partly:,}", "are in some files and known to be absent from others"
    absent = "match no row of any file" if several_files else "match no row"
    yield f"{found.absent:,}", f"{absent}: they are known to be absent"
    fewest = "row" if found.unit == "rows" else "person"
    if found.unit == "persons":
        least = f"{found.at_least:,} to " if not several_files and found.at_least < found.smallest else ""
        yield f"{least}{found.smallest:,}", "people have rows in the smallest equivalence class"
    else:
        yield f"{found.smallest:,}", f"candidate rows are left for the {fewest} with the fewest"
    if several_files:
        yield (
            f"{found.shared:,}",
            f"{unit} is the fewest that look the same in all files together",
        )
    if found.strangers:
        yield f"{found.strangers:,}", "released rows match nobody (must be 0)"


def _matched(matching: Matching) -> Iterator[tuple[str, str]]:
    if matching.same:
        yield f"{matching.rows[0]:,}", f"rows are the same in {matching.files[0]} and {matching.files[1]}"
        return
    for place, (own, other) in enumerate(zip(matching.files, matching.files[::-1], strict=True)):
        yield f"{matching.rows[place]:,}", f"rows of {own} are searched for in {other}"
        yield f"{matching.single[place]:,}", "of them match exactly one row there"
        yield f"{matching.alone[place]:,}", "match none: they are absent there"
        yield f"{matching.smallest[place]:,}", "rows match the one with the fewest matches (at least one)"
        yield (
            f"{matching.difference[place]:,}",
            "rows are left when classes of the other file are subtracted",
        )
        yield f"{matching.narrowed[place]:,}", "can be distinguished from all others by both files together"
    if matching.not_compared:
        names = ", ".join(matching.not_compared)
        yield f"{len(matching.not_compared)}", f"columns were not compared: {names}"


def _disclosed(found: Attack, each: Disclosure) -> Iterator[tuple[str, str]]:
    value, unit = f"value of {each.column}", found.unit
    if found.unit == "persons":
        yield from _disclosed_of_persons(found, each)
        return
    if each.blind is not None and each.informed is not None:
        yield percentage(each.blind), f"of the {unit} have the {value} that is most frequent overall"
        yield percentage(each.informed), f"have the {value} that is most frequent among their candidate rows"
    yield f"{each.known:,}", f"{unit} can have only one {value}: it is known"
    if len(found.files) > 1:
        yield f"{each.pinned:,}", "of these are known from all files together but from none alone"
    share = percent(found.rules.certain)
    yield f"{each.likely:,}", f"more have one {value} in more than {share} of their candidate rows"
    yield (
        percentage(each.surest),
        f"is the probability that the best guess of {_whose(found)} {each.column} is right",
    )
    if each.gain is not None:
        words = f"percentage points: the largest excess of a {value} in a class over its share of all rows"
        yield f"{100 * each.gain:.1f}", words


def _disclosed_of_persons(found: Attack, each: Disclosure) -> Iterator[tuple[str, str]]:
    value, share = f"value of {each.column}", percent(found.rules.certain)
    words = f"people are certain to have a {value}: a class shows more rows with it than others have there"
    yield f"{each.known:,}", words
    words = f"more share a class in which more than {share} of the people have one {value} in some row"
    yield f"{each.likely:,}", words
    yield (
        percentage(each.surest),
        f"is the largest share of the people of a class who have one {value} in some row",
    )


def _guess(estimate: Estimate) -> str:
    return percentage(estimate.value) if estimate.share else f"{estimate.value:,.0f}"


def _estimate_words(estimate: Estimate) -> str:
    baseline = percentage(estimate.baseline) if estimate.share else f"{estimate.baseline:,.0f}"
    return f"estimate, {estimate.name}: {estimate.what} (baseline {baseline})"
