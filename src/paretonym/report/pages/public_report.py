"""The report for the public: only the chosen release, and no count below its k.

Nothing here says where the data are, what else was possible, or how rare anything is: counts of people below
k are not shown, nor anything from which they could be computed.
"""

from __future__ import annotations

from collections.abc import Iterator

from paretonym.base.language import N_, _, format_number, ngettext
from paretonym.base.sentence_parts import percent, percentage
from paretonym.engine.frontier import suppression_reasons
from paretonym.engine.measures import LOSS, MEASURES, MeasureName, card_of, measured
from paretonym.engine.risk import NO_RISK
from paretonym.release import block, published_costs, release_cost
from paretonym.report.pages.html import STYLE, Html, Part, facts_list, page, paragraphs, section, table, tag
from paretonym.report.pages.report_sections import (
    certain_values,
    glossary,
    protection_section,
    smallest_group,
    warned,
)
from paretonym.report.report_facts import Chosen, Story
from paretonym.tables.schema import ColumnSpec
from paretonym.tables.schema.hierarchies import UNCHANGED, level_words
from paretonym.version import __version__

TITLE = N_("How this table was made safer to publish")
COMBINED = N_(
    "Should another release of the same table be published, somebody who has both learns more exactly how "
    "many rows were suppressed."
)
SEVERAL_ROWS = N_(
    "A person may have several rows in this table, and it does not say which rows are the same person's. k "
    "counts people, so it cannot be computed from the table alone."
)


def public_page(story: Story, chosen: Chosen) -> str:
    """The page about a release that may be published."""
    values = {name: value for name, value in chosen.solution.values.items() if _is_public(name, story)}
    rows = story.frontier.table.rows - chosen.solution.suppressed
    parts: list[Part] = [
        tag("h1", _(TITLE)),
        warned((*story.unit.warnings, *((_(SEVERAL_ROWS),) if story.unit.several_rows else ()))),
        tag("p", " ".join([*_summary(chosen, rows), *_certain(story), *_by_values(chosen)]), kind="answer"),
        _shown(story, chosen),
        _left_out(story, chosen),
        _risk(chosen, values),
        protection_section(values, story, public=True),
        section(_("Glossary"), facts_list(glossary())),
        tag("p", _("Made with paretonym {version}.", version=__version__), kind="quiet"),
    ]
    return page(_(TITLE), STYLE, *parts)


def _is_public(name: str, story: Story) -> bool:
    """True if the file shows the measure; never for a risk of people if rows are not people. Where a person
    may have several rows, the file shows nothing about persons; that nobody is in a class of fewer than k is
    what the manifest states, and no more is said."""
    card = card_of(name)
    if card is None or not card.published.in_file:
        return False
    if story.unit.several_rows:
        return card.is_class_size
    return story.unit.is_person or not card.published.of_people


def _summary(chosen: Chosen, rows: int) -> Iterator[str]:
    k, unit = chosen.risk.smallest, chosen.risk.unit
    many = _(unit.many)
    yield ngettext("The table shows {number} row.", "The table shows {number} rows.", rows)
    if chosen.risk.all_alone:
        yield _("No two {many} in it look the same by their quasi-identifiers.", many=many)
    elif k == 1:
        other = _(unit.no_other)
        yield _("Some {many} in it look like {no_other}.", many=many, no_other=other)
    else:
        yield smallest_group(unit, format_number(k))


def _certain(story: Story) -> Iterator[str]:
    """A warning if the table discloses somebody's sensitive value, as anybody can see in it. What everybody
    of a class has in some row is not to be seen there."""
    if story.certain and not story.unit.several_rows:
        yield certain_values(story.unit, story.certain)


def _by_values(chosen: Chosen) -> Iterator[str]:
    """A warning if classes had to meet conditions on sensitive values, whether or not any was suppressed."""
    names = [name for condition in chosen.solution.recoding.keep for name in condition.measures]
    if any(card is not None and card.limits_inference for card in map(card_of, names)):
        yield _(
            "Groups of people whose sensitive values are too much alike are left out: of somebody who is "
            "missing although enough others look the same, that much is known."
        )


def _shown(story: Story, chosen: Chosen) -> Html:
    """The section on how each column is shown, from what the file shows and the schema."""
    schema = story.record.schema
    rows = [[column.name, str(column.words)] for column in chosen.described.columns]
    others = [
        [column.name, _published(column, story.mixed)]
        for column in schema.columns
        if column.released and column.role != "quasi"
    ]
    without = ""
    if not all(column.released for column in schema.columns):
        without = _("Columns that identify a person, and columns not meant for publication, are not in it.")
    columns = table([_("column"), _("shown")], [*rows, *others])
    return section(_("What it shows"), columns, paragraphs(without))


