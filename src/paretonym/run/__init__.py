"""The public objects: a study, a saved run, and the folder that holds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paretonym.run.checkpoint import KeptAt, read_checkpoint
    from paretonym.run.class_size_check import assert_k, k_anonymity
    from paretonym.run.explored_run import Run, Solution, load
    from paretonym.run.measured_release import CriteriaAnswer, answer_within_criteria, criteria_limits
    from paretonym.run.notebook_tables import draft
    from paretonym.run.python_schema import Column, Schema
    from paretonym.run.run_comparison import TableComparison, compare
    from paretonym.run.study import Study, example

__all__ = [
    "Column",
    "CriteriaAnswer",
    "KeptAt",
    "Run",
    "Schema",
    "Solution",
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
    "Column": "paretonym.run.python_schema",
    "CriteriaAnswer": "paretonym.run.measured_release",
    "answer_within_criteria": "paretonym.run.measured_release",
    "criteria_limits": "paretonym.run.measured_release",
    "Schema": "paretonym.run.python_schema",
    "assert_k": "paretonym.run.class_size_check",
    "k_anonymity": "paretonym.run.class_size_check",
    "KeptAt": "paretonym.run.checkpoint",
    "read_checkpoint": "paretonym.run.checkpoint",
    "Run": "paretonym.run.explored_run",
    "Solution": "paretonym.run.explored_run",
    "TableComparison": "paretonym.run.run_comparison",
    "compare": "paretonym.run.run_comparison",
    "load": "paretonym.run.explored_run",
    "draft": "paretonym.run.notebook_tables",
    "Study": "paretonym.run.study",
    "example": "paretonym.run.study",
}

# Type checkers read the imports above, and know no other names.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _LATER:
            raise AttributeError(f"module 'paretonym.run' has no attribute '{name}'")
        from importlib import import_module

        value = globals()[name] = getattr(import_module(_LATER[name]), name)
        return value
