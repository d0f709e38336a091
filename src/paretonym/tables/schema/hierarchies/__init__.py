"""Hierarchies of a column: one file for each kind, and what all of them share."""

from __future__ import annotations

from paretonym.tables.schema.hierarchies.hierarchy import Hierarchy, Level
from paretonym.tables.schema.hierarchies.hierarchy_builder import (
    HIERARCHY_KINDS,
    MISSING_LABEL,
    TOP_LABEL,
    Built,
    Cutting,
    build,
    cutting_of,
    level_table,
)
from paretonym.tables.schema.hierarchies.label_levels import LabelLevels
from paretonym.tables.schema.hierarchies.level_table import Values, means_missing
from paretonym.tables.schema.hierarchies.level_words import (
    NOT_SHOWN,
    UNCHANGED,
    LevelWords,
    level_words,
    levels_words,
    sets_words,
)
from paretonym.tables.schema.hierarchies.number_line import parse_number
from paretonym.tables.schema.hierarchies.ready import ready_for, ready_matches, ready_words
from paretonym.tables.schema.hierarchies.tree import as_tree

__all__ = [
    "HIERARCHY_KINDS",
    "MISSING_LABEL",
    "NOT_SHOWN",
    "TOP_LABEL",
    "UNCHANGED",
    "Built",
    "Cutting",
    "Hierarchy",
    "LabelLevels",
    "Level",
    "LevelWords",
    "Values",
    "as_tree",
    "build",
    "cutting_of",
    "level_table",
    "level_words",
    "levels_words",
    "means_missing",
    "parse_number",
    "ready_for",
    "ready_matches",
    "ready_words",
    "sets_words",
]