def _published(column: ColumnSpec, mixed: bool) -> str:
    """Words for a column that is not a quasi-identifier, as it is shown."""
    number = column.published_level
    level = "" if number is None else str(level_words(column, number))
    permuted = mixed and column.role == "sensitive"
    order = _("in random order inside groups of rows") if permuted else ""
    return ", ".join(text for text in (level, order) if text) or _(UNCHANGED)


def _left_out(story: Story, chosen: Chosen) -> Html:
    """The section on losses: counts in blocks of k, so that fewer than k rows look like none, and the loss
    computed from these."""
    solution, cost = chosen.solution, release_cost(story.data, chosen.solution.recoding)
    smallest = int(story.data.realized(solution.recoding).rows.min())
    k = cost.block_size(smallest)
    why = suppression_reasons(solution.recoding.keep) or _("was too small")
    suppressed = _("No row was suppressed.")
    if solution.recoding.keep:
        suppressed = _(
            "Rows suppressed because their equivalence class {why}: {rows}.",
            why=why,
            rows=block(solution.suppressed, k),
        )
    loss = published_costs(cost, story.frontier.table.rows - solution.suppressed, smallest)[LOSS]
    lost = _(
        "In total, about {share} of the detail of these columns is lost, including suppressed rows; the "
        "values that a column can have are those of the rows that stay, where its hierarchy does not list "
        "them.",
        share=percentage(loss, 0),
    )
    return section(_("What is lost"), paragraphs(suppressed, _dropped(story), lost, _(COMBINED)))


def _dropped(story: Story) -> str:
    """The sentence on rows that lack a value, from the schema alone: every release of a table drops the same
    rows, so blocks of several sizes would give away how many there are."""
    schema = story.record.schema
    if "drop" not in (schema.missing, *(column.missing for column in schema.columns)):
        return ""
    return _("Rows that lack a value were dropped before; how many there were is not published.")


def _risk(chosen: Chosen, values: dict[str, float]) -> Html:
    k, unit = chosen.risk.smallest, chosen.risk.unit
    words = _chances(chosen) if unit.is_person else _(NO_RISK)
    facts = [
        (name, f"{measured(name, value)}: {unit.said(_question(name))}") for name, value in values.items()
    ]
    title = _("Re-identification risk") if unit.is_person else _("Equivalence classes")
    return section(title, paragraphs(words), facts_list(facts), *_sizes(chosen, k))


def _chances(chosen: Chosen) -> str:
    k = chosen.risk.smallest
    values = {
        "k": format_number(k),
        "risk": percent(1 / k),
        "journalist": _journalist(chosen),
    }
    return _(
        "Somebody who knows a person's quasi-identifiers, and that the person is in the table, picks a "
        "row of that person with a probability of at most 1 in {k} ({risk}; prosecutor risk). For somebody "
        "who does not know whether the person is in it, {journalist}.",
        **values,
    )


def _journalist(chosen: Chosen) -> str:
    """In terms of what the manifest states: the smallest number of people of the population."""
    people = chosen.risk.population
    if people is None:
        return _(
            "the probability is not higher (journalist risk; no table of the population was used, so it is "
            "assumed to be the same)"
        )
    return _(
        "it is at most 1 in {people} ({risk}; journalist risk, by a table of the population)",
        people=format_number(people),
        risk=percent(1 / people),
    )


def _question(name: str) -> str:
    return _(MEASURES[MeasureName.parsed(name).measure].question)


def _sizes(chosen: Chosen, k: int) -> Iterator[Part]:
    """A table of people by the size of their equivalence class, in shares of at least k people."""
    many = _(chosen.risk.unit.many)
    if chosen.risk.unit.several_rows:
        # The file does not show how many people are in its classes.
        return
    rows = [
        [
            _("{number} or more", number=format_number(part.low)),
            percentage(_at_least(chosen, part.low) / chosen.risk.rows, 0),
        ]
        for part in chosen.risk.bins()
        if _at_least(chosen, part.low) >= k
    ]
    head = [_("{many} in the class", many=many), _("share of all {many} shown", many=many)]
    yield table(head, rows, numbers=[0, 1], kind="narrow")


def _at_least(chosen: Chosen, size: int) -> int:
    return chosen.risk.rows - chosen.risk.below(size)
