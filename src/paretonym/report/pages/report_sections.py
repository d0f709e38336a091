"""Sections that several pages share: the glossary, tables of risks and sizes, and what a release protects
against and what not, by the three risks of the Article 29 Working Party."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from paretonym.base.language import N_, _, collated, format_number
from paretonym.base.sentence_parts import listed, percent, percentage
from paretonym.engine.frontier import Description
from paretonym.engine.measures import (
    CLASS_SIZE,
    LOSS,
    MEASURES,
    Limit,
    Measure,
    card_of,
    measured,
)
from paretonym.engine.risk import THRESHOLDS, Disclosure, Risk
from paretonym.report.pages.html import Html, bullets, joined, paragraphs, section, table, tag
from paretonym.tables.schema import Unit

if TYPE_CHECKING:
    from paretonym.report.report_facts import Story


# Terms and their meanings.
WORDS = {
    N_("quasi-identifier"): N_(
        "a column whose value for a person others may know and search for in the release, such as age or "
        "place of residence"
    ),
    N_("sensitive column"): N_("a column whose value for a known person a reader must not learn"),
    N_("equivalence class"): N_(
        "all rows that look the same in the release: they have the same value in every quasi-identifier"
    ),
    N_("generalization"): N_(
        "values are shown less precisely, as sets of values: an age as a range of ten years, a country as a "
        "continent"
    ),
    N_("suppression"): N_(
        "rows are removed from the release because their equivalence class was too small or did not meet "
        "the other requirements"
    ),
    N_("release"): N_("a table made from the data by one choice of generalization and suppression"),
}


def glossary() -> list[tuple[str, str]]:
    """Terms with their meaning, in alphabetical order."""
    entries = [(_(word), _(meaning)) for word, meaning in WORDS.items()]
    return sorted(entries, key=lambda entry: collated(entry[0]))


SOURCE = (
    "Article 29 Data Protection Working Party, Opinion 05/2014 on Anonymisation Techniques (WP 216), 2014"
)

NOT_PROTECTED = (
    N_(
        "Other background knowledge: columns that the schema does not declare as quasi-identifiers may "
        "single people out, and somebody who knows which values a person does not have learns more."
    ),
    N_("Membership disclosure: this method does not hide that a person is in the table."),
    N_(
        "Several releases: this release together with another one of the same people can disclose more than "
        "each of them alone."
    ),
    N_("The future: tables published later may contain columns that re-identify people."),
    N_("No number in this report is a legal judgement that the table is anonymous."),
)


class Protection(NamedTuple):
    """One of the three risks: what the release does against it, and what remains."""

    danger: str
    done: str
    remains: str


def protections(
    values: Mapping[str, float],
    unit: Unit,
    inference: Inference,
    all_alone: bool,
) -> tuple[Protection, ...]:
    """The three risks for one release; `all_alone` says that no two rows of it look the same."""
    alone = values[CLASS_SIZE] <= 1
    k, many = measured(CLASS_SIZE, values[CLASS_SIZE]), _(unit.many)
    events = "" if unit.is_person else " " + _("All of them may be one person's.")
    unique = N_("Nothing: all {many} are unique by their quasi-identifiers.")
    if not all_alone:
        unique = N_("Nothing: some {many} are unique by their quasi-identifiers.")
    together = smallest_group(unit, k) + events
    rows = _("A join on the quasi-identifiers finds at least {k} {many}, never one.", k=k, many=many)
    return (
        Protection(
            _("Singling out: can a row be attributed to one person?"),
            _(unique, many=many) if alone else together,
            _(
                "Columns that are published unchanged; and whoever knows several rows of one person can "
                "intersect the classes that these are in."
            ),
        ),
        Protection(
            _("Linking: can rows about one person be joined, here or with another table?"),
            _("Nothing: a unique combination can be joined.") if alone else rows + events,
            _("Two releases of the same people can be joined; equivalence classes can always be linked."),
        ),
        Protection(
            _("Inference: can a person's sensitive value be learned?"),
            *inference.assessed(values, unit),
        ),
    )


@dataclass(frozen=True, slots=True)
class Inference:
    """Treatment of sensitive values in a release. `asked` are their measures in the question, `required` are
    the limits on each part or bucket, or on every release; `known` are the columns whose value is certain for
    some."""

    sensitive: tuple[str, ...]
    asked: tuple[str, ...]
    required: tuple[Limit, ...]
    known: tuple[str, ...]
    public: bool = False

    def assessed(self, values: Mapping[str, float], unit: Unit) -> tuple[str, str]:
        """Words for what is done, and for what remains."""
        if not self.sensitive:
            return (
                _("No column is declared sensitive."),
                _("Any column may be sensitive to somebody."),
            )
        done = " ".join([*self._measures(values), *self._withheld(values)])
        if not done:
            done = _(
                "No protection was requested: a sensitive value that all rows of a class share is disclosed."
            )
        return done, self._remains(unit)

    def _measures(self, values: Mapping[str, float]) -> Iterator[str]:
        """Sentences on what was required and measured; in public only what the table itself shows."""
        required = [f"{limit} ({_asks(card)})" for limit in self.required if (card := _of_values(limit.name))]
        results = [
            f"{name} = {measured(name, value)} ({_asks(card)})"
            for name, value in values.items()
            if (card := _of_values(name))
        ]
        if required:
            yield _("Required of every equivalence class or bucket: {limits}.", limits="; ".join(required))
        if results:
            yield _("Measured over all of them: {values}.", values="; ".join(results))

    def _withheld(self, values: Mapping[str, float]) -> Iterator[str]:
        """Measures of the question that have no number here."""
        published = {*values, *(limit.name for limit in self.required)}
        names = [name for name in self.asked if name not in published]
        if names:
            listed = "; ".join(f"{name} ({_asks(MEASURES[name.partition('@')[0]])})" for name in names)
            yield _("Optimized or limited: {measures}.", measures=listed)
            if self.public:
                yield _(
                    "The value is not published: together with the table it could reveal suppressed rows."
                )

    def _remains(self, unit: Unit) -> str:
        if self.known:
            return certain_values(unit, self.known)
        if not self.asked and not self.public:
            return _("Explore with a measure of sensitive values (l, t, alpha, delta) to limit this.")
        return _(
            "What holds for most {many} of an equivalence class is learned about each of them.",
            many=_(unit.many),
        )


def smallest_group(unit: Unit, k: str) -> str:
    """Sentence on the least number of people or rows that look the same."""
    return _(
        "By the quasi-identifiers, no group that looks the same has fewer than {k} {many}.",
        k=k,
        many=_(unit.many),
    )


def certain_values(unit: Unit, columns: Sequence[str]) -> str:
    """That somebody's value of some columns is certain."""
    return _(
        "For some {many} the value of {columns} is certain: all who look the same have it.",
        many=_(unit.many),
        columns=listed(list(columns), _("and")),
    )


