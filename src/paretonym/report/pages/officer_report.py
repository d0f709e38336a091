"""The report for those who decide: it shows everything and is therefore confidential."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence

from paretonym.base.extras import installed, remedy
from paretonym.base.language import N_, _, format_number
from paretonym.base.sentence_parts import percentage, upper_first
from paretonym.engine.frontier import SearchFacts, describe, term, values_in_words
from paretonym.engine.frontier.queries import bought, priced
from paretonym.engine.measures import CLASS_SIZE, card_of, measured
from paretonym.report.checklist_findings import CheckedList
from paretonym.report.figure_facts import Figure, figures_of
from paretonym.report.figures import draw
from paretonym.report.pages.checklist_section import checklist_section
from paretonym.report.pages.html import (
    STYLE,
    Html,
    Part,
    bullets,
    facts_list,
    joined,
    page,
    paragraphs,
    section,
    table,
    tag,
)
from paretonym.report.pages.report_sections import (
    columns_table,
    disclosure_table,
    glossary,
    protection_section,
    risk_paragraph,
    sizes_table,
    thresholds_table,
    warned,
)
from paretonym.report.pages.risk_section import risk_section
from paretonym.report.pages.utility_section import utility_parts
from paretonym.report.report_facts import Chosen, Story
from paretonym.tables.schema import ColumnSpec, PublishedLevel, Schema
from paretonym.tables.schema.hierarchies import level_words
from paretonym.version import __version__

TITLE = N_("How much detail, how much protection")


def officer_page(story: Story, checked: Sequence[CheckedList] = ()) -> str:
    """The whole report, with the checklists that the chosen release was held against."""
    parts: list[Part] = [
        tag(
            "p",
            _("Confidential: for the publisher and the data-protection officer only. Do not publish."),
            kind="banner",
        ),
        tag("h1", _(TITLE)),
        tag("p", _summary(story), kind="answer"),
        *(tag("p", sentence, kind="answer") for sentence in story.verdict),
        warned(story.warnings),
        _question(story),
        _data(story),
        risk_section(story.data),
        _frontier(story),
        _shortlist(story),
        *([_chosen(story, story.chosen)] if story.chosen is not None else []),
        *([protection_section(story.chosen.solution.values, story)] if story.chosen is not None else []),
        *map(checklist_section, checked),
        method_section(story),
        section(_("Glossary"), facts_list(glossary())),
        signatures(story),
    ]
    return page(_("{title} (confidential)", title=_(TITLE)), STYLE, *parts)


def _summary(story: Story) -> str:
    chosen = story.chosen
    if chosen is None:
        return _(
            "{frontier}. No release is chosen yet; the shortlist below shows those worth a look.",
            frontier=story.frontier,
        )
    names = [objective.name for objective in story.frontier.objectives]
    values = values_in_words(chosen.solution, names)
    return _("Chosen: release {id}, with {values}.", id=chosen.solution.id, values=values)


def _question(story: Story) -> Html:
    better = {"max": _("More is better."), "min": _("Less is better.")}
    objectives = [
        (term(o.name), f"{story.unit.said(question(o.name))} {better[o.direction]}")
        for o in story.frontier.objectives
    ]
    required = list(map(str, story.record.required))
    return section(
        _("The question"),
        paragraphs(
            _(
                "Which releases of this table are worth choosing? Those that no other one beats: none is at "
                "least as good in all of these objectives and better in one."
            )
        ),
        facts_list(objectives),
        facts_list(
            [
                (_("rows that may be suppressed"), _suppression(story.frontier.search)),
                (_("required of every release"), ", ".join(required) or _("nothing")),
            ]
        ),
    )


def question(name: str) -> str:
    """The question that a measure answers."""
    card = card_of(name)
    return _(card.question) if card is not None else ""


def _suppression(search: SearchFacts) -> str:
    rule = search.rule
    if rule is None:
        return search.suppress
    if rule is not None and rule.is_nothing:
        return _("none")
    share = format_number(f"{100 * float(rule.fraction):g} %")
    if rule.every_threshold:
        return _("at most {share}, as many as each threshold needs", share=share)
    return _("the smallest groups, at most {share}", share=share)


def _data(story: Story) -> Html:
    table_facts, record = story.frontier.table, story.record
    rows = [
        (_("rows read"), format_number(table_facts.read)),
        (_("dropped for a missing value"), format_number(table_facts.dropped)),
        (_("rows analysed"), format_number(table_facts.rows)),
        (_("a row is"), _row_words(story)),
        *_roles(record.schema, story.data.bound.published_levels),
        (_("file"), record.path or _("not a file")),
        (_("fingerprint of the data"), record.fingerprint),
        (_("fingerprint of the schema"), record.schema.digest()),
    ]
    return section(_("The data"), facts_list(rows))


def _row_words(story: Story) -> str:
    persons = story.frontier.table.persons
    if persons is not None:
        number = format_number(persons.number)
        return _("one of several that a person may have; there are {number} people", number=number)
    if story.unit.is_person:
        return _("one person")
    return _("one event; a person may have several")


def _roles(schema: Schema, levels: Mapping[str, PublishedLevel]) -> list[tuple[str, str]]:
    """The columns of each role."""
    named = (
        (words, [_column(column, levels.get(column.name)) for column in columns])
        for words, columns in schema.by_role
    )
    return [(_(words), ", ".join(names)) for words, names in named if names]


def _column(column: ColumnSpec, level: PublishedLevel | None) -> str:
    """A column's name and, if it is published at a level of its hierarchy, how and what it then loses."""
    if column.role == "weight":
        return f"{column.name} ({_('unchanged') if column.release else _('not released')})"
    if level is None:
        return column.name
    return _(
        "{column} ({shown}: {share} of its detail is lost, in addition to loss)",
        column=column.name,
        shown=level_words(column, column.published_level or 0),
        share=percentage(level.loss),
    )


