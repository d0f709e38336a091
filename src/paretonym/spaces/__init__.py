"""The spaces of possible releases: lattice, cuts, Mondrian, buckets; one folder each."""

from __future__ import annotations

from paretonym.spaces.exploration import explore, question_as_json
from paretonym.spaces.lattice.lattice_space import sample_lattice
from paretonym.spaces.parameters import Assignments, owned_parameters, with_parameters
from paretonym.spaces.space import DealtRows, Question, Sample, Space, part_limits
from paretonym.spaces.space_registry import SPACES, USUAL_SPACE, space_named, space_of, supporting
from paretonym.spaces.transfer import Before, CarriedOver, other_sets, transferred

__all__ = [
    "SPACES",
    "USUAL_SPACE",
    "Assignments",
    "Before",
    "CarriedOver",
    "DealtRows",
    "Question",
    "Sample",
    "Space",
    "explore",
    "other_sets",
    "owned_parameters",
    "part_limits",
    "question_as_json",
    "sample_lattice",
    "space_named",
    "space_of",
    "supporting",
    "transferred",
    "with_parameters",
]
