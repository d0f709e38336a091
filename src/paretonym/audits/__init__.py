"""The second opinion: a finished table, measured with a separate reader and separate formulas.

It has its own reader of the file, its own way to count (SQL in DuckDB), and formulas written again: no code
of counts, recoding, measures, frontier and search. `schema_adapter.py` opens the schema and the original,
with the readers that the search uses too (`schema` and `source`): they say which values a label covers.
`publishable_labels.py` asks the schema's hierarchies which labels they have.
"""

from __future__ import annotations

from paretonym.audits.checks import Audit, Check
from paretonym.audits.second_opinion import audit

__all__ = ["Audit", "Check", "audit"]
