"""Reports: facts, figures and pages."""

from __future__ import annotations

from paretonym.report.comparison import Comparison, check_one_table, compare_frontiers
from paretonym.report.decision_paper import DecisionPaper, decide
from paretonym.report.figure_facts import figure_of
from paretonym.report.printed_page import check_printer, printed
from paretonym.report.report_facts import Story, tell
from paretonym.report.table_comparison import (
    AXES,
    Candidate,
    MeasuredTables,
    compare_tables,
    named_candidates,
)
from paretonym.report.text_scatter import scatter

__all__ = [
    "AXES",
    "Candidate",
    "Comparison",
    "DecisionPaper",
    "MeasuredTables",
    "Story",
    "check_one_table",
    "check_printer",
    "compare_frontiers",
    "compare_tables",
    "decide",
    "figure_of",
    "named_candidates",
    "printed",
    "scatter",
    "tell",
]
