"""Recodings: how a release shows a table, and which rows it suppresses."""

from __future__ import annotations

from paretonym.recoding.atoms import Atoms
from paretonym.recoding.class_condition import ClassCondition, Keep, keep_as_json, parse_keep
from paretonym.recoding.equivalence_classes import (
    Buckets,
    Classes,
    ShownSets,
    columnwise_classes,
    level_classes,
    level_sets,
)
from paretonym.recoding.level_lattice import Lattice, Levels
from paretonym.recoding.recoding_contract import (
    SHORTEST_ID,
    Recoding,
    digest,
    short_ids,
)
from paretonym.recoding.set_labels import ALWAYS_SHOWN, Boundaries, Run, run_labels, set_labels, unit_ends
from paretonym.recoding.suppression import (
    DEFAULT,
    NOTHING,
    USUAL,
    Suppression,
    format_fraction,
    parse_fraction,
    parse_suppression,
)
from paretonym.recoding.transfer import Units, carry

__all__ = [
    "ALWAYS_SHOWN",
    "DEFAULT",
    "NOTHING",
    "SHORTEST_ID",
    "USUAL",
    "Atoms",
    "Boundaries",
    "Buckets",
    "ClassCondition",
    "Classes",
    "Keep",
    "Lattice",
    "Levels",
    "Recoding",
    "Run",
    "ShownSets",
    "Suppression",
    "Units",
    "carry",
    "columnwise_classes",
    "digest",
    "format_fraction",
    "keep_as_json",
    "level_classes",
    "level_sets",
    "parse_fraction",
    "parse_keep",
    "parse_suppression",
    "run_labels",
    "set_labels",
    "short_ids",
    "unit_ends",
]
