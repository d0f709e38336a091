"""Part of the report on what analysts can still do with the chosen release, for those who decide."""

from __future__ import annotations

from paretonym.base.language import _, format_number
from paretonym.base.sentence_parts import percentage
from paretonym.evidence.utility import ColumnUtility, analyst_utility
from paretonym.report.pages.html import Part, paragraphs, table, tag
from paretonym.report.report_facts import Chosen, Story

MOST_PAIRS = 8


def utility_parts(story: Story, chosen: Chosen) -> list[Part]:
    """Shares of values and associations of columns, before and after; estimates."""
    utility = analyst_utility(story.data.realized(chosen.solution.recoding))
    columns = [[column.name, percentage(column.error), *_most_off(column)] for column in utility.columns]
    pairs = [
        [", ".join(p.columns), format_number(f"{p.before:.2f}"), format_number(f"{p.after:.2f}")]
        for p in utility.pairs[:MOST_PAIRS]
    ]
    parts: list[Part] = [
        tag("h3", _("What analysts can still do")),
        paragraphs(
            _(
                "{summary} These estimates assume that a reader spreads every row evenly over what it shows; "
                "nothing about them is proven.",
                summary=utility.summary,
            )
        ),
        table(
            [
                _("column"),
                _("shares off by"),
                _("most off"),
                _("before"),
                _("after"),
            ],
            columns,
            numbers=(1, 3, 4),
        ),
    ]
    if pairs:
        parts += [
            paragraphs(_("Associations of two columns (Cramér's V), those that change most first:")),
            table([_("columns"), _("before"), _("after")], pairs, numbers=(1, 2)),
        ]
    return parts


def _most_off(column: ColumnUtility) -> tuple[str, str, str]:
    if column.most_off is None:
        return "", "", ""
    label, before, after = column.most_off
    return label, percentage(before), percentage(after)
