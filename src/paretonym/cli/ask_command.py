"""`paretonym ask`: questions to a saved frontier."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paretonym.cli.command_inputs import RECORDED, RunData, only
from paretonym.cli.option_flags import in_shell
from paretonym.cli.screen import DETAILED, DetailedScreen, View, print_json
from paretonym.errors import NoSolution

if TYPE_CHECKING:
    from paretonym.frontier.queries import Question
    from paretonym.run import Run

FORMAT = "paretonym.answer/1"
EXAMPLES = """Examples:

\b
  paretonym ask run --at-most loss=25% --at-most sl=10% --best k
  paretonym ask run --where "k>=5" --best loss
  paretonym ask run
  paretonym ask run --at-most loss=60%
"""


def ask(
    run: Path,
    at_most: list[str] | None = None,
    at_least: list[str] | None = None,
    where: list[str] | None = None,
    best: list[str] | None = None,
    allow_unproven: bool = False,
    table: RunData = RECORDED,
    screen: DetailedScreen = DETAILED,
) -> None:
    """Answer a question from the frontier of a run.

    With --best, show the best release within the limits, and what relaxing each limit would give. Without it,
    show a shortlist of releases that are worth a look.
    """
    from paretonym.frontier.queries import parse_question

    question = parse_question(at_least or (), at_most or (), where or (), only(best))
    frontier = table.opened(run)
    phrase = _shortlist if question.best is None else _answer
    try:
        screen.show(phrase(run, frontier, question, allow_unproven))
    except NoSolution as error:
        if screen.as_json:
            print_json(_no(question, error))
        raise


def _answer(run: Path, frontier: Run, question: Question, allow_unproven: bool) -> View:
    from paretonym.cli.frontier_view import promises, release_details, values_in_words
    from paretonym.frontier import cautions, describe, verdict
    from paretonym.frontier.queries import answer, bought, priced, sentence
    from paretonym.sentence_parts import upper_first

    reply = answer(frontier, question, allow_unproven)
    reply = replace(reply, warnings=cautions(reply.solution, frontier.data))
    described = describe(reply.solution, frontier.data)
    judged = verdict(reply.solution, frontier.data)
    lines = [
        sentence(reply),
        *(f"Not proven: {doubt}." for doubt in reply.doubts),
        f"{upper_first(values_in_words(reply.solution, frontier.objectives))}.",
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


def _shortlist(run: Path, frontier: Run, question: Question, allow_unproven: bool) -> View:
    from paretonym.cli.frontier_view import MOST_CHOICES, choice_lines, frontier_details
    from paretonym.frontier import cautions, describe
    from paretonym.frontier.queries import shortlist, shortlist_within
    from paretonym.sentence_parts import several

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
