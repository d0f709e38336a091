"""The report for everybody: the chosen release alone, and no count below its k.

Nothing here tells where the data lie, what else was possible, or how few somebody or something is: numbers of
people below k are not said, nor anything that they could be computed from.
"""

from __future__ import annotations

from collections.abc import Iterator

from paretonym.measures.registry import MEASURES
from paretonym.measures.wording import measured, percent
from paretonym.release.small_counts import Cost, block, published_costs
from paretonym.report.page.glossary import glossary
from paretonym.report.page.html import Html, Part, facts_list, page, paragraphs, section, table, tag
from paretonym.report.page.parts import protection_section
from paretonym.report.page.style import STYLE
from paretonym.report.story import Chosen, Story
from paretonym.schema.wording import AS_IT_IS, NOT_SHOWN, level_words
from paretonym.version import __version__

# Measures that the released file itself shows, so that saying them tells nothing new.
SHOWN_BY_THE_FILE = ("k", "l", "l-distinct", "l-entropy", "l-recursive", "alpha", "risk-highest")
WORDS = (
    "quasi-identifier", "sensitive column", "group", "generalization", "left out", "release",
    "prosecutor risk", "journalist risk",
)  # fmt: skip


def public_page(story: Story, chosen: Chosen) -> str:
    """What may be said in public about a release."""
    values = {name: value for name, value in chosen.solution.values.items() if _may_be_told(name)}
    parts: list[Part] = [
        tag("h1", "How this table was made safer to publish"),
        tag("p", _summary(chosen), kind="answer"),
        _shown(story, chosen),
        _left_out(story, chosen),
        _risk(chosen, values),
        protection_section(values, story, public=True),
        section(
            "Glossary",
            facts_list(glossary((*values, "loss"), WORDS)),
        ),
        tag("p", f"Made with paretonym {__version__}.", kind="quiet"),
    ]
    return page("How this table was made safer to publish", STYLE, *parts)


def _may_be_told(name: str) -> bool:
    return name.partition("@")[0] in SHOWN_BY_THE_FILE


def _summary(chosen: Chosen) -> str:
    k = chosen.risk.smallest
    if k == 1:
        who = "All" if chosen.risk.all_alone else "Some"
        return f"The table shows {chosen.risk.rows:,} rows. {who} people in it look like nobody else."
    return (
        f"The table shows {chosen.risk.rows:,} rows. By what could be known of a person from elsewhere, "
        f"everybody in it is one of at least {k:,} people who look the same."
    )


def _shown(story: Story, chosen: Chosen) -> Html:
    """How each column is shown, told from the schema alone: which sets occur in the data is not said."""
    schema = story.record.schema
    levels = chosen.solution.recoding.as_json().get("levels", {})
    described = {column.name: column.words.words for column in chosen.described.columns}
    rows = [
        [
            name,
            str(level_words(schema.column(name), levels[name]))
            if name in levels
            else _without_level(described.get(name, "")),
        ]
        for name in story.frontier.table.quasi
    ]
    told = {"sensitive": "in random order inside groups of rows"} if story.mixed else {}
    kept = [
        [column.name, told.get(column.role, "as it is")]
        for column in schema.with_role("sensitive", "class", "other")
    ]
    without = (
        "Columns that name a person, and columns not meant to be published, are not in it."
        if schema.with_role("identifier", "drop")
        else ""
    )
    return section("What it shows", table(["column", "shown"], [*rows, *kept]), paragraphs(without))


def _without_level(words: str) -> str:
    """How a column is shown that is at no level of its hierarchy."""
    return words if words.startswith((AS_IT_IS, NOT_SHOWN)) else "shown coarser"


def _left_out(story: Story, chosen: Chosen) -> Html:
    """Counts in blocks of k, and the loss computed from these: fewer than k rows are not told from none."""
    solution, k = chosen.solution, chosen.risk.smallest
    suppressed = (
        f"Suppressed, so that every group shown has what was required of it: {block(solution.suppressed, k)}."
        if solution.recoding.keep
        else "No row was suppressed."
    )
    dropped = f"Left out because a value was missing: {block(story.frontier.table.dropped, k)}."
    rows = story.frontier.table.rows
    cost = Cost(solution.suppressed, solution.values["gl"] * rows)
    loss = published_costs(cost, rows - solution.suppressed, k)["loss"]
    share = (
        f"In all, about {100 * loss:.0f} % of the detail of these columns is gone, suppressed rows included."
    )
    return section("What is gone", paragraphs(suppressed, dropped, share))


def _risk(chosen: Chosen, values: dict[str, float]) -> Html:
    k = chosen.risk.smallest
    words = (
        "Who knows everything of a person that the generalized columns are about, and that the person is in "
        f"the table, finds the right row with a chance of at most 1 in {k:,} ({percent(1 / k)}; prosecutor "
        "risk). For who does not know whether the person is in it the chance is not higher (journalist risk; "
        "no table of the population was used, so it is taken to be the same)."
    )
    told = [(name, f"{measured(name, value)}: {_question(name)}") for name, value in values.items()]
    return section("The risk of the people in it", paragraphs(words), facts_list(told), *_sizes(chosen, k))


def _question(name: str) -> str:
    return MEASURES[name.partition("@")[0]].question


def _sizes(chosen: Chosen, k: int) -> Iterator[Part]:
    """People by the size of their group, in shares of at least k people."""
    rows = [
        [f"{part.low:,} or more", f"{100 * _at_least(chosen, part.low) / chosen.risk.rows:.0f} %"]
        for part in chosen.risk.bins()
        if _at_least(chosen, part.low) >= k
    ]
    yield table(["people in the group", "share of all people shown"], rows, numbers=[0, 1], kind="narrow")


def _at_least(chosen: Chosen, size: int) -> int:
    return chosen.risk.rows - chosen.risk.below(size)
