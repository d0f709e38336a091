"""Who reads a report: the officer who decides, or the public; each has a page of its own."""

from __future__ import annotations

from paretonym.errors import Field, InputError, did_you_mean
from paretonym.report.pages.officer_report import officer_page
from paretonym.report.pages.public_report import public_page
from paretonym.report.report_facts import Story

OFFICER, PUBLIC = READERS = ("officer", "public")


def check_reader(reader: str) -> None:
    """Refuse a reader for whom there is no page."""
    if reader not in READERS:
        wrong = f"unknown reader '{reader}'"
        raise InputError.of(Field("reader"), wrong, did_you_mean(reader, READERS))


def report_page(story: Story, reader: str) -> str:
    """The page of a story for its reader; that for the public is about the chosen release alone."""
    check_reader(reader)
    if reader == OFFICER:
        return officer_page(story)
    if story.chosen is None:
        wrong = "a report for the public is about one release, and none is chosen"
        raise InputError.of(Field("reader", PUBLIC), wrong, f"choose it with {Field('pick', 'ID')}")
    return public_page(story, story.chosen)