def _asks(card: Measure) -> str:
    question = _(card.question).partition(" (")[0].rstrip("?")
    return question[:1].lower() + question[1:]


def _of_values(name: str) -> Measure | None:
    """The card of a measure of sensitive values; None for any other."""
    card = card_of(name)
    return card if card is not None and card.limits_inference else None


def columns_table(described: Description) -> Html:
    """A table of how each column is shown, and what it loses."""
    rows = [
        [column.name, str(column.words), "" if column.loss is None else measured(LOSS, column.loss)]
        for column in described.columns
    ]
    return table([_("column"), _("shown"), _("loss")], rows, numbers=[2])


def risk_paragraph(risk: Risk) -> Html:
    apart = "" if risk.households is None else risk.households.in_population
    return paragraphs(str(risk), apart)


def warned(warnings: tuple[str, ...]) -> Html:
    """The warnings, each in a box; nothing if there are none."""
    return joined(tag("p", _("Warning: {text}", text=text), kind="warning") for text in warnings)


def disclosure_table(disclosed: tuple[Disclosure, ...], unit: Unit) -> Html:
    """A table of what is disclosed of each sensitive column, whether or not it was part of the question."""
    rows = [
        [
            disclosure.known.column,
            *(measured(name, value) for name, value in disclosure.measures.items()),
            format_number(disclosure.known.certain),
            format_number(disclosure.known.likely),
        ]
        for disclosure in disclosed
    ]
    many = _(unit.many)
    head = [
        _("sensitive column"), "ℓ", "α", "t", _("{many} whose value is certain", many=many),
        _("{many} whose value is known with more than 90 % confidence", many=many),
    ]  # fmt: skip
    return table(head, rows, numbers=range(1, 6))


def span(low: int, high: int) -> str:
    """
    >>> span(3, 3), span(1024, 2047)
    ('3', '1,024–2,047')
    """
    return format_number(f"{low:,}" if low == high else f"{low:,}–{high:,}")


def sizes_table(risk: Risk) -> Html:
    """A table of the sizes of the equivalence classes."""
    rows, before = [], 0
    for part in risk.bins():
        before += part.rows
        share, up_to = (percentage(count / risk.rows) for count in (part.rows, before))
        classes, people = format_number(part.classes), format_number(part.rows)
        rows.append([span(part.low, part.high), classes, people, share, up_to])
    many = _(risk.unit.many)
    head = [
        _("{many} in the class", many=many),
        _("classes"),
        many,
        _("share"),
        _("cumulative"),
    ]
    return table(head, rows, numbers=range(5), kind="narrow")


def thresholds_table(k: int, unit: Unit) -> Html:
    """A table of published thresholds for k, and whether this release reaches them. They count people: if
    rows are not people, that is unknown."""
    if not unit.is_person:
        return paragraphs(
            _("They count people. Here k counts rows, so it is unknown whether any is reached.")
        )
    rows = [
        [
            f"{threshold.k}",
            percent(threshold.risk),
            _("yes") if k >= threshold.k else _("no"),
            _(threshold.who),
            threshold.source,
        ]
        for threshold in THRESHOLDS
    ]
    head = [
        _("k at least"),
        _("risk at most"),
        _("reached"),
        _("required by"),
        _("source"),
    ]
    return table(head, rows, numbers=[0, 1])


def protection_section(values: Mapping[str, float], story: Story, public: bool = False) -> Html:
    """The section on the three risks, then on everything else that is not protected."""
    chosen = story.chosen
    inference = Inference(
        story.frontier.table.sensitive,
        story.asked_of_values,
        tuple(limit for limit in story.required if not public or limit.shown_by_file),
        # What everybody of a class has in some row is not to be seen in the file.
        () if public and story.unit.several_rows else story.certain,
        public,
    )
    all_alone = chosen is not None and chosen.risk.all_alone
    rows = [list(protection) for protection in protections(values, story.unit, inference, all_alone)]
    return section(
        _("What it protects against, and what not"),
        table([_("risk"), _("what is done"), _("what remains")], rows),
        tag("p", _("The three risks are those of: {source}.", source=SOURCE), kind="quiet"),
        tag("h3", _("Not protected")),
        bullets(map(_, NOT_PROTECTED)),
    )
