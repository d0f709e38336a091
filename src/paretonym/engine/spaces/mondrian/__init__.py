"""Mondrian: the rows are split recursively, as long as every part meets the requirements."""

from __future__ import annotations

from paretonym.engine.spaces.mondrian.partition import Parts, coarsest, partition
from paretonym.engine.spaces.mondrian.partition_requirement import (
    Required,
    RequirementRecoding,
    required_of_parts,
)

__all__ = ["Parts", "Required", "RequirementRecoding", "coarsest", "partition", "required_of_parts"]
