"""Reports as one page of HTML each: without scripts, without anything from elsewhere, made to be printed."""

from __future__ import annotations

from paretonym.report.pages.comparison_page import comparison_page
from paretonym.report.pages.notebook import (
    frontier_in_notebook,
    page_in_notebook,
    solution_in_notebook,
    table_in_notebook,
)
from paretonym.report.pages.permit_paper import permit_page
from paretonym.report.pages.report_reader import READERS, check_reader, report_page
from paretonym.report.pages.risk_section import affordable_size, estimates

__all__ = [
    "READERS",
    "affordable_size",
    "check_reader",
    "comparison_page",
    "estimates",
    "frontier_in_notebook",
    "page_in_notebook",
    "permit_page",
    "report_page",
    "solution_in_notebook",
    "table_in_notebook",
]
