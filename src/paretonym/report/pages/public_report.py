"""The report for everybody: the chosen release alone, and no count below its k.

Nothing here tells where the data lie, what else was possible, or how few somebody or something is: numbers of
people below k are not said, nor anything that they could be computed from.
"""

from __future__ import annotations

from collections.abc import Iterator

from paretonym.frontier import suppression_reasons
from paretonym.measures import LOSS, MEASURES, MeasureName, is_risk_of_people, measured, shown_by_file
from paretonym.release import block, published_costs, release_cost
from paretonym.report.pages.html import STYLE, Html, Part, facts_list, page, paragraphs, section, table, tag
from paretonym.report.pages.report_sections import glossary, protection_section, warned
from paretonym.report.report_facts import Chosen, Story
from paretonym.risk import NO_RISK
from paretonym.schema import ColumnSpec
from paretonym.schema.hierarchies import AS_IT_IS, NOT_SHOWN, level_words
from paretonym.sentence_parts import listed, percent, percentage, several
from paretonym.version import __version__

WORDS = (
    "quasi-identifier", "sensitive column", "group", "generalization", "left out", "release",
    "prosecutor risk", "journalist risk",
)  # fmt: skip


def public_page(story: Story, chosen: Chosen) -> str:
    """What may be said in public about a release."""
    values = {name: value for name, value in chosen.solution.values.items() if _may_be_told(name, story)}
    parts: list[Part] = [
        tag("h1", "How this table was made safer to publish"),
        warned(story.unit.warnings),
        tag("p", f"{_summary(chosen)}{_certain(story)}", kind="answer"),
        _shown(story, chosen),
        _left_out(story, chosen),
        _risk(chosen, values),
        protection_section(values, story, public=True),
        section(
            "Glossary",
            facts_list(glossary((*values, LOSS), story.unit, WORDS)),
        ),
        tag("p", f"Made with paretonym {__version__}.", kind="quiet"),
    ]
    return page("How this table was made safer to publish", STYLE, *parts)


def _may_be_told(name: str, story: Story) -> bool:
    """What the file shows; but no risk of people where rows are none."""
    return shown_by_file(name) and (story.unit.is_person or not is_risk_of_people(name))


def _summary(chosen: Chosen) -> str:
    k, unit = chosen.risk.smallest, chosen.risk.unit
    shows = f"The table shows {several(chosen.risk.rows, 'row', 'rows')}."
    if k == 1:
        who = "All" if chosen.risk.all_alone else "Some"
        return f"{shows} {who} {unit.many} in it look like {unit.no_other}."
    return (
        f"{shows} By what could be known of a person from elsewhere, "
        f"{unit.every} in it is one of at least {k:,} {unit.many} {unit.who} look the same."
    )


def _certain(story: Story) -> str:
    """Whose secret the table gives away, as anybody can see in it; which value it is is not said."""
    if not story.certain:
        return ""
    return (
        f" For some {story.unit.many} the value of {listed(list(story.certain))} is certain: all of their "
        "group have the same."
    )


def _shown(story: Story, chosen: Chosen) -> Html:
    """How each column is shown, told from the schema alone: which sets occur in the data is not said."""
    schema = story.record.schema
    levels = chosen.solution.recoding.known_levels
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
    kept = [
        [column.name, _published(column, story.mixed)]
        for column in schema.with_role("sensitive", "class", "other")
    ]
    without = (
        "Columns that name a person, and columns not meant to be published, are not in it."
        if schema.with_role("identifier", "drop")
        else ""
    )
    return section("What it shows", table(["column", "shown"], [*rows, *kept]), paragraphs(without))


def _published(column: ColumnSpec, mixed: bool) -> str:
    """How a column is shown that is no quasi-identifier."""
    level = str(level_words(column, column.release_level)) if column.release_level else ""
    order = "in random order inside groups of rows" if mixed and column.role == "sensitive" else ""
    return ", ".join(text for text in (level, order) if text) or AS_IT_IS


def _without_level(words: str) -> str:
    """How a column is shown that is at no level of its hierarchy."""
    return words if words.startswith((AS_IT_IS, NOT_SHOWN)) else "shown coarser"


def _left_out(story: Story, chosen: Chosen) -> Html:
    """Counts in blocks of k, and the loss computed from these: fewer than k rows are not told from none."""
    solution, k = chosen.solution, chosen.risk.smallest
    why = suppression_reasons(solution.recoding.keep) or "was too small"
    suppressed = (
        f"Suppressed because their group {why}: {block(solution.suppressed, k)}."
        if solution.recoding.keep
        else "No row was suppressed."
    )
    dropped = f"Left out because a value was missing: {block(story.frontier.table.dropped, k)}."
    cost = release_cost(story.data, solution.recoding)
    loss = published_costs(cost, story.frontier.table.rows - solution.suppressed, k)[LOSS]
    gone = f"In all, about {percentage(loss, 0)} of the detail of these columns is gone"
    return section("What is gone", paragraphs(suppressed, dropped, f"{gone}, suppressed rows included."))


def _risk(chosen: Chosen, values: dict[str, float]) -> Html:
    k, unit = chosen.risk.smallest, chosen.risk.unit
    words = (
        "Somebody who knows everything of a person that the generalized columns are about, and that the "
        f"person is in the table, finds the right row with a chance of at most 1 in {k:,} ({percent(1 / k)}; "
        "prosecutor risk). For somebody who does not know whether the person is in it the chance is not "
        "higher (journalist risk; no table of the population was used, so it is taken to be the same)."
        if unit.is_person
        else NO_RISK
    )
    told = [
        (name, f"{measured(name, value)}: {unit.said(_question(name))}") for name, value in values.items()
    ]
    title = f"The {'risk' if unit.is_person else 'groups'} of the {unit.many} in it"
    return section(title, paragraphs(words), facts_list(told), *_sizes(chosen, k))


def _question(name: str) -> str:
    return MEASURES[MeasureName.parsed(name).measure].question


def _sizes(chosen: Chosen, k: int) -> Iterator[Part]:
    """People by the size of their group, in shares of at least k people."""
    many = chosen.risk.unit.many
    rows = [
        [f"{part.low:,} or more", percentage(_at_least(chosen, part.low) / chosen.risk.rows, 0)]
        for part in chosen.risk.bins()
        if _at_least(chosen, part.low) >= k
    ]
    head = [f"{many} in the group", f"share of all {many} shown"]
    yield table(head, rows, numbers=[0, 1], kind="narrow")


def _at_least(chosen: Chosen, size: int) -> int:
    return chosen.risk.rows - chosen.risk.below(size)