def figure(facts: Figure, caption: str) -> Html:
    if not installed("plot"):
        missing = _(
            "There is no figure because matplotlib is not installed ({remedy}).", remedy=remedy("plot")
        )
        return tag("p", missing, kind="quiet")
    return tag("figure", Html(draw(facts).svg()), tag("figcaption", caption))


def _frontier(story: Story) -> Html:
    frontier = story.frontier
    chosen = story.chosen.solution if story.chosen is not None else None
    parts: list[Part] = [paragraphs(f"{frontier}.")]
    if frontier.least_cost is not None:
        bound = frontier.least_cost
        least = "" if chosen is None else bound.sentence(chosen.values[bound.by])
        if sentence := least or bound.about((), frontier.solutions):
            parts.append(paragraphs(f"{upper_first(sentence)}."))
    caption = [_("Each dot is a release; the shortlist is numbered.")]
    caption += [_("The chosen release has a red ring.")] if chosen is not None else []
    if len(frontier.objectives) == 2 and frontier.complete and not frontier.is_joint:
        releases = frontier.search.releases
        caption.append(_("None of the {releases} lies on the better side of the line.", releases=releases))
    beside = _("All objectives side by side, with the best value of each on top; each line is a release.")
    captions = {"frontier": " ".join(caption), "parallel": beside}
    parts += [figure(facts, captions[name]) for name, facts in figures_of(frontier, chosen).items()]
    return section(_("The frontier"), *parts)


def _shortlist(story: Story) -> Html:
    names = [objective.name for objective in story.frontier.objectives]
    rows: list[list[Part]] = []
    for choice in story.shortlist:
        values = [measured(name, choice.solution.values[name]) for name in names]
        words = describe(choice.solution, story.data).shown
        text = joined([tag("p", "; ".join(choice.reasons)), tag("p", words, kind="quiet")])
        rows.append([choice.solution.id, *values, format_number(choice.solution.suppressed), text])
    head = [_("release"), *names, _("suppressed rows"), _("why, and what it shows")]
    return section(_("Worth a look"), table(head, rows, numbers=range(1, len(names) + 2)))


def _chosen(story: Story, chosen: Chosen) -> Html:
    solution, k, unit = chosen.solution, int(chosen.solution.values[CLASS_SIZE]), story.unit
    parts: list[Part] = [
        paragraphs(_("Release {id}. {why}", id=solution.id, why=chosen.why), chosen.described.left_out),
        tag("h3", _("What it shows")),
        columns_table(chosen.described),
        *_suppressed(chosen),
        *utility_parts(story, chosen),
        *_secrets(story, chosen),
        tag(
            "h3",
            _("Re-identification risk") if unit.is_person else _("Equivalence classes"),
        ),
        risk_paragraph(chosen.risk),
        sizes_table(chosen.risk),
        tag("h3", _("Published thresholds")),
        thresholds_table(k, unit),
    ]
    if chosen.answer is not None:
        parts += _steps(chosen)
    made = [release for release in story.record.releases if str(release.get("id")) == solution.id]
    for release in made:
        parts += [
            tag("h3", _("Written as")),
            facts_list((str(name), _recorded(value)) for name, value in release.items()),
        ]
    return section(_("The chosen release"), *parts)


