"""One question, whatever the space: what is asked of a table."""

from __future__ import annotations

from dataclasses import dataclass, field

from paretonym.counts import Cube
from paretonym.measures import Limit, Requirement, Settings, requirements, with_seed
from paretonym.papers.methods import PaperProblem
from paretonym.recoding import USUAL, Suppression
from paretonym.search import STANDARD, Tuning


@dataclass(frozen=True)
class Question:
    """What is asked of a table. `problem`, `sweep`, `relaxed` and `buckets` belong to some spaces only."""

    objectives: tuple[str, ...] = ()
    suppress: Suppression = USUAL
    space: str = "lattice"
    search: str | None = None
    settings: Settings = field(default_factory=dict)
    limits: tuple[Limit, ...] = ()
    problem: PaperProblem | None = None
    sweep: tuple[str, ...] = ()
    relaxed: bool = False
    buckets: str | None = None
    tuning: Tuning = STANDARD

    @property
    def own_options(self) -> tuple[str, ...]:
        """The options given that not every space has."""
        given = {
            "problem": self.problem is not None,
            "sweep": bool(self.sweep),
            "relaxed": self.relaxed,
            "buckets": self.buckets is not None,
        }
        return tuple(name for name, there in given.items() if there)

    @property
    def parameters(self) -> Settings:
        """The measures' settings, with the seed of what is drawn at random."""
        return with_seed(self.settings, self.tuning.seed or 0)

    def required(self, cube: Cube) -> tuple[Requirement, ...]:
        return requirements(cube, self.limits, self.parameters)
