"""The second opinion: a finished table, measured with formulas that nothing else uses.

It shares the reader of tables and schemas (`source`, `schema`) with the rest, and nothing else: no code of
counts, recoding, measures, frontier, search and spaces. The file read back is distinct rows with counts in
DuckDB, claims are SQL formulas, and the original is compared by the sets of values that labels mean, whatever
the recoding was.
"""

from __future__ import annotations

import sys

from paretonym.audit.audit import CallableModule, audit
from paretonym.audit.checks import Audit, Check

__all__ = ["Audit", "Check", "audit"]

sys.modules[__name__].__class__ = CallableModule
