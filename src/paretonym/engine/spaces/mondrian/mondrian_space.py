"""Mondrian's partitions as a space: a table is split as long as every part meets the requirements. A
recoding is a requirement, which determines the parts of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from paretonym.base.budget import Limits
from paretonym.base.errors import Field, InputError, NoSolution, did_you_mean
from paretonym.base.language import N_
from paretonym.base.random_seed import LARGEST_SEED, checked_seed
from paretonym.engine.counts import Cube
from paretonym.engine.measures import meeting
from paretonym.engine.recoding import Classes, Feature, ShownRelease
from paretonym.engine.search import STANDARD, Tuning
from paretonym.engine.spaces.mondrian.partition import (
    Parts,
    Shown,
    improved_partition,
    partition,
    shown_by,
    shown_partition,
)
from paretonym.engine.spaces.mondrian.partition_requirement import (
    Required,
    RequirementRecoding,
    as_conditions,
    as_text,
    required_of_parts,
)
from paretonym.engine.spaces.parameter_sweep import (
    DISTANCES,
    NOT_SUPPRESSED,
    SIZES,
    SWEEP,
    VARIETIES,
    Sweep,
    sweep,
    sweep_of,
)
from paretonym.engine.spaces.space import ProblemMaker, Question, SearchMethod, SearchResult, Space, Wording


@dataclass(frozen=True, slots=True)
class PartsRecoding(RequirementRecoding):
    """Parts that meet a requirement (`{"k": 10}`): those of Mondrian, or, with a `seed`, improved ones. They
    are computed from the data whenever they are needed, and are always the same for the same data. `binary`
    splits cut every part in two."""

    seed: int | None = None
    binary: bool = False

    @classmethod
    def of(
        cls, requirement: Mapping[str, float], seed: int | None = None, binary: bool = False
    ) -> PartsRecoding:
        return cls(required_of_parts(requirement), seed, binary)

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> PartsRecoding:
        improved = entry.get("improved")
        seed = None if improved is None else checked_seed(improved["seed"])
        return cls.of(entry["requirement"], seed, entry.get("splits") == "binary")

    @property
    def way(self) -> dict[str, Any]:
        improved = {} if self.seed is None else {"improved": {"seed": self.seed}}
        return {**improved, **({"splits": "binary"} if self.binary else {})}

    def flat(self) -> dict[str, Any]:
        cells = RequirementRecoding.flat(self)
        return cells if self.seed is None else {**cells, "improved": f"improved, seed {self.seed}"}

    def manifest(self, shown: ShownRelease) -> dict[str, Any]:
        return {"space": "mondrian", "labels": shown.labels(), **shown.keep}

    def classes(self, cube: Cube) -> Classes:
        def made(shown: Shown) -> Parts:
            if self.seed is None:
                return partition(cube, self.requirement, shown, self.binary)
            return improved_partition(cube, self.requirement, self.seed, shown, self.binary)

        classes = shown_by(cube, shown_partition(cube, self.requirement, made), self.binary)
        if not cube.adds_up:
            self._require_of(cube, classes)
        return classes

    def _require_of(self, cube: Cube, classes: Classes) -> None:
        """Refuse classes that miss the requirement. Where a person's rows may be in several parts, the pieces
        of a part can meet what it misses, and parts that show equal sets miss together what each meets."""
        short = int((~meeting(cube, classes, as_conditions(self.requirement))).sum())
        if short:
            raise NoSolution(
                f"{short:,} of {len(classes):,} equivalence classes miss {as_text(self.requirement)}, and no "
                "split found helps. Require less."
            )


# The number of improved partitions that are tried for each requirement, unless it is given.
PARTITIONS = 2
SPLITS = ("children", "binary")


def problem(question: Question, cube: Cube) -> Sweep:
    """A sweep over the requirements on every part."""
    usual = SIZES, VARIETIES, DISTANCES
    binary = binary_splits(question.space_options.get("splits"))
    return Sweep.of(question, cube, usual, lambda required: PartsRecoding(required, binary=binary))


def binary_splits(name: object) -> bool:
    """True if every part is cut in two; the error for an unknown name lists the known ones."""
    if name not in (None, *SPLITS):
        raise InputError.of(Field("splits"), f"unknown splits '{name}'", did_you_mean(str(name), SPLITS))
    return name == "binary"


def question_among(question: Question) -> Question:
    """The question among other methods: the sweep follows from the objectives and requirements."""
    return replace(question, sweep=sweep_of(question.objectives, question.limits))


def search_improve(asked: Sweep, limits: Limits, tuning: Tuning = STANDARD) -> SearchResult:
    """For every setting the partition of Mondrian and improved ones, one for each of several seeds: so
    nothing found here is worse than what a sweep finds."""

    def variants(required: Required) -> Iterator[PartsRecoding]:
        plain = cast(PartsRecoding, asked.make(required))
        yield plain
        first = tuning.seed or 0
        for number in range(tuning.evaluations or PARTITIONS):
            yield replace(plain, seed=(first + number) % (LARGEST_SEED + 1))

    return sweep(asked, variants, limits)


MONDRIAN = Space(
    name="mondrian",
    recoding=PartsRecoding,
    problem=ProblemMaker(
        problem,
        {
            "sweep": "require this of every part",
            "splits": "split categories into the children of a node, or binary: in two at the median "
            "(children)",
        },
        question_among,
    ),
    searches={
        "sweep": SWEEP,
        "improve": SearchMethod(
            search_improve,
            {
                "seed": "the first random seed (0)",
                "evaluations": "try this many partitions for each requirement (2)",
            },
            everywhere=True,
        ),
    },
    wording=Wording(
        N_("settings"),
        N_(
            "Mondrian, a local recoding: the rows are split recursively, as long as every part meets the "
            "requirement. Each part shows the range between its cuts; no row is suppressed."
        ),
        "requirement",
        "The requirement on every part.",
        "Every part meets {requirement}",
        N_("split where the data are"),
    ),
    supports={
        Feature.UNITS: NOT_SUPPRESSED,
        Feature.SUPPRESSION: NOT_SUPPRESSED,
        Feature.POPULATION: "where a person's class depends on other rows or on cuts",
        Feature.LEVELS: "parts are cut between values",
    },
)
