"""The report for those who decide: it shows everything and is therefore confidential."""

from __future__ import annotations

import platform
from collections.abc import Mapping

from paretonym.extras import installed, remedy
from paretonym.frontier import Frontier, SearchFacts, describe
from paretonym.frontier.queries import bought, priced
from paretonym.measures import CLASS_SIZE, GENERALIZATION, LOSS, SUPPRESSION, card_of, measured
from paretonym.report.chart_registry import FRONTIER_CHARTS, RELEASE_CHARTS
from paretonym.report.figure_facts import Figure
from paretonym.report.figures import draw
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
from paretonym.schema import ColumnSpec, PublishedLevel, Role, Schema
from paretonym.schema.hierarchies import level_words
from paretonym.sentence_parts import percentage
from paretonym.version import __version__

TITLE = "How much detail, how much protection"
ROLE_WORDS: tuple[tuple[Role, str], ...] = (
    ("quasi", "quasi-identifiers, generalized"),
    ("sensitive", "sensitive, unchanged"),
    ("class", "to be predicted, unchanged"),
    ("other", "others, unchanged"),
    ("identifier", "identifiers, not released"),
    ("person", "says whose a row is, not released"),
    ("weight", "says how many people a row stands for"),
    ("drop", "not released"),
)
# In the space of buckets.
IN_BUCKETS: Mapping[Role, str] = {
    "quasi": "quasi-identifiers, unchanged",
    "sensitive": "sensitive, in random order inside each bucket",
}


def officer_page(story: Story) -> str:
    """The whole report."""
    parts: list[Part] = [
        tag(
            "p",
            "Confidential: for the publisher and the data-protection officer only. Do not publish.",
            kind="banner",
        ),
        tag("h1", TITLE),
        warned(story.warnings),
        tag("p", _summary(story), kind="answer"),
        _question(story),
        _data(story),
        risk_section(story.data),
        _frontier(story),
        _shortlist(story),
        *([_chosen(story, story.chosen)] if story.chosen is not None else []),
        *([protection_section(story.chosen.solution.values, story)] if story.chosen is not None else []),
        _method(story),
        section("Glossary", facts_list(glossary(_measures(story), story.unit))),
        _signatures(story),
    ]
    return page(f"{TITLE} (confidential)", STYLE, *parts)


def _summary(story: Story) -> str:
    chosen = story.chosen
    if chosen is None:
        return f"{story.frontier}. No release is chosen yet; the shortlist below shows those worth a look."
    values = chosen.solution.values
    parts = [f"{name} {measured(name, values[name])}" for name in _measures(story) if name in values]
    return f"Chosen: release {chosen.solution.id}, with {', '.join(parts)}. {chosen.described.left_out}"


def _measures(story: Story) -> tuple[str, ...]:
    asked = (objective.name for objective in story.frontier.objectives)
    return tuple(dict.fromkeys([*asked, CLASS_SIZE, LOSS, GENERALIZATION, SUPPRESSION]))


def _question(story: Story) -> Html:
    asked = [
        (
            o.name,
            f"{story.unit.said(question(o.name))} {'More' if o.direction == 'max' else 'Less'} is better.",
        )
        for o in story.frontier.objectives
    ]
    required = list(map(str, story.record.required))
    return section(
        "The question",
        paragraphs("Which releases of this table does no other release dominate in these objectives?"),
        facts_list(asked),
        facts_list(
            [
                ("rows that may be suppressed", _suppression(story.frontier.search)),
                ("required of every release", ", ".join(required) or "nothing"),
            ]
        ),
    )


def question(name: str) -> str:
    """The question that a measure answers."""
    card = card_of(name)
    return card.question if card is not None else ""


def _suppression(search: SearchFacts) -> str:
    rule = search.rule
    if rule is None:
        return search.suppress
    if rule is not None and rule.is_nothing:
        return "none"
    most = f"at most {100 * float(rule.fraction):g} %"
    if rule.every_threshold:
        return f"{most}, as many as each threshold needs"
    return f"the smallest groups, {most}"


def _data(story: Story) -> Html:
    table_facts, record = story.frontier.table, story.record
    rows = [
        ("rows read", f"{table_facts.read:,}"),
        ("dropped for a missing value", f"{table_facts.dropped:,}"),
        ("rows analysed", f"{table_facts.rows:,}"),
        (
            "a row is",
            _row_words(story),
        ),
        *(_roles(record.schema, IN_BUCKETS if story.mixed else {}, story.data.bound.published_levels)),
        ("file", record.path or "not a file"),
        ("fingerprint of the data", record.fingerprint),
        ("fingerprint of the schema", record.schema.digest()),
    ]
    return section("The data", facts_list(rows))


