"""Parts that several pages share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from paretonym.frontier.solution_description import Description
from paretonym.measures.formatting import measured, percent, percentage
from paretonym.measures.registry import DISCLOSURE, LOSS, shown_by_file
from paretonym.report.figures.release_figures import span
from paretonym.report.pages.html import Html, bullets, joined, paragraphs, section, table, tag
from paretonym.report.pages.protection import NOT_PROTECTED, SOURCE, Inference, protections
from paretonym.risk.attribute_disclosure import Disclosure
from paretonym.risk.published_thresholds import THRESHOLDS
from paretonym.risk.reidentification import Risk
from paretonym.schema.row_unit import Unit

if TYPE_CHECKING:
    from paretonym.report.report_facts import Story


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
        {n: bound for n, bound in story.required.items() if not public or shown_by_file(n)},
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
