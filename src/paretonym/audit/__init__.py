"""The second opinion: a finished table, measured with formulas that nothing else uses.

It shares the reader of tables and schemas (`source`, `schema`) with the rest, and nothing else: no code of
counts, recoding, measures, frontier, search and spaces. The file read back is distinct rows with counts in
DuckDB, claims are SQL formulas, and the original is compared by the sets of values that labels mean, whatever
the recoding was. What a finished table, its manifest and its labels say is read here for attacks, too.
"""

from __future__ import annotations

import sys

from paretonym.audit.audit import CallableModule, audit
from paretonym.audit.checks import Audit, Check
from paretonym.audit.label_sets import LabelSets
from paretonym.audit.manifest import Recoding
from paretonym.audit.manifest_file import manifest_of
from paretonym.audit.original import KeptValues, Original
from paretonym.audit.placement import NotDecided, ShownColumn, place_rows
from paretonym.audit.published_means import shows_means
from paretonym.audit.released_table import bucket_files, place_of, read_release

__all__ = [
    "Audit",
    "Check",
    "KeptValues",
    "LabelSets",
    "NotDecided",
    "Original",
    "Recoding",
    "ShownColumn",
    "audit",
    "bucket_files",
    "manifest_of",
    "place_of",
    "place_rows",
    "read_release",
    "shows_means",
]

sys.modules[__name__].__class__ = CallableModule
