"""Any table about the same people, measured alike: the three criteria of European guidance (singling out,
linkability and inference), utility, and what its classes guarantee."""

from paretonym.criteria.cell_sets import EVERY, meant_values, without_affixes
from paretonym.criteria.class_guarantee import ClassGuarantee
from paretonym.criteria.compared_rows import ComparedColumn, ComparedRows
from paretonym.criteria.measured_criteria import CRITERIA, MeasuredCriteria, measure_criteria
from paretonym.criteria.referee import Referee, SchemaLike, label_values, read_described
from paretonym.criteria.success_rate import LEVEL, Criterion
from paretonym.criteria.table_utility import TableUtility, table_utility

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
