"""`paretonym ask`: questions to a saved frontier."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paretonym.cli.common_options import (
    Best,
    Json,
    LimitAbove,
    LimitBelow,
    Quiet,
    RunFolder,
    Unproven,
    Where,
    only,
)
from paretonym.cli.console import note, output, print_json
from paretonym.cli.option_flags import in_shell
from paretonym.cli.saved_run import RECORDED, RunData
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
    run: RunFolder,
    at_most: LimitAbove = None,
    at_least: LimitBelow = None,
    where: Where = None,
    best: Best = None,
    allow_unproven: Unproven = False,
    table: RunData = RECORDED,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Answer a question from the frontier of a run.

    With --best, show the best release within the limits, and what relaxing each limit would give. Without it,
    show a shortlist of releases that are worth a look.
    """
    from paretonym.frontier.queries import parse_question

    question = parse_question(at_least or (), at_most or (), where or (), only(best))
    frontier = table.opened(run)
    try:
        if question.best is None:
            _shortlist(frontier, question, allow_unproven, as_json, quiet)
        else:
            _answer(frontier, question, allow_unproven, as_json, quiet)
    except NoSolution as error:
        if as_json:
            print_json(_no(question, error))
        raise


def _answer(frontier: Run, question: Question, allow_unproven: bool, as_json: bool, quiet: bool) -> None:
    from paretonym.frontier import cautions, describe
    from paretonym.frontier.queries import answer

    found = answer(frontier, question, allow_unproven)
    found = replace(found, warnings=cautions(found.solution, frontier.data))
    described = describe(found.solution, frontier.data)
    if as_json:
        print_json({"format": FORMAT, **found.as_json(), "description": described.as_json(in_shell)})
        return
    from paretonym.cli.frontier_tables import answer_view

    output().print(answer_view(frontier, found, described))
    if described.note:
        note(f"Note: the loss per column is not shown. {described.reason}", quiet)


def _shortlist(frontier: Run, question: Question, allow_unproven: bool, as_json: bool, quiet: bool) -> None:
    from paretonym.frontier import cautions, describe
    from paretonym.frontier.queries import shortlist_within
    from paretonym.sentence_parts import several

    choices, doubts = shortlist_within(frontier, question, allow_unproven)
    if as_json:
        limits = [limit.as_json() for limit in question.limits]
        listed = [
            {
                **c.as_json(),
                "warnings": list(cautions(c.solution, frontier.data)),
                "description": describe(c.solution, frontier.data).as_json(),
            }
            for c in choices
        ]
        print_json(
            {
                "format": FORMAT,
                "warnings": list(frontier.warnings),
                "best": None,
                "limits": limits,
                "proven": not doubts,
                "doubts": list(doubts),
                "shortlist": listed,
            }
        )
        return
    from paretonym.cli.frontier_tables import shortlist_view

    output().print(shortlist_view(frontier, choices, doubts))
    listed_of = f"{len(choices)} of {several(len(frontier), 'release', 'releases')}"
    note(f"{listed_of}. To get one, use --best with --at-most or --at-least.", quiet)


def _no(question: Question, error: NoSolution) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "best": question.best,
        "limits": [limit.as_json() for limit in question.limits],
        "answer": None,
        "text": str(error),
        "nearest": [solution.as_json() for solution in error.nearest],
    }
