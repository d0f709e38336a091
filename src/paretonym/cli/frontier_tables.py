"""Frontiers, answers, shortlists, measures and manifests as tables for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isclose
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from paretonym.errors import InputError, printable
from paretonym.frontier import Description, Microdata, Solution, describe
from paretonym.frontier.queries import Answer, Choice, bought, priced, sentence
from paretonym.measures import CLASS_SIZE, GENERALIZATION, LOSS, SUPPRESSION, Measure, card_of, measured
from paretonym.sentence_parts import percentage
from paretonym.spaces import space_named, space_of

if TYPE_CHECKING:
    from paretonym.run import Run

MOST_ROWS = 20
# The two values of one measure: for the values in the file, or for the coarser ones of the measured level.
# Where a person may have several rows: what the file shows, and what it does not.
OF_ROWS, OF_PEOPLE = "(of rows)", "(of people)"
PUBLISHED, MEASURED = "(values as published)", "(at the measured level)"
# With more objectives than this, only they are shown.
FEW = 3


def frontier_view(frontier: Run) -> RenderableType:
    """The frontier as a table, with a plot of its first two objectives."""
    parts: list[RenderableType] = [frontier_table(frontier)]
    if len(frontier.objectives) > 1 and len(frontier) > 1:
        parts.append(Text(frontier_plot(frontier)))
    return Group(*parts)


def frontier_table(frontier: Run) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption=_caption(frontier), caption_justify="left")
    asked = [objective.name for objective in frontier.objectives]
    names = list(dict.fromkeys([*asked, GENERALIZATION, SUPPRESSION])) if len(asked) <= FEW else asked
    table.add_column("id", no_wrap=True, min_width=6)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True, min_width=min(len(name), 8))
    table.add_column("suppressed", justify="right", no_wrap=True)
    heading = "method" if frontier.is_joint else space_named(frontier.search.space).wording.heading
    table.add_column(heading, overflow="fold")
    for solution in spread(frontier.solutions, MOST_ROWS):
        levels = " ".join(str(value) for value in solution.recoding.flat().values())
        levels = frontier.method_of(solution).words if frontier.is_joint else levels
        values = (measured(name, solution.values[name]) for name in names)
        table.add_row(solution.id, *values, f"{solution.suppressed:,}", levels)
    return table


def frontier_plot(frontier: Run) -> str:
    from paretonym.report import scatter

    privacy, cost = frontier.objectives[:2]
    return scatter(
        [solution.values[cost.name] for solution in frontier],
        [solution.values[privacy.name] for solution in frontier],
        (cost.name, privacy.name),
    )


def spread(solutions: Sequence[Solution], most: int) -> Iterable[Solution]:
    """At most `most` solutions, evenly spread from first to last."""
    if len(solutions) <= most:
        return solutions
    return [solutions[round(i * (len(solutions) - 1) / (most - 1))] for i in range(most)]


def _caption(frontier: Run) -> str:
    columns = ", ".join(frontier.table.quasi)
    levels = space_named(frontier.search.space).wording.caption.format(columns=columns)
    levels = "How each release generalizes." if frontier.is_joint else levels
    if len(frontier) <= MOST_ROWS:
        return levels
    return f"{levels}\n{MOST_ROWS} of {len(frontier):,} releases, evenly spread over the frontier."


def measure_table(measures: Iterable[Measure]) -> Table:
    """A table of measures: the question first, then the formula and the reference."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_lines=False)
    for heading in ("measure", "better", "range"):
        table.add_column(heading, no_wrap=True)
    table.add_column("question, value, reference", overflow="fold")
    for card in measures:
        answer = Text(card.question)
        answer.append(f"\n{card.formula} · {card.reference}", style="dim")
        if card.caution:
            answer.append(f"\nCaution: {card.caution}.")
        table.add_row(card.name, card.better, value_range(card), answer)
    return table


def value_range(card: Measure) -> str:
    low = "" if card.scale.lowest is None else f"{card.scale.lowest:g}"
    high = "" if card.scale.highest is None else f"{card.scale.highest:g}"
    return f"{low} … {high}".strip()


