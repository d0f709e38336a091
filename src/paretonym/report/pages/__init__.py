"""Reports as one page of HTML each: without scripts, without anything from elsewhere, made to be printed."""

from __future__ import annotations

from paretonym.report.pages.notebook import (
    frontier_in_notebook,
    page_in_notebook,
    solution_in_notebook,
    table_in_notebook,
)
from paretonym.report.pages.officer_report import officer_page
from paretonym.report.pages.public_report import public_page
from paretonym.report.pages.risk_section import affordable_size, estimates

__all__ = [
    "affordable_size",
    "estimates",
    "frontier_in_notebook",
    "officer_page",
    "page_in_notebook",
    "public_page",
    "solution_in_notebook",
    "table_in_notebook",
]
