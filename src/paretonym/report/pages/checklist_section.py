"""A checklist for one release, as a section of a page."""

from __future__ import annotations

from paretonym.base.language import _
from paretonym.report.checklist_findings import MET, NOT_MET, PERSON, CheckedList, ItemFinding
from paretonym.report.pages.html import Html, Part, joined, link, paragraphs, section, table, tag
from paretonym.tables.schema.policies import in_words


def checklist_section(checked: CheckedList) -> Html:
    """Every item with its status and the numbers behind it, and the source of the rule."""
    checklist = checked.checklist
    statuses = [finding.status for finding in checked.findings]
    counts = ", ".join(f"{statuses.count(status)} {_(status)}" for status in (MET, NOT_MET, PERSON))
    source: Part = link(checklist.url, checklist.source) if checklist.url else checklist.source
    return section(
        in_words(checklist.title),
        paragraphs(_("{number} items: {counts}.", number=len(statuses), counts=counts)),
        table([_("item"), _("status"), _("numbers behind it")], map(_row, checked.findings)),
        paragraphs(in_words(checklist.note)),
        tag(
            "p",
            _("No item is legal advice, and no number of items that are met is a legal judgement. Source: "),
            source,
            kind="quiet",
        ),
    )


def _row(finding: ItemFinding) -> list[Part]:
    status = tag("span", _(finding.status), kind="no" if finding.status == NOT_MET else "")
    note = in_words(finding.item.note)
    words = [*finding.evidence, *([note] if note else [])]
    return [in_words(finding.item.text), status, joined(tag("p", text) for text in words)]