def manifest_table(manifest: Mapping[str, Any], found: Mapping[str, float]) -> Table:
    """A table of a release's claims, which the file alone shows, and its statements, which need the input. A
    measure of sensitive values for which the run `found` another value, at their measured level, has two
    lines."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("measure", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("can be checked with", no_wrap=True)
    persons = manifest.get("rows") == "persons"
    shown, own = (OF_ROWS, OF_PEOPLE) if persons else (PUBLISHED, MEASURED)
    for kind, source in (("claims", "the file alone"), ("statements", "the file and the input")):
        # Claims about single columns are only in the manifest.
        for name, value in manifest[kind].items():
            if "@" in name:
                continue
            card = card_of(name)
            secret = card is not None and card.counted.over is not None
            twice = secret and name in found and not isclose(found[name], float(value))
            by_rows = persons and kind == "claims"
            table.add_row(
                f"{name} {shown}" if twice or by_rows else name, measured(name, float(value)), source
            )
            if twice:
                table.add_row(f"{name} {own}", measured(name, found[name]), "the input and the schema")
    return table


def answer_view(frontier: Run, answer: Answer, described: Description) -> RenderableType:
    """The sentence, the row, the columns; then what relaxing a limit would give and a stricter one cost."""
    parts: list[RenderableType] = [*_warned(answer.warnings), Text(sentence(answer))]
    parts += [Text(f"Not proven: {doubt}.") for doubt in answer.doubts]
    parts.append(answer_row(frontier, answer.solution))
    parts += [Text(f"{kept}.") for kept in _kept(answer.solution)]
    parts += [Text(described.left_out)]
    if described.columns:
        parts.append(columns_table(described))
    if described.suppressed:
        parts.append(suppressed_table(described))
    if described.households is not None:
        parts.append(Text(str(described.households)))
    parts += _steps("Relaxing a limit would give:", bought(answer))
    parts += _steps("The next stricter limit would cost:", priced(answer))
    return Group(*parts)


def answer_row(frontier: Run, solution: Solution) -> Table:
    """A table of one solution: the objectives, and k and the parts of loss if they are known."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    asked = (o.name for o in frontier.objectives)
    wanted = dict.fromkeys([*asked, CLASS_SIZE, LOSS, GENERALIZATION, SUPPRESSION])
    names = [name for name in wanted if name in solution.values]
    for name in ("id", *names, "suppressed"):
        table.add_column(name, justify="left" if name == "id" else "right", no_wrap=True)
    values = (measured(name, solution.values[name]) for name in names)
    table.add_row(solution.id, *values, f"{solution.suppressed:,}")
    return table


def columns_table(described: Description) -> Table:
    """A table of how each column is shown, and what it loses."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("column", overflow="fold")
    table.add_column("shown", overflow="fold")
    table.add_column("loss", justify="right", no_wrap=True)
    for column in described.columns:
        loss = "" if column.loss is None else measured(LOSS, column.loss)
        table.add_row(printable(column.name), printable(str(column.words)), loss)
    return table


def suppressed_table(described: Description) -> Table:
    """A table of the groups of which a release suppresses the largest shares."""
    title = "Suppressed most, by value (for the publisher alone)"
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left", title_style="")
    table.add_column("column", overflow="fold")
    table.add_column("value", overflow="fold")
    for heading in ("rows", "suppressed", "share"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in described.suppressed:
        counts = f"{each.rows:,}", f"{each.gone:,}", percentage(each.share)
        table.add_row(printable(each.column), printable(each.shown), *counts)
    return table


def shortlist_view(frontier: Run, choices: tuple[Choice, ...], doubts: tuple[str, ...]) -> RenderableType:
    """The shortlist as a table: values, how the columns are shown, and why it is on the list."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_lines=False)
    names = [objective.name for objective in frontier.objectives]
    table.add_column("id", no_wrap=True)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("suppressed", justify="right", no_wrap=True)
    table.add_column("why, and what it shows", overflow="fold")
    for choice in choices:
        solution = choice.solution
        words = Text("; ".join(choice.reasons))
        known = [printable(f"warning: {text}") for text in _known(solution, frontier.data)]
        shown = "; ".join([*known, *_kept(solution), printable(describe(solution, frontier.data).shown)])
        words.append(f"\n{shown}", style="dim")
        values = (measured(name, solution.values[name]) for name in names)
        table.add_row(solution.id, *values, f"{solution.suppressed:,}", words)
    doubted = (Text(f"Not proven: {doubt}.") for doubt in doubts)
    return Group(*_warned(frontier.warnings), *doubted, table)


def _warned(warnings: tuple[str, ...]) -> list[RenderableType]:
    """The warnings, which come before everything else."""
    return [Text(f"Warning: {printable(text)}") for text in warnings]


def _kept(solution: Solution) -> list[str]:
    """The requirement on every part or bucket, if the space has one."""
    promised = space_of(solution.recoding).promised(solution.recoding)
    return [promised] if promised else []


def _steps(title: str, lines: tuple[str, ...]) -> list[RenderableType]:
    return [Text(f"\n{title}"), *(Text(f"  {line}") for line in lines)] if lines else []


def _known(solution: Solution, data: Microdata | None) -> tuple[str, ...]:
    """For how many people each sensitive value is certain, in a few words; empty without the data."""
    if data is None:
        return ()
    try:
        known = data.facts(solution.recoding).known
    except InputError:
        return ()
    return tuple(
        f"'{each.column}' is certain for {data.unit.count(each.certain)}" for each in known if each.certain
    )
