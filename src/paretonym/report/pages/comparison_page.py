"""The page of a comparison of tables: words, the picture, every figure, and how it was measured."""

from __future__ import annotations

from paretonym.base.extras import installed
from paretonym.base.sentence_parts import percent
from paretonym.evidence.criteria import Criterion
from paretonym.report.figures import draw_tables
from paretonym.report.pages.html import STYLE, Html, bullets, facts_list, page, section, table, tag
from paretonym.report.table_comparison import MeasuredTables
from paretonym.version import __version__

TITLE = "Tables about the same people, measured alike"
MEASURED = (
    (
        "singling out",
        "predicates drawn from the table that exactly one distinct row of the original satisfies",
    ),
    ("linkability", "two halves of what is known about a person lead to the same row of the table"),
    ("inference", "a sensitive value is guessed from the nearest rows by the quasi-identifiers"),
    (
        "risk",
        "success against people of the original beyond success against people of the control, whom no table "
        "was made from, with its interval of 95 %. It is measured for these attackers, and proves nothing "
        "about others",
    ),
    ("marginal-error", "half the differences of the shares of single values, mean over columns"),
    ("association-error", "difference of Cramér's V, mean over pairs of columns"),
    ("pmse", "how well pairs of columns tell the table from the original: 0 not at all, 0.25 always"),
    ("prediction-error", "people of the control whose value naive Bayes names wrongly, trained on the table"),
    (
        "purpose-error",
        "declared analyses that are not within tolerance, as a share of those whose columns the table has",
    ),
    (
        "formal guarantee",
        "k, ℓ and t of the file's own classes, if every group of equal rows fits as many people of the "
        "original; the k of a table whose rows are nobody's, such as a synthetic one, guarantees nothing. "
        "Stated: by whoever made the file; nothing here checks it",
    ),
)


def comparison_page(comparison: MeasuredTables) -> str:
    """The whole page."""
    figure = Html("")
    if installed("plot"):
        figure = tag("figure", Html(draw_tables(comparison).svg()))
    numbers = tuple(range(1, len(comparison.head) - 1))
    attacks = (
        (f"{measured.name}: {criterion.name}, {criterion.subject}", *_rates(criterion))
        for measured in comparison.tables
        for criterion in measured.criteria.criteria
    )
    return page(
        TITLE,
        f"{STYLE}main {{ max-width: 76rem; }} td:first-child {{ white-space: nowrap; }}\n",
        tag("p", "Confidential: for the publisher only. Do not publish.", kind="banner"),
        tag("h1", TITLE),
        tag("p", " ".join(comparison.words), kind="answer"),
        figure,
        section(
            "Every figure",
            table(comparison.head, comparison.rows(), numbers),
            tag("p", "* no better than a random guess", kind="quiet"),
        ),
        *([bullets(comparison.remarks)] if comparison.remarks else []),
        *_analyses(comparison),
        section("How it was measured", facts_list(MEASURED)),
        section(
            "Every attack",
            table(("attack", "risk", "original", "control", "naive guess"), attacks, (1, 2, 3, 4)),
        ),
        tag("p", f"Made by paretonym {__version__}.", kind="quiet"),
    )


def _analyses(comparison: MeasuredTables) -> list[Html]:
    """The declared analyses, if there are any."""
    rows = list(comparison.analyses())
    head = ("analysis", "beside the original", "outcome")
    return [section("Declared analyses", table(head, rows, ()))] if rows else []


def _rates(criterion: Criterion) -> tuple[str, ...]:
    """The risk of an attack, and how often it succeeds against original and control and by guessing."""
    shares = (criterion.original.share, criterion.control.share, criterion.naive.share)
    return criterion.interval, *map(percent, shares)
