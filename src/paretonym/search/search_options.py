"""How a search is tuned: options that some searches have. What is not given is the search's own default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from paretonym.errors import Field, InputError, did_you_mean
from paretonym.measures.bounds_on_measures import check_percentage
from paretonym.measures.objective import parse_numbers
from paretonym.recoding.lattice import Lattice, Levels

_LEAST = {"seed": 0, "depth": 1, "population": 2, "generations": 1, "evaluations": 1}


@dataclass(frozen=True, slots=True)
class Tuning:
    """`depth` and `base`: how far below a base node is looked, and where that begins. `population`,
    `generations` and `evaluations`: how many live at once, how often, and how many nodes may be evaluated.
    `box` holds the side of a box for objectives whose solutions are to be thinned out."""

    seed: int | None = None
    depth: int | None = None
    base: tuple[tuple[str, int], ...] | None = None
    population: int | None = None
    generations: int | None = None
    evaluations: int | None = None
    box: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            given = getattr(self, name)
            if given is not None and given < least:
                raise InputError.of(Field(name), f"{given} is too small", f"give at least {least}")

    @property
    def given(self) -> tuple[str, ...]:
        """The names of what was given."""
        return tuple(f.name for f in fields(self) if getattr(self, f.name) not in (None, ()))

    def as_json(self) -> dict[str, Any]:
        """What was given, as `run.json` holds it."""
        values = {name: getattr(self, name) for name in self.given}
        return {name: dict(value) if isinstance(value, tuple) else value for name, value in values.items()}


def tuning_from(options: Mapping[str, Any]) -> Tuning:
    """Tuning from plain values; None is "not given".

    >>> tuning_from({"seed": 1, "box": {"k": 5}, "depth": None}).as_json()
    {'seed': 1, 'box': {'k': 5}}
    """
    known = [f.name for f in fields(Tuning)]
    for name in options:
        if name not in known:
            raise InputError.of("tuning", f"there is no option '{name}'", did_you_mean(name, known))
    given: dict[str, Any] = {n: value for n, value in options.items() if value is not None}
    for name, value in given.items():
        given[name] = tuple(value.items()) if isinstance(value, Mapping) else value
    return Tuning(**given)


STANDARD = Tuning()

# Which searches have which options; every search has these two.
EVERYWHERE = ("seed", "box")
USES: Mapping[str, tuple[str, ...]] = {
    "poka": ("depth", "base"),
    "pbg": ("seed", "population", "generations", "evaluations"),
    "nsga2": ("seed", "population", "generations", "evaluations"),
    "hybrid": ("seed", "population", "generations", "evaluations"),
}


def check_used(method: str, tuning: Tuning) -> None:
    """Refuse what the chosen search would not heed."""
    for name in tuning.given:
        if name not in (*EVERYWHERE, *USES.get(method, ())):
            owners = " or ".join(owner for owner, options in USES.items() if name in options)
            raise InputError.of(
                Field(name),
                f"the search '{method}' has no such option",
                f"leave it out, or use {Field('search', owners)}",
            )


def parse_box(text: str | None) -> dict[str, float]:
    """Read `k=5,loss=0.01`.

    >>> parse_box("k=5, loss=1%")
    {'k': 5.0, 'loss': 0.01}
    """
    entries = list(_entries(text))
    sides = parse_numbers(entries, Field("box"))
    for (name, side), entry in zip(sides.items(), entries, strict=True):
        check_percentage(name, side, Field("box"), entry.partition("=")[2])
    return sides


def parse_base(text: str | None) -> dict[str, int] | None:
    """Read `age=3,sex=0`: levels of some quasi-identifiers.

    >>> parse_base("age=3,sex=0")
    {'age': 3, 'sex': 0}
    """
    if text is None:
        return None
    entries = list(_entries(text))
    levels = parse_numbers(entries, Field("base"))
    for (name, level), entry in zip(levels.items(), entries, strict=True):
        if level != int(level) or "%" in entry:
            written = entry.partition("=")[2].strip()
            raise InputError.of(Field("base"), f"'{name}={written}' is no level", "give a whole number")
    return {name: int(level) for name, level in levels.items()}


def _entries(text: str | None) -> Iterable[str]:
    return [entry for entry in (text or "").split(",") if entry.strip()]


def base_levels(lattice: Lattice, tuning: Tuning) -> Levels:
    """The node to begin with: the levels given, the highest for all others."""
    levels = dict(zip(lattice.names, lattice.highest, strict=True))
    lowest = dict(zip(lattice.names, lattice.lowest, strict=True))
    for name, level in tuning.base or ():
        if name not in levels:
            known = ", ".join(lattice.names)
            raise InputError.of(
                Field("base"), f"'{name}' is no quasi-identifier", f"the quasi-identifiers are: {known}"
            )
        if not lowest[name] <= level <= levels[name]:
            raise InputError.of(
                Field("base"),
                f"'{name}' has no level {level}",
                f"give one from {lowest[name]} to {levels[name]}",
            )
        levels[name] = level
    return tuple(levels.values())
