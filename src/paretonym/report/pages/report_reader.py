"""Who reads a report: the officer who decides, or the public; each has a page of its own."""

from __future__ import annotations

from collections.abc import Sequence

from paretonym.base.errors import Field, InputError, did_you_mean
from paretonym.report.checklist_findings import Evidence, check_release
from paretonym.report.pages.officer_report import officer_page
from paretonym.report.pages.public_report import public_page
from paretonym.report.report_facts import Story
from paretonym.tables.schema.policies import Checklist

PUBLIC = "public"
READERS = ("officer", PUBLIC)


def check_reader(reader: str, readers: Sequence[str] = READERS) -> None:
    """Refuse a reader for whom there is no page."""
    if reader not in readers:
        wrong = f"unknown reader '{reader}'"
        raise InputError.of(Field("reader"), wrong, did_you_mean(reader, readers))


def report_page(story: Story, reader: str, checklists: Sequence[Checklist] = ()) -> str:
    """The page of a story for its reader; that for the public is about the chosen release alone. The chosen
    release is held against checklists."""
    check_reader(reader)
    if story.chosen is None and (checklists or reader == PUBLIC):
        of, option = (
            ("a report for the public", Field("reader", PUBLIC))
            if reader == PUBLIC
            else ("a checklist", Field("checklists"))
        )
        wrong = f"{of} is about one release, and none is chosen"
        raise InputError.of(option, wrong, f"choose it with {Field('pick', 'ID')}")
    if reader == PUBLIC and story.chosen is not None:
        if checklists:
            wrong = "a checklist shows more than the public may see"
            raise InputError.of(Field("checklists"), wrong, "omit it for the public")
        return public_page(story, story.chosen)
    checked = []
    if story.chosen is not None:
        evidence = Evidence(story.data, story.chosen.solution)
        checked = [check_release(checklist, evidence) for checklist in checklists]
    return officer_page(story, checked)
