"""The registry: every space in one readable table."""

from __future__ import annotations

from collections.abc import Mapping

from paretonym.errors import Field, InputError, did_you_mean
from paretonym.recoding import Recoding
from paretonym.spaces.buckets.buckets_space import BUCKETS
from paretonym.spaces.cuts.cuts_space import CUTS
from paretonym.spaces.lattice.lattice_space import LATTICE
from paretonym.spaces.local.local_space import LOCAL
from paretonym.spaces.mondrian.mondrian_space import MONDRIAN
from paretonym.spaces.space import Space

# The first one is the default.
SPACES: Mapping[str, Space] = {space.name: space for space in (LATTICE, LOCAL, CUTS, MONDRIAN, BUCKETS)}
USUAL_SPACE = LATTICE


def space_named(name: str) -> Space:
    """The space of that name; the error for an unknown name lists the known ones."""
    if name not in SPACES:
        raise InputError.of(Field("space"), f"unknown space '{name}'", did_you_mean(name, SPACES))
    return SPACES[name]


def space_of(recoding: Recoding) -> Space:
    """The space that a recoding belongs to."""
    return next(space for space in SPACES.values() if type(recoding) is space.recoding)
