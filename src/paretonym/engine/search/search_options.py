"""The options of a search. What is not given has the search's own default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from paretonym.base.errors import Field, InputError, did_you_mean
from paretonym.base.random_seed import checked_seed
from paretonym.engine.measures import card_of, parse_numbers

_LEAST = {"depth": 1, "population": 2, "generations": 1, "evaluations": 1}


@dataclass(frozen=True, slots=True)
class Tuning:
    """`depth` and `base`: the base node, and how far below it the search goes. `population`, `generations`
    and `evaluations`: the size of the population, the number of generations, and how many nodes may be
    evaluated. `box` holds the side of a box for objectives whose solutions are to be thinned out."""

    seed: int | None = None
    depth: int | None = None
    base: tuple[tuple[str, int], ...] | None = None
    population: int | None = None
    generations: int | None = None
    evaluations: int | None = None
    box: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        if self.seed is not None:
            checked_seed(self.seed)
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise InputError.of(Field(name), f"{value} is too small", f"give at least {least}")

    @classmethod
    def of(cls, options: Mapping[str, object]) -> Tuning:
        """Options from plain values; None means "not given". Boxes and levels may be strings, as on the
        command line.

        >>> Tuning.of({"seed": 1, "box": {"k": 5}, "depth": None}).as_json()
        {'seed': 1, 'box': {'k': 5}}
        >>> Tuning.of({"box": "k=5, loss=1%", "base": "age=3,sex=0"}).as_json()
        {'base': {'age': 3, 'sex': 0}, 'box': {'k': 5.0, 'loss': 0.01}}
        >>> Tuning.of({"box": {"k": 5, "loss": "1%"}}).as_json()
        {'box': {'k': 5, 'loss': 0.01}}
        """
        choices = [f.name for f in fields(cls)]
        for name in options:
            if name not in choices:
                raise InputError.of("tuning", f"unknown option '{name}'", did_you_mean(name, choices))
        values: dict[str, Any] = {n: value for n, value in options.items() if value is not None}
        if "seed" in values:
            values["seed"] = checked_seed(values["seed"])
        for name in _LEAST:
            if isinstance(values.get(name), str):
                values[name] = _whole(name, values[name])
        for name, parse in (("box", _box), ("base", _base)):
            if isinstance(values.get(name), Mapping):
                # The numbers of a mapping may be texts, as a string's are.
                values[name] = {
                    key: parse(f"{key}={value}")[key] if isinstance(value, str) else value
                    for key, value in values[name].items()
                }
            if isinstance(values.get(name), str):
                values[name] = parse(values[name])
        for name, value in values.items():
            values[name] = tuple(value.items()) if isinstance(value, Mapping) else value
        return cls(**values)

    def with_options(self, options: Mapping[str, object]) -> Tuning:
        """These options and some more."""
        return replace(Tuning.of(options), seed=self.seed, box=self.box) if options else self

    @property
    def particular(self) -> tuple[str, ...]:
        """The names of the given options that not every search has."""
        return tuple(name for name in self.given if name not in ("seed", "box"))

    @property
    def given(self) -> tuple[str, ...]:
        """The names of what was given."""
        return tuple(f.name for f in fields(self) if getattr(self, f.name) not in (None, ()))

    def as_json(self) -> dict[str, Any]:
        """The options that were given, as `run.json` holds them."""
        values = {name: getattr(self, name) for name in self.given}
        return {name: dict(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _whole(name: str, text: str) -> int:
    if not text.strip().isdecimal():
        raise InputError.of(Field(name), f"'{text.strip()}' is not a whole number", "give, for example, 3")
    return int(text)


def _box(text: str) -> dict[str, float]:
    """Read `k=5,loss=0.01`: the sides of a box."""
    entries = _entries(text)
    sides = parse_numbers(entries, Field("box"))
    for (name, side), entry in zip(sides.items(), entries, strict=True):
        card = card_of(name)
        if card is not None:
            card.check_percentage(name, side, Field("box"), entry.partition("=")[2])
    return sides


def _base(text: str) -> dict[str, int]:
    """Read `age=3,sex=0`: levels of some quasi-identifiers."""
    entries = _entries(text)
    levels = parse_numbers(entries, Field("base"))
    for (name, level), entry in zip(levels.items(), entries, strict=True):
        if level != int(level) or "%" in entry:
            written = entry.partition("=")[2].strip()
            raise InputError.of(Field("base"), f"'{name}={written}' is not a level", "give a whole number")
    return {name: int(level) for name, level in levels.items()}


def _entries(text: str) -> list[str]:
    return [entry for entry in text.split(",") if entry.strip()]


STANDARD = Tuning()
