"""`paretonym report`: a page for those who decide, or for the public, as HTML or PDF, in a language; and the
paper that decides about a purpose, as JSON too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from paretonym.base.errors import InputError
from paretonym.base.extras import installed, remedy
from paretonym.base.files import Output, check_outputs, write_output
from paretonym.base.language import ENGLISH, in_language, languages
from paretonym.interfaces.cli.command_inputs import RunData, inputs_of, question_of
from paretonym.interfaces.cli.screen import PLAIN, Screen, View

if TYPE_CHECKING:
    from paretonym.engine.frontier.queries import Question
    from paretonym.report import DecisionPaper, Story
    from paretonym.study import Run
    from paretonym.tables.schema.policies import Checklist

FORMAT = "paretonym.report/1"
ENDINGS = (".html", ".htm", ".pdf")
PERMIT = "permit"
EXAMPLES = """Examples:

\b
  paretonym report run -o report.html
  paretonym report run --pick 1e50f1 -o report.html --checklist wp216
  paretonym report run --at-most loss=40% --best k -o report.html
  paretonym report run --pick 1e50f1 --for public -o about.html
  paretonym report run --pick 1e50f1 --language de -o bericht.pdf
  paretonym report run --for permit --purpose "income gap" --at-least k=5 -o permit.html
"""


def report(
    run: Path,
    out: Path,
    pick: str | None = None,
    reader: str = "officer",
    purpose: str | None = None,
    at_most: list[str] | None = None,
    at_least: list[str] | None = None,
    best: list[str] | None = None,
    checklists: list[str] | None = None,
    language: str = ENGLISH,
    data: str | None = None,
    force: bool = False,
    screen: Screen = PLAIN,
) -> None:
    """Write one self-contained page about a run.

    It says what was asked, what is possible, what was chosen and why, what the release protects against and
    what it does not. Choose the release with --pick, or with a question as in ask. For a permit it says
    whether a purpose can be achieved within limits, and exits with 1 if not. A name that ends in .pdf is
    written as PDF, which needs the extra [pdf].
    """
    _check_page(out, reader)
    if language not in languages():
        wrong = f"there is no translation for '{language}'"
        raise InputError.of("--language", wrong, f"choose one of {', '.join(languages())}")
    output = Output(out, private=reader != "public")
    check_outputs([output], force, inputs_of(run, data))
    question, policies = question_of(at_least, at_most, best)
    _check_question(reader, pick, purpose, question)
    from paretonym.tables.schema.policies import read_checklist

    rules = [read_checklist(name) for name in checklists or ()]
    frontier = RunData(data).opened(run)
    read = inputs_of(run, data, None if frontier.record is None else frontier.record.path)
    check_outputs([output], force, read)
    with in_language(language), screen.progress("Writing") as progress:
        if reader == PERMIT:
            from paretonym.report import decide

            paper = decide(frontier, frontier.data, purpose, question.limits, policies, rules, progress)
            content, view = _permit_content(paper, out), _permit_view(paper, out)
        else:
            story = _story(frontier, pick, question)
            content, view = _page_content(story, reader, rules, out), _view(story, reader, out)
    write_output(output, content, force, read)
    screen.show(view)
    if reader == PERMIT and view.document["verdict"] != "achievable":
        raise click.exceptions.Exit(1)


def _check_page(out: Path, reader: str) -> None:
    from paretonym.report.pages import READERS, check_reader

    check_reader(reader, (*READERS, PERMIT))
    endings = (*ENDINGS, ".json") if reader == PERMIT else ENDINGS
    if out.suffix.lower() not in endings:
        wrong = f"a report is HTML or PDF, but {out.name} does not end in {', '.join(endings)}"
        raise InputError.of("--out", wrong, f"write to {out.stem or 'report'}.html or .pdf")
    if _is_pdf(out):
        from paretonym.report import check_printer

        check_printer("--out")


def _check_question(reader: str, pick: str | None, purpose: str | None, question: Question) -> None:
    """Refuse options that the page for this reader has no use for."""
    if reader == PERMIT:
        for flag, value in (("--pick", pick), ("--best", question.best)):
            if value is not None:
                wrong = "a permit is about the release with the largest k that meets requirement and purpose"
                raise InputError.of(flag, wrong, "omit it")
    elif purpose is not None:
        raise InputError.of("--purpose", "only a paper for a permit is about a purpose", "add --for permit")
    elif question.best is None and question.limits:
        raise InputError.of("--best", "missing, though limits are given", "name the measure to optimize")


def _story(frontier: Run, pick: str | None, question: Question) -> Story:
    """The story that a report tells; what its answer cannot prove, it says."""
    from paretonym.report import tell

    return tell(frontier, frontier.data, pick, None if question.best is None else question)


def _is_pdf(out: Path) -> bool:
    return out.suffix.lower() == ".pdf"


def _written(text: str, out: Path) -> bytes:
    """The page as the file's name asks for it."""
    if not _is_pdf(out):
        return text.encode()
    from paretonym.report import printed

    return printed(text, "--out")


def _page_content(story: Story, reader: str, checklists: list[Checklist], out: Path) -> bytes:
    from paretonym.report.pages import report_page

    return _written(report_page(story, reader, checklists), out)


def _permit_content(paper: DecisionPaper, out: Path) -> bytes:
    """The paper, or its twin for other programs."""
    if out.suffix.lower() == ".json":
        return json.dumps(paper.as_json(), indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    from paretonym.report.pages import permit_page

    return _written(permit_page(paper), out)


def _view(story: Story, reader: str, out: Path) -> View:
    chosen = story.chosen
    document = {
        "format": FORMAT,
        "report": str(out),
        "for": reader,
        "chosen": None if chosen is None else chosen.solution.id,
        "warnings": list(story.warnings),
    }
    secret = "confidential, for the publisher only" if reader == "officer" else "it may be published"
    hint = "" if chosen else "No release is chosen; choose one with --pick ID, or --best and limits."
    doubts = chosen.answer.doubts if chosen is not None and chosen.answer is not None else ()
    lines = [f"Wrote {out}: {secret}.", *(f"Not proven: {doubt}." for doubt in doubts)]
    return View(document, lines, (*story.warnings, *_missing_figures(reader)), hint)


def _permit_view(paper: DecisionPaper, out: Path) -> View:
    document = {
        "format": FORMAT,
        "report": str(out),
        "for": PERMIT,
        "chosen": None if paper.chosen is None else paper.chosen.solution.id,
        "verdict": paper.answer.verdict,
        "proven": paper.answer.proven,
        "warnings": list(paper.story.warnings),
    }
    lines = [str(paper.answer), f"Wrote {out}: confidential, for those who decide on access to the data."]
    return View(document, lines, (*paper.story.warnings, *_missing_figures(PERMIT)))


def _missing_figures(reader: str) -> tuple[str, ...]:
    if reader == "public" or installed("plot"):
        return ()
    return (f"The page has no figures because matplotlib is not installed; {remedy('plot')}",)
