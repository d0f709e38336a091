"""Hierarchies of a column: one file per family of kinds, and the builder that chooses among them."""

from __future__ import annotations

from paretonym.schema.hierarchies.hierarchy import Hierarchy, Level
from paretonym.schema.hierarchies.hierarchy_builder import build
from paretonym.schema.hierarchies.hierarchy_draft import MISSING_LABEL, Built, Values, means_missing
from paretonym.schema.hierarchies.hierarchy_invariants import strays
from paretonym.schema.hierarchies.level_words import (
    AS_IT_IS,
    FEW_LABELS,
    NOT_SHOWN,
    LevelWords,
    level_words,
    short_label,
)
from paretonym.schema.hierarchies.specifications import Dates, Flat, HierarchyFile, Keep, Mask, Tree
from paretonym.schema.hierarchies.value_line import Calendar, NumberScale

__all__ = [
    "AS_IT_IS",
    "FEW_LABELS",
    "MISSING_LABEL",
    "NOT_SHOWN",
    "Built",
    "Calendar",
    "Dates",
    "Flat",
    "Hierarchy",
    "HierarchyFile",
    "Keep",
    "Level",
    "LevelWords",
    "Mask",
    "NumberScale",
    "Tree",
    "Values",
    "build",
    "level_words",
    "means_missing",
    "short_label",
    "strays",
]
