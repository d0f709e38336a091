"""Any table about the same people, measured alike: the three criteria of European guidance (singling out,
linkability and inference), utility, and what its classes guarantee."""

from paretonym.evidence.criteria.cell_sets import EVERY, meant_values, without_affixes
from paretonym.evidence.criteria.class_guarantee import ClassGuarantee
from paretonym.evidence.criteria.compared_rows import ComparedColumn, ComparedRows
from paretonym.evidence.criteria.measured_criteria import CRITERIA, MeasuredCriteria, measure_criteria
from paretonym.evidence.criteria.referee import Referee, SchemaLike, label_values, read_described
from paretonym.evidence.criteria.success_rate import LEVEL, Criterion
from paretonym.evidence.criteria.table_utility import TableUtility, table_utility

__all__ = (
    "CRITERIA",
    "EVERY",
    "LEVEL",
    "ClassGuarantee",
    "ComparedColumn",
    "ComparedRows",
    "Criterion",
    "MeasuredCriteria",
    "Referee",
    "SchemaLike",
    "TableUtility",
    "label_values",
    "meant_values",
    "measure_criteria",
    "read_described",
    "table_utility",
    "without_affixes",
)
