"""The three criteria of European guidance, singling out, linkability and inference, measured on any table
about the same people."""

from paretonym.criteria.compared_rows import ComparedColumn, ComparedRows
from paretonym.criteria.inference import inference
from paretonym.criteria.linkability import linkability
from paretonym.criteria.measured_criteria import MeasuredCriteria, measure_criteria
from paretonym.criteria.singling_out import singling_out
from paretonym.criteria.success_rate import Criterion

__all__ = (
    "ComparedColumn",
    "ComparedRows",
    "Criterion",
    "MeasuredCriteria",
    "inference",
    "linkability",
    "measure_criteria",
    "singling_out",
)
