"""The spaces of possible releases: lattice, cuts, Mondrian, buckets; one folder each."""

from __future__ import annotations

from paretonym.engine.spaces.combinations import check_table
from paretonym.engine.spaces.exploration import explore, methods_for, question_as_json
from paretonym.engine.spaces.purpose_search import PurposeAnswer, Trial, achieve
from paretonym.engine.spaces.space import DealtRows, Question, Space, part_limits
from paretonym.engine.spaces.space_registry import (
    SPACES,
    Assignments,
    Method,
    owned_parameters,
    space_named,
    space_of,
    with_parameters,
)
from paretonym.engine.spaces.transfer import Before, CarriedOver, other_sets, transferred

__all__ = [
    "SPACES",
    "Assignments",
    "Before",
    "CarriedOver",
    "DealtRows",
    "Method",
    "PurposeAnswer",
    "Question",
    "Space",
    "Trial",
    "achieve",
    "check_table",
    "explore",
    "methods_for",
    "other_sets",
    "owned_parameters",
    "part_limits",
    "question_as_json",
    "space_named",
    "space_of",
    "transferred",
    "with_parameters",
]
