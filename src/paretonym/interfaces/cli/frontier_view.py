"""Releases of a frontier for people: in plain words, and as tables behind `--details`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from paretonym.base.errors import InputError
from paretonym.base.notebook_view import evenly
from paretonym.base.sentence_parts import percentage
from paretonym.engine.frontier import Description, Microdata, Solution, describe, values_in_words
from paretonym.engine.frontier.queries import Choice
from paretonym.engine.measures import (
    CLASS_SIZE,
    GENERALIZATION,
    LOSS,
    SUPPRESSION,
    card_of,
    measured,
)
from paretonym.engine.spaces import space_named, space_of
from paretonym.interfaces.cli.screen import columns

if TYPE_CHECKING:
    from rich.console import RenderableType

    from paretonym.study import Run

MOST_ROWS = 20
# With more objectives than this, only they are in the table.
FEW = 3
MANNERS = {1: ("balanced",), 2: ("careful", "detailed"), 3: ("careful", "balanced", "detailed")}
MOST_CHOICES = max(MANNERS)


def choice_lines(frontier: Run, choices: Sequence[Choice]) -> list[str]:
    """Two lines for each release worth a look, the most careful first: what it is worth, what it shows."""
    first = next((o for o in frontier.objectives if o.name not in (LOSS, GENERALIZATION, SUPPRESSION)), None)
    ordered = list(choices)
    if first is not None:
        ordered.sort(key=lambda choice: choice.solution.values[first.name], reverse=first.direction == "max")
    manners = MANNERS.get(len(ordered), ("",) * len(ordered))
    names = [objective.name for objective in frontier.objectives]
    cards = [card_of(name) for name in names]
    diversity = any(card is not None and card.limits_inference for card in cards)
    lines = []
    for manner, choice in zip(manners, ordered, strict=True):
        solution = choice.solution
        lines.append(f"{manner:9} release {solution.id}: {values_in_words(solution, names)}")
        words = [frontier.method_of(solution).words] if frontier.is_joint else []
        # Releases of a sweep have a requirement.
        words += promises(solution) if frontier.is_joint or frontier.candidates else []
        # Whoever asks for diversity is told where it fails, even where the measure does not say so.
        words += known_values(solution, frontier.data) if diversity else []
        lines.append(f"{'':9} {'; '.join([*words, shows(solution, frontier.data)])}")
    return lines


def shows(solution: Solution, data: Microdata | None) -> str:
    """The columns as a release shows them, in one line."""
    return describe(solution, data).shown or "how columns are shown needs the data"


def promises(solution: Solution) -> list[str]:
    """The requirement on every part or bucket, if the space has one."""
    promised = space_of(solution.recoding).promised(solution.recoding)
    return [promised] if promised else []


def frontier_details(frontier: Run) -> Iterator[RenderableType]:
    """The frontier as a table, with a plot of its first two objectives."""
    names = [objective.name for objective in frontier.objectives]
    if len(names) <= FEW:
        names = list(dict.fromkeys([*names, GENERALIZATION, SUPPRESSION]))
    wording = space_named(frontier.search.space).wording
    rows = (
        [
            one.id,
            *(measured(name, one.values[name]) for name in names),
            f"{one.suppressed:,}",
            frontier.method_of(one).words
            if frontier.is_joint
            else " ".join(map(str, one.recoding.flat().values())),
        ]
        for one in evenly(frontier.solutions, MOST_ROWS)
    )
    heading = "method" if frontier.is_joint else wording.heading
    yield columns("id", *(f">{name}" for name in names), ">suppressed", heading, rows=rows)
    if not frontier.is_joint:
        yield wording.caption.format(columns=", ".join(frontier.table.quasi))
    if len(frontier) > MOST_ROWS:
        yield f"{MOST_ROWS} of {len(frontier):,} releases, evenly spread over the frontier."
    if len(frontier.objectives) > 1 and len(frontier) > 1:
        yield _plot(frontier)


def _plot(frontier: Run) -> str:
    from paretonym.report import scatter

    privacy, cost = frontier.objectives[:2]
    return scatter(
        [solution.values[cost.name] for solution in frontier],
        [solution.values[privacy.name] for solution in frontier],
        (cost.name, privacy.name),
    )


def release_details(frontier: Run, solution: Solution, described: Description) -> Iterator[RenderableType]:
    """One release: its measures, how each column is shown and what it loses, who is suppressed most."""
    wanted = dict.fromkeys(
        [*(o.name for o in frontier.objectives), CLASS_SIZE, LOSS, GENERALIZATION, SUPPRESSION]
    )
    names = [name for name in wanted if name in solution.values]
    values = [
        solution.id,
        *(measured(name, solution.values[name]) for name in names),
        f"{solution.suppressed:,}",
    ]
    yield columns("id", *(f">{name}" for name in names), ">suppressed", rows=[values])
    if described.columns:
        rows = [
            (one.name, one.words, "" if one.loss is None else measured(LOSS, one.loss))
            for one in described.columns
        ]
        yield columns("column", "shown", ">loss", rows=rows)
    if described.suppressed:
        title = "Suppressed most, by value (for the publisher alone)"
        groups = [
            (one.column, one.shown, f"{one.rows:,}", f"{one.gone:,}", percentage(one.share))
            for one in described.suppressed
        ]
        yield columns("column", "value", ">rows", ">suppressed", ">share", title=title, rows=groups)
    if described.households is not None:
        yield str(described.households)


def known_values(solution: Solution, data: Microdata | None) -> tuple[str, ...]:
    """For how many people each sensitive value is certain, in a few words; empty without the data."""
    if data is None:
        return ()
    try:
        disclosures = data.facts(solution.recoding).known
    except InputError:
        return ()
    return tuple(
        f"'{one.column}' is certain for {data.unit.count(one.certain)}" for one in disclosures if one.certain
    )
