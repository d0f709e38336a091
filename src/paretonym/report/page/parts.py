"""Parts that several pages share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from paretonym.frontier.describing import Description
from paretonym.measures.risk import Risk
from paretonym.measures.thresholds import THRESHOLDS
from paretonym.measures.wording import measured, percent
from paretonym.report.drawing.releases import span
from paretonym.report.page.html import Html, bullets, paragraphs, section, table, tag
from paretonym.report.page.protection import NOT_PROTECTED, SOURCE, protections

if TYPE_CHECKING:
    from paretonym.report.story import Story


def columns_table(described: Description) -> Html:
    """How each column is shown, and what it loses."""
    rows = [
        [column.name, str(column.words), "" if column.loss is None else measured("loss", column.loss)]
        for column in described.columns
    ]
    return table(["column", "shown", "loss"], rows, numbers=[2])


def risk_paragraph(risk: Risk) -> Html:
    return paragraphs(str(risk))


def sizes_table(risk: Risk) -> Html:
    """The distribution of group sizes in numbers."""
    rows, before = [], 0
    for part in risk.bins():
        before += part.rows
        share, up_to = (f"{100 * count / risk.rows:.1f} %" for count in (part.rows, before))
        rows.append([span(part.low, part.high), f"{part.classes:,}", f"{part.rows:,}", share, up_to])
    head = ["people in the group", "groups", "people", "share", "up to here"]
    return table(head, rows, numbers=range(5), kind="narrow")


def thresholds_table(k: int) -> Html:
    """Smallest groups that are asked for in practice, and whether this release has them."""
    rows = [
        [f"{each.k}", percent(each.risk), "yes" if k >= each.k else "no", each.who, each.source]
        for each in THRESHOLDS
    ]
    head = ["group of at least", "risk at most", "reached", "who asks for it", "source"]
    return table(head, rows, numbers=[0, 1])


def protection_section(values: Mapping[str, float], story: Story, public: bool = False) -> Html:
    """The three dangers, then everything else that is not protected."""
    events = story.record.schema.rows == "events"
    chosen, sensitive = story.chosen, story.frontier.table.sensitive
    required = chosen.solution.recoding.as_json().get("requirement", {}) if chosen is not None else {}
    all_alone = chosen is not None and chosen.risk.all_alone
    told = protections(values, sensitive, events, public, required, all_alone)
    rows = [list(each) for each in told]
    return section(
        "What it protects against, and what not",
        table(["danger", "what is done", "what remains"], rows),
        tag("p", f"The three dangers are those of: {SOURCE}.", kind="quiet"),
        tag("h3", "Not protected"),
        bullets(NOT_PROTECTED),
    )
