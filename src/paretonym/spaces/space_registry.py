"""The registry: every space in one readable table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from paretonym.errors import Field, UnknownName, did_you_mean
from paretonym.measures import SQUARED_ERROR
from paretonym.recoding import Feature, Recoding
from paretonym.spaces.lattice.lattice_space import LATTICE
from paretonym.spaces.space import Space

SpaceName: TypeAlias = Literal["lattice", "local", "cuts", "mondrian", "microaggregation", "buckets"]
SearchName: TypeAlias = Literal[
    "exact", "exhaustive", "poka", "pbg", "clusters", "hybrid", "nsga2", "sweep", "improve"
]
USUAL_SPACE = LATTICE


class Method(NamedTuple):
    """One way to search a space. Among others it may have a budget of `evaluations`, and compete only where
    one measure is an objective."""

    space: str
    search: str | None = None
    evaluations: int | None = None
    only_for: str | None = None


# The methods of a joint frontier, cheapest first: of equal solutions that of the first one is kept.
METHODS = (
    Method("lattice"),
    Method("mondrian", "improve", 1),
    Method("cuts", "hybrid", 2000),
    Method("local", None, 10_000_000),
    Method("microaggregation", only_for=SQUARED_ERROR),
)


def _local() -> Space:
    from paretonym.spaces.local.local_space import LOCAL

    return LOCAL


def _cuts() -> Space:
    from paretonym.spaces.cuts.cuts_space import CUTS

    return CUTS


def _mondrian() -> Space:
    from paretonym.spaces.mondrian.mondrian_space import MONDRIAN

    return MONDRIAN


def _microaggregation() -> Space:
    from paretonym.spaces.microaggregation.microaggregation_space import MICROAGGREGATION

    return MICROAGGREGATION


def _buckets() -> Space:
    from paretonym.spaces.buckets.buckets_space import BUCKETS

    return BUCKETS


# The first one is the default. The others are loaded when they are first used: a question to a saved run
# needs one of them.
_LATER: Mapping[str, Callable[[], Space]] = {
    "lattice": lambda: LATTICE,
    "local": _local,
    "cuts": _cuts,
    "mondrian": _mondrian,
    "microaggregation": _microaggregation,
    "buckets": _buckets,
}


class _Spaces(Mapping[str, Space]):
    """Every space by its name."""

    def __getitem__(self, name: str) -> Space:
        return _LATER[name]()

    def __contains__(self, name: object) -> bool:
        return name in _LATER

    def __iter__(self) -> Iterator[str]:
        return iter(_LATER)

    def __len__(self) -> int:
        return len(_LATER)


SPACES: Mapping[str, Space] = _Spaces()


def space_named(name: str) -> Space:
    """The space of that name; the error for an unknown name lists the known ones."""
    if name not in SPACES:
        raise UnknownName.of(Field("space"), f"unknown space '{name}'", did_you_mean(name, SPACES))
    return SPACES[name]


def supporting(feature: Feature) -> tuple[str, ...]:
    """The names of the spaces that support a feature."""
    return tuple(space.name for space in SPACES.values() if not space.lacks(feature))


def space_of(recoding: Recoding) -> Space:
    """The space that a recoding belongs to."""
    return next(space for space in SPACES.values() if type(recoding) is space.recoding)