def _row_words(story: Story) -> str:
    persons = story.frontier.table.persons
    if persons is not None:
        return f"one of several that a person may have; there are {persons.number:,} people"
    return "one person" if story.unit.is_person else "one event; a person may have several"


def _roles(
    schema: Schema, otherwise: Mapping[Role, str], levels: Mapping[str, PublishedLevel]
) -> list[tuple[str, str]]:
    named = [
        (
            otherwise.get(role, words),
            [_published(column, levels.get(column.name)) for column in schema.with_role(role)],
        )
        for role, words in ROLE_WORDS
    ]
    return [(words, ", ".join(names)) for words, names in named if names]


def _published(column: ColumnSpec, level: PublishedLevel | None) -> str:
    """A column's name, how it is published if its role does not say, and what it then loses."""
    if column.role == "weight":
        return f"{column.name} ({'unchanged' if column.release else 'not released'})"
    if level is None:
        return column.name
    words = level_words(column, column.published_level or 0)
    return f"{column.name} ({words}: {percentage(level.loss)} of its detail is lost, beside loss)"


def figure(facts: Figure, caption: str) -> Html:
    if not installed("plot"):
        return tag(
            "p", f"There is no figure because matplotlib is not installed ({remedy('plot')}).", kind="quiet"
        )
    return tag("figure", Html(draw(facts).svg()), tag("figcaption", caption))


def _frontier(story: Story) -> Html:
    frontier, marked = story.frontier, [choice.solution for choice in story.shortlist]
    chosen = story.chosen.solution if story.chosen is not None else None

    def drawn(chart: str, caption: str) -> Html:
        return figure(FRONTIER_CHARTS[chart].facts(frontier, marked, chosen), caption)

    ring = " The chosen release has a red ring." if chosen is not None else ""
    parts: list[Part] = [paragraphs(f"{frontier}.")]
    if len(frontier.objectives) == 2:
        line = " No release lies on the better side of the line." if frontier.search.complete else ""
        caption = f"Each dot is a release; the shortlist is labelled.{ring}{line}"
        parts.append(drawn("frontier", caption))
    elif len(frontier.objectives) > 2:
        red = " the chosen release in red," if chosen is not None else ""
        caption = f"Every pair of objectives;{red} the shortlist in orange."
        parts.append(drawn("pairs", caption))
        caption = "All objectives side by side, with the best value of each on top; each line is a release."
        parts.append(drawn("parallel", caption))
    if story.landmarks:
        named = (f"Release {mark.solution.id}, {mark.reason}." for mark in story.landmarks)
        parts += [tag("h3", "Knees, cheap stretches and expensive steps"), bullets(named)]
    return section("The frontier", *parts)


def _shortlist(story: Story) -> Html:
    names = [objective.name for objective in story.frontier.objectives]
    rows: list[list[Part]] = []
    for choice in story.shortlist:
        values = [measured(name, choice.solution.values[name]) for name in names]
        shown = describe(choice.solution, story.data).shown
        why = joined([tag("p", "; ".join(choice.reasons)), tag("p", shown, kind="quiet")])
        rows.append([choice.solution.id, *values, f"{choice.solution.suppressed:,}", why])
    head = ["release", *names, "suppressed rows", "why, and what it shows"]
    return section("Worth a look", table(head, rows, numbers=range(1, len(names) + 2)))


def _chosen(story: Story, chosen: Chosen) -> Html:
    solution, k, unit = chosen.solution, int(chosen.solution.values[CLASS_SIZE]), story.unit
    parts: list[Part] = [
        paragraphs(f"Release {solution.id}. {chosen.why}", chosen.described.left_out),
        tag("h3", "What it shows"),
        columns_table(chosen.described),
        *_suppressed(chosen),
        *_nodes(story, chosen),
        figure(
            RELEASE_CHARTS["losses"](chosen),
            "What each quasi-identifier loses; suppressed rows count as a full loss.",
        ),
        *utility_parts(story, chosen),
        *_secrets(story, chosen),
        tag("h3", f"{'Re-identification risk' if unit.is_person else 'Equivalence classes'}"),
        risk_paragraph(chosen.risk),
        figure(
            RELEASE_CHARTS["sizes"](chosen),
            f"{unit.many.capitalize()} by the size of their equivalence class; right: cumulative.",
        ),
        sizes_table(chosen.risk),
        tag("h3", "Published thresholds"),
        thresholds_table(k, unit),
    ]
    if chosen.answer is not None:
        parts += _steps(chosen)
    made = [release for release in story.record.releases if str(release.get("id")) == solution.id]
    for release in made:
        parts += [
            tag("h3", "Written as"),
            facts_list((str(name), _recorded(value)) for name, value in release.items()),
        ]
    return section("The chosen release", *parts)


