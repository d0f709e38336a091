"""What a person may ask of a search beyond the question itself."""

from __future__ import annotations

from dataclasses import dataclass

from paretonym.errors import InputError


@dataclass(frozen=True, slots=True)
class Options:
    """`seed` fixes what a search draws. None leaves a number to the search."""

    seed: int = 0
    population: int | None = None
    generations: int | None = None
    evaluations: int | None = None

    def __post_init__(self) -> None:
        least = {"seed": 0, "population": 4, "generations": 1, "evaluations": 1}
        for name, bound in least.items():
            value = getattr(self, name)
            if value is not None and value < bound:
                raise InputError.of(f"--{name}", f"{value} is too small", f"give at least {bound}")