def _suppressed(chosen: Chosen) -> list[Part]:
    """Who is suppressed most."""
    rows = [
        [
            value.column,
            value.shown,
            format_number(value.rows),
            format_number(value.gone),
            percentage(value.share),
        ]
        for value in chosen.described.suppressed
    ]
    head = [_("column"), _("value"), _("rows"), _("suppressed"), _("share")]
    title = tag("h3", _("Suppressed most, by value"))
    return [title, table(head, rows, numbers=(2, 3, 4))] if rows else []


def _recorded(value: object) -> str:
    return format_number(value) if isinstance(value, int) else str(value)


IN_WORST_CLASS = N_(
    "For the worst equivalence class or bucket of each column: α is the share of its {many} with the most "
    "frequent value, ℓ is one divided by it (more is better), and t is the distance of the values from those "
    "of the whole table (less is better). A value is certain if all of a class have it."
)


def _secrets(story: Story, chosen: Chosen) -> list[Part]:
    """Disclosures of the release about sensitive values, whether or not that was part of the question."""
    if not chosen.disclosures:
        return []
    return [
        tag("h3", _("Attribute disclosure: what is learned about sensitive values")),
        disclosure_table(chosen.disclosures, story.unit),
        tag("p", _(IN_WORST_CLASS, many=_(story.unit.many)), kind="quiet"),
    ]


def _steps(chosen: Chosen) -> list[Part]:
    if chosen.answer is None:
        return []
    doubts = [_("Not proven: {doubt}.", doubt=doubt) for doubt in chosen.answer.doubts]
    parts: list[Part] = [paragraphs(*doubts)] if doubts else []
    for title, lines in (
        (_("What relaxing a limit would give"), bought(chosen.answer)),
        (_("What the next stricter limit would cost"), priced(chosen.answer)),
    ):
        parts += [tag("h3", title), bullets(lines)] if lines else []
    return parts


def method_section(story: Story) -> Html:
    """Section on how releases were searched for, what is proven of that, and by which versions."""
    record = story.record
    rows = [
        *(_search(story, search) for search in story.frontier.methods),
        (_("seconds"), format_number(f"{record.seconds:.1f}")),
        (_("found with"), f"paretonym {record.version}"),
        (_("this report"), f"paretonym {__version__}, Python {platform.python_version()}"),
    ]
    explained = _(
        "{method} Loss is the share of detail lost, averaged over all cells; a suppressed row has lost "
        "everything.",
        method=_(story.space.wording.method),
    )
    return section(_("Method and versions"), paragraphs(explained), facts_list(rows))


def _search(story: Story, search: SearchFacts) -> tuple[str, str]:
    """A search, and what is proven of its space."""
    frontier = story.frontier
    proven = _(
        "proven among {releases}: each of them was evaluated, or provably adds nothing",
        releases=search.releases,
    )
    if search.complete:
        return f"{search.space}, {search.method}", proven + frontier.estimates
    short = search.short
    if search.bound and not frontier.is_joint:
        bound = search.bound
        about = bound.beside(story.chosen.solution) if story.chosen else bound.about((), frontier.solutions)
        short = f"{short}; {about}" if about else short
    return f"{search.space}, {search.method}", short


def signatures(story: Story) -> Html:
    """The decision, with lines to sign."""
    chosen = story.chosen
    what = chosen.solution.id if chosen is not None else "____________"
    blank = [[line, ""] for line in (_("purpose"), _("recipients"), _("conditions"))]
    signing = (_("for the publisher"), _("data-protection officer"), _("for the users"))
    rows = [[who, "", ""] for who in signing]
    return section(
        _("Decision"),
        paragraphs(_("We have read this report and agree to release {id}.", id=what)),
        table(["", ""], blank, kind="sign"),
        table([_("who"), _("name and signature"), _("place and date")], rows, kind="sign"),
    )
