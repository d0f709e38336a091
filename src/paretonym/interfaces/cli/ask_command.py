"""`paretonym ask`: questions to a saved frontier."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from paretonym.base.errors import NoSolution
from paretonym.base.number_text import significant
from paretonym.interfaces.cli.command_inputs import RECORDED, RunData, question_of
from paretonym.interfaces.cli.option_flags import in_shell
from paretonym.interfaces.cli.screen import DETAILED, DetailedScreen, View, print_json

if TYPE_CHECKING:
    from paretonym.engine.frontier import Microdata
    from paretonym.engine.frontier.queries import Question
    from paretonym.engine.measures.estimates import Result
    from paretonym.study import CriteriaAnswer, Run

FORMAT, PURPOSE_FORMAT = "paretonym.answer/1", "paretonym.purpose/1"
MOST_FIGURES = 12
EXAMPLES = """Examples:

\b
  paretonym ask run --at-most loss=25% --at-most sl=10% --best k
  paretonym ask run --where "k>=5" --best loss
  paretonym ask run
  paretonym ask run --at-most loss=60%
  paretonym ask run --purpose "income gap" --at-least k=5
  paretonym ask run --at-most inference=10% --best loss
"""


def ask(
    run: Path,
    at_most: list[str] | None = None,
    at_least: list[str] | None = None,
    where: list[str] | None = None,
    best: list[str] | None = None,
    allow_unproven: bool = False,
    purpose: str | None = None,
    table: RunData = RECORDED,
    screen: DetailedScreen = DETAILED,
) -> None:
    """Answer a question from the frontier of a run.

    With --best, show the best release within the limits, and what relaxing each limit would give. Without it,
    show a shortlist of releases that are worth a look. With --purpose, say whether a purpose that the schema
    declares can be achieved within the limits, at which risk, or what comes nearest.

    Limits on inference, linkability and singling-out are measured beside the control group of the run
    (explore --control 10%), the most preferred release first, and met by the upper end of an interval.
    """
    from paretonym.study import answer_within_criteria, criteria_limits

    question, _ = question_of(at_least, at_most, best, where)
    frontier = table.opened(run)
    if purpose is not None:
        _achieved(run, frontier, purpose, question, screen)
        return
    question, criteria = criteria_limits(question)
    if criteria:
        with screen.progress("Measuring") as progress:
            reply = answer_within_criteria(
                frontier, frontier.data, question, criteria, allow_unproven, run, progress
            )
        screen.show(_within_criteria(run, frontier.data, reply))
        return
    phrase = _shortlist if question.best is None else _answer
    try:
        screen.show(phrase(run, frontier, question, allow_unproven))
    except NoSolution as error:
        if screen.as_json:
            print_json(_no(question, error))
        raise


def _within_criteria(run: Path, data: Microdata | None, reply: CriteriaAnswer) -> View:
    """The answer, and every release that was measured on the way."""
    from paretonym.engine.frontier import cautions

    warnings = cautions(reply.solution, data)
    hint = f"Next: paretonym release {run} --pick {reply.solution.id} -o FILE"
    lines = [str(reply), *(str(criterion) for criterion in reply.releases[-1].criteria)]
    document = {"format": FORMAT, **reply.as_json(), "warnings": list(warnings)}
    return View(document, lines, warnings, hint, lambda: map(str, reply.releases))


def _answer(run: Path, frontier: Run, question: Question, allow_unproven: bool) -> View:
    from paretonym.base.sentence_parts import upper_first
    from paretonym.engine.frontier import cautions, describe, values_in_words, verdict
    from paretonym.engine.frontier.queries import answer, bought, priced, sentence
    from paretonym.interfaces.cli.frontier_view import promises, release_details

    reply = answer(frontier, question, allow_unproven)
    reply = replace(reply, warnings=cautions(reply.solution, frontier.data))
    described = describe(reply.solution, frontier.data)
    judged = verdict(reply.solution, frontier.data)
    names = [objective.name for objective in frontier.objectives]
    lines = [
        sentence(reply),
        *(f"Not proven: {doubt}." for doubt in reply.doubts),
        f"{upper_first(values_in_words(reply.solution, names))}.",
        *(f"{promise}." for promise in promises(reply.solution)),
        *(judged or [str(described)]),
        *(f"Relaxed: {line}" for line in bought(reply)[:1]),
        *(f"Stricter: {line}" for line in priced(reply)[:1]),
    ]

    def details() -> Any:
        yield from release_details(frontier, reply.solution, described)
        yield from (f"Relaxed: {line}" for line in bought(reply)[1:])
        yield from (f"Stricter: {line}" for line in priced(reply)[1:])

    document = {"format": FORMAT, **reply.as_json(), "description": described.as_json(in_shell)}
    hint = f"Next: paretonym release {run} --pick {reply.solution.id} -o FILE"
    if described.note:
        hint = f"Note: the loss per column is not shown. {described.reason}"
    return View(document, lines, reply.warnings, hint, details)


def _achieved(run: Path, frontier: Run, purpose: str, question: Question, screen: DetailedScreen) -> None:
    """Show whether a purpose can be achieved; exit with 1 if not."""
    with screen.progress("Measuring") as progress:
        reply = frontier.purpose(purpose, question.limits, progress=progress)
    lines = [str(reply)]
    if reply.best is not None:
        lines += [line for result in reply.best.results for line in result_lines(result)]
    lines += [f"Nearest: {miss.words}: release {miss.trial.solution.id}." for miss in reply.misses]
    limits = "".join(f" {in_shell(limit.option)}" for limit in question.limits)
    hint = f"Next: paretonym report {run} --for permit --purpose {shlex.quote(purpose)}{limits} -o FILE"
    if reply.best is not None:
        hint += f"\nor paretonym release {run} --pick {reply.best.solution.id} -o FILE"
    document = {"format": PURPOSE_FORMAT, **reply.as_json()}
    screen.show(View(document, lines, frontier.warnings, hint, lambda: ()))
    if reply.best is None:
        raise click.exceptions.Exit(1)


def result_lines(result: Result) -> Iterator[str]:
    """An analysis before and after: its values, then its figures."""
    values = ", ".join(f"{name} {significant(value)}" for name, value in result.values.items())
    yield f"{result.analysis}: {values} ({'within' if result.met else 'outside'} tolerance)"
    for figure in result.figures[:MOST_FIGURES]:
        yield f"  {figure.name}: {_shown(figure.before)} before, {_shown(figure.after)} after"
    if len(result.figures) > MOST_FIGURES:
        yield f"  and {len(result.figures) - MOST_FIGURES} more"


def _shown(value: object) -> str:
    return "not shown" if value is None else significant(value) if isinstance(value, float) else str(value)


def _shortlist(run: Path, frontier: Run, question: Question, allow_unproven: bool) -> View:
    from paretonym.base.sentence_parts import several
    from paretonym.engine.frontier import cautions, describe
    from paretonym.engine.frontier.queries import shortlist, shortlist_within
    from paretonym.interfaces.cli.frontier_view import MOST_CHOICES, choice_lines, frontier_details

    choices, doubts = shortlist_within(frontier, question, allow_unproven)
    listed = [
        {
            **choice.as_json(),
            "warnings": list(cautions(choice.solution, frontier.data)),
            "description": describe(choice.solution, frontier.data).as_json(),
        }
        for choice in choices
    ]
    document = {
        "format": FORMAT,
        "warnings": list(frontier.warnings),
        "best": None,
        "limits": [limit.as_json() for limit in question.limits],
        "proven": not doubts,
        "doubts": list(doubts),
        "shortlist": listed,
    }
    ids = {solution.id for solution in question.within(frontier.solutions)}
    within = replace(frontier, solutions=tuple(one for one in frontier if one.id in ids))
    few = shortlist(within, MOST_CHOICES)
    lines = [
        f"{len(few)} of {several(len(within), 'release', 'releases')} worth a look:",
        *choice_lines(within, few),
        *(f"Not proven: {doubt}." for doubt in doubts),
    ]
    hint = f"Next: paretonym ask {run} --best MEASURE with --at-most or --at-least"
    return View(document, lines, frontier.warnings, hint, lambda: frontier_details(within))


def _no(question: Question, error: NoSolution) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "best": question.best,
        "limits": [limit.as_json() for limit in question.limits],
        "answer": None,
        "text": str(error),
        "nearest": [solution.as_json() for solution in error.nearest],
    }
