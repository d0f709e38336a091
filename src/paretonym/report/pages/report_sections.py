"""Sections that several pages share: the words of a report explained, risks and sizes in tables, and what a
release protects against and what not, by the three questions of the Article 29 Working Party."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from paretonym.frontier import Description
from paretonym.measures import (
    CLASS_SIZE,
    DISCLOSURE,
    LOSS,
    MEASURES,
    Limit,
    Measure,
    card_of,
    measured,
    shown_by_file,
)
from paretonym.report.figures.release_figures import span
from paretonym.report.pages.html import Html, bullets, joined, paragraphs, section, table, tag
from paretonym.risk import THRESHOLDS, Disclosure, Risk
from paretonym.schema import PEOPLE, Unit
from paretonym.sentence_parts import listed, percent, percentage

if TYPE_CHECKING:
    from paretonym.report.report_facts import Story


WORDS = {
    "quasi-identifier": "a column that somebody could know about a person from elsewhere and look for in the "
    "release, such as age or place of living",
    "sensitive column": "a column that a reader must not learn about a known person",
    "group": "all people who look the same in the release: they have the same value in every "
    "quasi-identifier (an equivalence class)",
    "generalization": "values are shown coarser, as sets of values: an age as ten years, a country as a "
    "continent",
    "left out": "rows that are not in the release since their group was too small, or did not have what else "
    "was required of every group (suppressed)",
    "release": "a table made from the data by one choice of coarser values and of rows left out",
    "frontier": "all releases that no other release beats in all objectives together",
    "prosecutor risk": "the chance to pick the right row of a person who is known to be in the release: one "
    "divided by the size of the person's group",
    "journalist risk": "the same for a person who may or may not be in it. Without a table of the whole "
    "population it is taken to be the prosecutor risk",
    "marketer risk": "the share of people who would be found on average if everybody was looked for: the "
    "number of groups divided by the number of rows",
}


# What has no meaning where rows are not people.
RISKS = ("prosecutor risk", "journalist risk", "marketer risk")


def glossary(
    measures: tuple[str, ...], unit: Unit = PEOPLE, words: tuple[str, ...] = tuple(WORDS)
) -> list[tuple[str, str]]:
    """Words and measures with their meaning, in the order of the alphabet."""
    entries = {word: WORDS[word] for word in words if unit.is_person or word not in RISKS}
    if "group" in entries:
        entries["group"] = unit.said(entries["group"])
    for name in measures:
        card = card_of(name)
        if card is not None:
            question = unit.said(card.question)
            entries[name] = f"{question} {card.formula} ({card.better} is better; {card.reference})"
    return sorted(entries.items())


SOURCE = (
    "Article 29 Data Protection Working Party, Opinion 05/2014 on Anonymisation Techniques (WP 216), 2014"
)

NOT_PROTECTED = (
    "Other knowledge: columns that the schema does not call quasi-identifiers may single people out, and "
    "somebody who knows what a person does not have learns more.",
    "Membership: that a person is in the table at all is not hidden by this method.",
    "Several releases: this release together with another one of the same people can say more than both.",
    "The future: tables that appear later may hold columns that make people known again.",
    "No number in this report is a legal judgement that the table is anonymous.",
)


class Protection(NamedTuple):
    """One of the three dangers: what the release does against it, and what remains."""

    danger: str
    done: str
    remains: str


def protections(
    values: Mapping[str, float],
    unit: Unit,
    inference: Inference,
    all_alone: bool = False,
) -> tuple[Protection, ...]:
    """The three dangers for one release; `all_alone` says that nothing in it looks like anything else."""
    k = measured(CLASS_SIZE, values[CLASS_SIZE])
    alone = values[CLASS_SIZE] <= 1
    mine = "" if unit.is_person else "; all of them may be one person's"
    return (
        Protection(
            "Singling out: can a row be told to be one person's?",
            f"Nothing: {'all' if all_alone else 'some'} {unit.many} are alone in their group."
            if alone
            else f"By the quasi-identifiers {unit.every} is one of at least {k} {unit.many} {unit.who} look "
            f"the same{mine}.",
            "Columns that are kept as they are, and rows of one person: k counts rows, "
            + (
                "which the schema says are people."
                if unit.is_person
                else "and here rows are events, not people."
            ),
        ),
        Protection(
            "Linking: can rows about one person be joined, here or with another table?",
            "Nothing: a unique combination can be joined."
            if alone
            else f"A join by the quasi-identifiers finds at least {k} rows, never one{mine}.",
            "Two releases of the same people can be joined with each other; groups can always be linked.",
        ),
        Protection(
            "Inference: can a sensitive value be learned about a person?", *inference.told(values, unit)
        ),
    )


@dataclass(frozen=True, slots=True)
class Inference:
    """What a release does about sensitive values. `asked` are the measures of them that were asked for,
    `required` is what each part or bucket keeps, or every release had to have; `known` are the columns of
    which a value is certain for some."""

    sensitive: tuple[str, ...]
    asked: tuple[str, ...]
    required: tuple[Limit, ...]
    known: tuple[str, ...]
    public: bool = False

    def told(self, values: Mapping[str, float], unit: Unit) -> tuple[str, str]:
        """What is done, and what remains."""
        if not self.sensitive:
            return "No column is called sensitive.", "Any column may be, to somebody."
        done = " ".join([*self._measures(values), *self._withheld(values)])
        if not done:
            done = "Nothing was asked for: if all of a group share a sensitive value, it is known."
        return done, self._remains(unit)

    def _measures(self, values: Mapping[str, float]) -> Iterator[str]:
        """What was required and what was found. In public only what the table itself shows."""
        required = [f"{limit} ({_asks(card)})" for limit in self.required if (card := _of_values(limit.name))]
        found = [
            f"{name} = {measured(name, value)} ({_asks(card)})"
            for name, value in values.items()
            if (card := _of_values(name))
        ]
        if required:
            yield f"Required of every group of rows: {'; '.join(required)}."
        if found:
            yield f"Measured over all groups: {'; '.join(found)}."

    def _withheld(self, values: Mapping[str, float]) -> Iterator[str]:
        """Measures that were asked for and have no number here."""
        shown = {*values, *(limit.name for limit in self.required)}
        names = [name for name in self.asked if name not in shown]
        if names:
            asked = "; ".join(f"{name} ({_asks(MEASURES[name.partition('@')[0]])})" for name in names)
            why = " The value is not published: beside the table it could reveal rows that were left out."
            yield f"Asked for: {asked}.{why if self.public else ''}"

    def _remains(self, unit: Unit) -> str:
        if self.known:
            return (
                f"For some {unit.many} the value of {listed(list(self.known))} is certain: all of their "
                "group have the same."
            )
        if not self.asked and not self.public:
            return "Explore with a measure of sensitive values (l, t, alpha, delta) to limit this."
        return f"What holds for most {unit.many} of a group is learned about each of them."


def _asks(card: Measure) -> str:
    return card.question.rstrip("?").lower()


def _of_values(name: str) -> Measure | None:
    """The card of a measure of sensitive values; None for any other."""
    card = card_of(name)
    return card if card is not None and card.limits_inference else None


def columns_table(described: Description) -> Html:
    """How each column is shown, and what it loses."""
    rows = [
        [column.name, str(column.words), "" if column.loss is None else measured(LOSS, column.loss)]
        for column in described.columns
    ]
    return table(["column", "shown", "loss"], rows, numbers=[2])


def risk_paragraph(risk: Risk) -> Html:
    return paragraphs(str(risk))


def warned(warnings: tuple[str, ...]) -> Html:
    """Warnings in a box of their own; nothing where there are none."""
    return joined(tag("p", f"Warning: {text}", kind="warning") for text in warnings)


def disclosure_table(found: tuple[Disclosure, ...], unit: Unit) -> Html:
    """What is learned of each sensitive column, whether or not a measure of it was asked for."""
    rows = [
        [
            each.known.column,
            *(measured(name, value) for name, value in zip(DISCLOSURE, each[:3], strict=True)),
            f"{each.known.certain:,}",
            f"{each.known.likely:,}",
        ]
        for each in found
    ]
    head = [
        "sensitive column", "ℓ", "α", "t", f"{unit.many} whose value is certain",
        f"{unit.many} whose value is known with more than 90 % confidence",
    ]  # fmt: skip
    return table(head, rows, numbers=range(1, 6))


def sizes_table(risk: Risk) -> Html:
    """The distribution of group sizes in numbers."""
    rows, before = [], 0
    for part in risk.bins():
        before += part.rows
        share, up_to = (percentage(count / risk.rows) for count in (part.rows, before))
        rows.append([span(part.low, part.high), f"{part.classes:,}", f"{part.rows:,}", share, up_to])
    many = risk.unit.many
    head = [f"{many} in the group", "groups", many, "share", "up to here"]
    return table(head, rows, numbers=range(5), kind="narrow")


def thresholds_table(k: int, unit: Unit) -> Html:
    """Smallest groups that are asked for in practice, and whether this release has them. They are groups of
    people: where rows are none it cannot be said."""
    if not unit.is_person:
        return paragraphs(
            "They are about groups of people. k counts rows here, so none of them is shown to hold."
        )
    rows = [
        [f"{each.k}", percent(each.risk), "yes" if k >= each.k else "no", each.who, each.source]
        for each in THRESHOLDS
    ]
    head = ["group of at least", "risk at most", "reached", "who asks for it", "source"]
    return table(head, rows, numbers=[0, 1])


def protection_section(values: Mapping[str, float], story: Story, public: bool = False) -> Html:
    """The three dangers, then everything else that is not protected."""
    chosen = story.chosen
    inference = Inference(
        story.frontier.table.sensitive,
        story.asked_of_values,
        tuple(limit for limit in story.required if not public or shown_by_file(limit.name)),
        story.certain,
        public,
    )
    all_alone = chosen is not None and chosen.risk.all_alone
    rows = [list(each) for each in protections(values, story.unit, inference, all_alone)]
    return section(
        "What it protects against, and what not",
        table(["danger", "what is done", "what remains"], rows),
        tag("p", f"The three dangers are those of: {SOURCE}.", kind="quiet"),
        tag("h3", "Not protected"),
        bullets(NOT_PROTECTED),
    )
