"""The spaces of possible releases: lattice, cuts, Mondrian, buckets; one folder each."""

from __future__ import annotations

from paretonym.spaces.carried_over import Before, CarriedOver, other_sets
from paretonym.spaces.exploration import explore, question_as_json
from paretonym.spaces.parameters import Assignments, owned_parameters, with_parameters
from paretonym.spaces.space import DealtRows, Question, Sample, ShownRelease, Space
from paretonym.spaces.space_registry import SPACES, USUAL_SPACE, space_named, space_of

__all__ = [
    "SPACES",
    "USUAL_SPACE",
    "Assignments",
    "Before",
    "CarriedOver",
    "DealtRows",
    "Question",
    "Sample",
    "ShownRelease",
    "Space",
    "explore",
    "other_sets",
    "owned_parameters",
    "question_as_json",
    "space_named",
    "space_of",
    "with_parameters",
]
