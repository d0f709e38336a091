"""The public objects: a study, a saved run, and the folder that holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paretonym.study.checkpoint import KeptAt, read_checkpoint
    from paretonym.study.class_size_check import assert_k, k_anonymity
    from paretonym.study.explored_run import Run, Solution, load
    from paretonym.study.measured_release import CriteriaAnswer, answer_within_criteria, criteria_limits
    from paretonym.study.notebook_tables import draft
    from paretonym.study.python_schema import Column, Schema
    from paretonym.study.run_comparison import TableComparison, compare
    from paretonym.study.study import SearchName, SpaceName, Study, example

__all__ = [
    "Column",
    "CriteriaAnswer",
    "KeptAt",
    "Run",
    "Schema",
    "SearchName",
    "Solution",
    "SpaceName",
    "Study",
    "TableComparison",
    "answer_within_criteria",
    "assert_k",
    "compare",
    "criteria_limits",
    "draft",
    "example",
    "k_anonymity",
    "load",
    "read_checkpoint",
]

# Loaded when first used: a question to a saved run needs none of what explores a table.
_LATER = {
    "Column": "paretonym.study.python_schema",
    "CriteriaAnswer": "paretonym.study.measured_release",
    "answer_within_criteria": "paretonym.study.measured_release",
    "criteria_limits": "paretonym.study.measured_release",
    "Schema": "paretonym.study.python_schema",
    "assert_k": "paretonym.study.class_size_check",
    "k_anonymity": "paretonym.study.class_size_check",
    "KeptAt": "paretonym.study.checkpoint",
    "read_checkpoint": "paretonym.study.checkpoint",
    "Run": "paretonym.study.explored_run",
    "Solution": "paretonym.study.explored_run",
    "TableComparison": "paretonym.study.run_comparison",
    "compare": "paretonym.study.run_comparison",
    "load": "paretonym.study.explored_run",
    "draft": "paretonym.study.notebook_tables",
    "SearchName": "paretonym.study.study",
    "SpaceName": "paretonym.study.study",
    "Study": "paretonym.study.study",
    "example": "paretonym.study.study",
}

# Type checkers read the imports above, and know no other names.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _LATER:
            raise AttributeError(f"module 'paretonym.study' has no attribute '{name}'")
        from importlib import import_module

        value = globals()[name] = getattr(import_module(_LATER[name]), name)
        return value