def _suppressed(chosen: Chosen) -> list[Part]:
    """Who is suppressed most."""
    rows = [
        [each.column, each.value, f"{each.rows:,}", f"{each.gone:,}", percentage(each.share)]
        for each in chosen.described.suppressed
    ]
    head = ["column", "value", "rows", "suppressed", "share"]
    return [tag("h3", "Suppressed most, by value"), table(head, rows, numbers=(2, 3, 4))] if rows else []


def _nodes(story: Story, chosen: Chosen) -> list[Part]:
    """Where in a chain rows are shown, if not all are shown at one node."""
    if story.space.nodes is None:
        return []
    rows: list[list[Part]] = []
    total = story.frontier.table.rows - chosen.solution.suppressed
    for number, node in enumerate(story.space.nodes(chosen.solution.recoding, story.data.cube), start=1):
        levels = ", ".join(f"{name} {level}" for name, level in node.levels.items())
        rows.append([f"{number}", levels, f"{node.rows:,}", percentage(node.rows / total)])
    caption = (
        "Rows are shown at the first node where, among the rows that no earlier node shows, their "
        "equivalence class is large enough; level 0 is unchanged."
    )
    return [
        tag("h3", "At which levels rows are shown"),
        table(["node", "levels", "rows", "share"], rows, numbers=[0, 2, 3]),
        tag("p", caption, kind="quiet"),
    ]


def _recorded(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _secrets(story: Story, chosen: Chosen) -> list[Part]:
    """What the release discloses about sensitive values, whether or not that was part of the question."""
    if not chosen.disclosures:
        return []
    group, article = ("bucket", "a bucket") if story.mixed else ("equivalence class", "an equivalence class")
    caption = (
        f"For the worst {group} of each column: ℓ is one divided by the share of the most frequent value "
        "(more is better), α is that share, and t is the distance of the values from those of the whole "
        f"table (less is better). A value is certain if all rows of {article} have it."
    )
    return [
        tag("h3", "Attribute disclosure: what is learned about sensitive values"),
        disclosure_table(chosen.disclosures, story.unit),
        tag("p", caption, kind="quiet"),
    ]


def _steps(chosen: Chosen) -> list[Part]:
    if chosen.answer is None:
        return []
    doubts = [f"Not proven: {doubt}." for doubt in chosen.answer.doubts]
    parts: list[Part] = [paragraphs(*doubts)] if doubts else []
    for title, lines in (
        ("What relaxing a limit would give", bought(chosen.answer)),
        ("What the next stricter limit would cost", priced(chosen.answer)),
    ):
        parts += [tag("h3", title), bullets(lines)] if lines else []
    return parts


def _unproven(frontier: Frontier, chosen: Chosen | None) -> str:
    """Why the frontier is not proven, and what is: at the chosen release, or where the gap is widest."""
    search = frontier.search
    if frontier.candidates:
        return "no: the best of the settings that were tried"
    if search.scope:
        return f"no: {search.scope}"
    bounded = ""
    if bound := search.bound:
        bounded = "; " + (bound.beside(chosen.solution) if chosen else bound.about((), frontier.solutions))
    return f"no: {search.left} left{bounded}" if search.open else "no: thinned out, one release per box"


def _method(story: Story) -> Html:
    search, record = story.frontier.search, story.record
    proven = "proven: every release was evaluated, or provably adds nothing"
    proven += story.frontier.estimates
    in_part = f" and {record.in_part:,} more in part" if record.in_part else ""
    evaluated = f"{record.evaluated:,} {search.units} evaluated{in_part},"
    rows = [
        ("space of releases", f"{search.space}, {search.width}"),
        (
            "search",
            f"{search.method}, {evaluated} in {record.seconds:.1f} s",
        ),
        (
            "complete",
            proven if search.complete else _unproven(story.frontier, story.chosen),
        ),
        ("found with", f"paretonym {record.version}"),
        ("this report", f"paretonym {__version__}, Python {platform.python_version()}"),
    ]
    explained = (
        f"{story.space.method} Loss is the share of detail lost, averaged over all cells; a suppressed row "
        "has lost everything."
    )
    return section("Method and versions", paragraphs(explained), facts_list(rows))


def _signatures(story: Story) -> Html:
    chosen = story.chosen
    what = f"release {chosen.solution.id}" if chosen is not None else "release ____________"
    blank = [[line, ""] for line in ("purpose", "recipients", "conditions")]
    rows = [[who, "", ""] for who in ("for the publisher", "data-protection officer", "for the users")]
    return section(
        "Decision",
        paragraphs(f"We have read this report and agree to {what}."),
        table(["", ""], blank, kind="sign"),
        table(["who", "name and signature", "place and date"], rows, kind="sign"),
    )
