"""The second opinion: a finished table, measured with a separate reader and separate formulas.

It has its own reader of the file, its own way to count (SQL in DuckDB), and formulas written again: no code
of counts, recoding, measures, frontier and search. `schema_adapter.py` opens the schema and the original,
with the readers that the search uses too (`schema` and `source`): they say which values a label covers.
`publishable_labels.py` asks the schema's hierarchies which labels they have.
"""

from __future__ import annotations

from paretonym.audits.checks import Audit, Check
from paretonym.audits.label_semantics import EVERYTHING_ON_THE_LINE, LabelReader
from paretonym.audits.manifest_reader import EVENTS, PERSONS
from paretonym.audits.named_release import NamedRelease
from paretonym.audits.original_rows import KeptMeaning, Original
from paretonym.audits.schema_adapter import (
    LEFT_OUT,
    MISSING,
    DataForm,
    OriginalData,
    SchemaLike,
    finished_file,
    meaning_of_values,
    schema_of,
    schema_roles,
)
from paretonym.audits.second_opinion import audit
from paretonym.audits.shown_sets import Shown
from paretonym.audits.sql_engine import Engine
from paretonym.audits.sql_measures import NotMeasurable
from paretonym.audits.stated_recoding import StatedRecoding
from paretonym.audits.table_file import TableFile, meant

__all__ = [
    "EVENTS",
    "EVERYTHING_ON_THE_LINE",
    "LEFT_OUT",
    "MISSING",
    "PERSONS",
    "Audit",
    "Check",
    "DataForm",
    "Engine",
    "KeptMeaning",
    "LabelReader",
    "NamedRelease",
    "NotMeasurable",
    "Original",
    "OriginalData",
    "SchemaLike",
    "Shown",
    "StatedRecoding",
    "TableFile",
    "audit",
    "finished_file",
    "meaning_of_values",
    "meant",
    "schema_of",
    "schema_roles",
]
