"""`paretonym report`: a page for those who decide, or for the public, as HTML or PDF, in a language."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paretonym.cli.command_inputs import RunData, inputs_of, only
from paretonym.cli.screen import PLAIN, Screen, View
from paretonym.errors import InputError
from paretonym.extras import installed, remedy, require
from paretonym.files import Inputs, Kind, Output, check_outputs, new_folder, write_output
from paretonym.language import ENGLISH, in_language, languages

if TYPE_CHECKING:
    from paretonym.report import Story

FORMAT = "paretonym.report/1"
ENDINGS = (".html", ".htm", ".pdf")
EXAMPLES = """Examples:

\b
  paretonym report run -o report.html
  paretonym report run --pick 1e50f1 -o report.html
  paretonym report run --at-most loss=40% --best k -o report.html --figures figures
  paretonym report run --pick 1e50f1 --for public -o about.html
  paretonym report run --pick 1e50f1 --language de -o bericht.pdf
"""


def report(
    run: Path,
    out: Path,
    pick: str | None = None,
    reader: str = "officer",
    at_most: list[str] | None = None,
    at_least: list[str] | None = None,
    best: list[str] | None = None,
    allow_unproven: bool = False,
    figures: Path | None = None,
    language: str = ENGLISH,
    data: str | None = None,
    force: bool = False,
    screen: Screen = PLAIN,
) -> None:
    """Write one self-contained page about a run.

    It says what was asked, what is possible, what was chosen and why, what the release protects against and
    what it does not. Choose the release with --pick, or with a question as in ask. A name that ends in .pdf
    is written as PDF, which needs the extra [pdf].
    """
    _check_page(out)
    if language not in languages():
        wrong = f"there is no translation for '{language}'"
        raise InputError.of("--language", wrong, f"choose one of {', '.join(languages())}")
    if figures is not None:
        require("plot", "--figures")
    outputs = _outputs(reader, out, figures)
    check_outputs(outputs, force, inputs_of(run, data))
    from paretonym.frontier.queries import parse_question

    limits = (at_least or (), at_most or (), ())
    question = parse_question(*limits, only(best))
    if question.best is None and question.limits:
        raise InputError.of("--best", "missing, though limits are given", "name the measure to optimize")
    frontier = RunData(data).opened(run)
    read = inputs_of(run, data, None if frontier.record is None else frontier.record.path)
    check_outputs(outputs, force, read)
    from paretonym.report import tell
    from paretonym.report.pages import report_page

    asked = question if question.best is not None else None
    with in_language(language), screen.progress("Writing"):
        story = tell(frontier, frontier.data, pick, asked, allow_unproven)
        content = _content(report_page(story, reader), out)
        if figures is not None:
            _write_figures(story, outputs[1], force, read)
    write_output(outputs[0], content, force, read)
    drawn = reader != "officer" or installed("plot")
    missing = f"The page has no figures because matplotlib is not installed; {remedy('plot')}"
    screen.show(_view(story, reader, out, figures, () if drawn else (missing,)))


def _check_page(out: Path) -> None:
    if out.suffix.lower() not in ENDINGS:
        wrong = f"a report is HTML or PDF, but {out.name} does not end in {', '.join(ENDINGS)}"
        raise InputError.of("--out", wrong, f"write to {out.stem or 'report'}.html or .pdf")
    if _is_pdf(out):
        from paretonym.report import check_printer

        check_printer("--out")


def _is_pdf(out: Path) -> bool:
    return out.suffix.lower() == ".pdf"


def _content(text: str, out: Path) -> bytes:
    """The page as the file's name asks for it."""
    if not _is_pdf(out):
        return text.encode()
    from paretonym.report import printed

    return printed(text, "--out")


def _outputs(reader: str, out: Path, figures: Path | None) -> list[Output]:
    from paretonym.report.pages import check_reader

    check_reader(reader)
    page = Output(out, private=reader == "officer")
    if figures is None:
        return [page]
    if reader == "public":
        raise InputError.of(
            "--figures", "the figures show more than the chosen release", "omit --figures for the public"
        )
    return [page, Output(figures, Kind.FOLDER, "figures")]


def _write_figures(story: Story, folder: Output, force: bool, read: Inputs) -> None:
    from paretonym.report import figures_of
    from paretonym.report.figures import draw

    chosen = None if story.chosen is None else story.chosen.solution
    with new_folder(folder, force, read) as draft:
        for name, facts in figures_of(story.frontier, chosen).items():
            drawing = draw(facts)
            for suffix in ("svg", "png"):
                drawing.save(draft / f"{name}.{suffix}")


def _view(story: Story, reader: str, out: Path, figures: Path | None, warnings: tuple[str, ...]) -> View:
    document = {
        "format": FORMAT,
        "report": str(out),
        "for": reader,
        "chosen": None if story.chosen is None else story.chosen.solution.id,
        "warnings": list(story.warnings),
        "figures": None if figures is None else str(figures),
    }
    secret = "confidential, for the publisher only" if reader == "officer" else "it may be published"
    lines = [f"Wrote {out}: {secret}."]
    if figures is not None:
        lines.append(f"Wrote the figures to {figures}.")
    hint = "" if story.chosen else "No release is chosen; choose one with --pick ID, or --best and limits."
    return View(document, lines, (*story.warnings, *warnings), hint)
