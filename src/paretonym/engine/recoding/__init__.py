"""Recodings: how a release shows a table, and which rows it suppresses."""

from __future__ import annotations

from paretonym.engine.recoding.atoms import Atoms, sizes_among
from paretonym.engine.recoding.boundaries import ALWAYS_SHOWN, BEHIND, EDGE, Cut, Gaps, run_labels
from paretonym.engine.recoding.equivalence_classes import (
    Boxes,
    Buckets,
    Classes,
    Feature,
    Recoding,
    ShownRelease,
    ShownSets,
    digest,
    short_ids,
)
from paretonym.engine.recoding.level_lattice import Lattice
from paretonym.engine.recoding.level_shares import level_shares, shown_labels
from paretonym.engine.recoding.suppression import (
    DEFAULT_SUPPRESSION,
    ClassCondition,
    Keep,
    Suppression,
    keep_as_json,
    parse_keep,
    parse_suppression,
)

__all__ = [
    "ALWAYS_SHOWN",
    "BEHIND",
    "DEFAULT_SUPPRESSION",
    "EDGE",
    "Atoms",
    "Boxes",
    "Buckets",
    "ClassCondition",
    "Classes",
    "Cut",
    "Feature",
    "Gaps",
    "Keep",
    "Lattice",
    "Recoding",
    "ShownRelease",
    "ShownSets",
    "Suppression",
    "digest",
    "keep_as_json",
    "level_shares",
    "parse_keep",
    "parse_suppression",
    "run_labels",
    "short_ids",
    "shown_labels",
    "sizes_among",
]
