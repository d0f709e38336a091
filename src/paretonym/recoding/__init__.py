"""Recodings: how a release shows a table, and which rows it suppresses."""

from __future__ import annotations

from paretonym.recoding.atoms import Atoms
from paretonym.recoding.class_condition import ClassCondition, Keep, keep_as_json, parse_keep
from paretonym.recoding.equivalence_classes import Buckets, Classes, ShownSets
from paretonym.recoding.level_lattice import Lattice
from paretonym.recoding.recoding_contract import Recoding, digest, short_ids
from paretonym.recoding.set_labels import ALWAYS_SHOWN, Boundaries, Run
from paretonym.recoding.suppression import USUAL, Suppression, parse_suppression
from paretonym.recoding.transfer import Units

__all__ = [
    "ALWAYS_SHOWN",
    "USUAL",
    "Atoms",
    "Boundaries",
    "Buckets",
    "ClassCondition",
    "Classes",
    "Keep",
    "Lattice",
    "Recoding",
    "Run",
    "ShownSets",
    "Suppression",
    "Units",
    "digest",
    "keep_as_json",
    "parse_keep",
    "parse_suppression",
    "short_ids",
]
