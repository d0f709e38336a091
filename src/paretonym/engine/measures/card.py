"""The card of a measure: what it answers, which way is better, and what a search may rely on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from paretonym.base.arrays import Floats
from paretonym.base.errors import InputError, Place
from paretonym.base.rounding import Sense
from paretonym.engine.counts import Kind, Link
from paretonym.engine.measures.candidate_facts import Facts
from paretonym.engine.measures.estimates.released_regions import Seen


@dataclass(frozen=True, slots=True)
class MeasureName:
    """A measure, and the column that it is about if one is named.

    >>> MeasureName.parsed("l@diagnosis"), str(MeasureName("k"))
    (MeasureName(measure='l', column='diagnosis'), 'k')
    """

    measure: str
    column: str | None = None

    @classmethod
    def parsed(cls, text: str) -> MeasureName:
        measure, at, column = text.partition("@")
        return cls(measure, column if at else None)

    def __str__(self) -> str:
        return self.measure if self.column is None else f"{self.measure}@{self.column}"


Direction: TypeAlias = Literal["max", "min"]
Movement: TypeAlias = Literal["rises", "falls", "constant"]
# The best value at any specialization of a node, by its classes and how many rows may be suppressed.
Reach: TypeAlias = Callable[[Seen, int], float]
# A function of what a reader sees, the columns in question and the parameters.
FromClasses: TypeAlias = Callable[[Seen, Sequence[str], Mapping[str, Any]], float]
# What each row of a suppressed class adds at least, by the number of all rows, how many the class has at
# most, and how many values the column has.
PerSuppressedRow: TypeAlias = Callable[[int, int, int], float]
# A number above 0 by its default; or a choice, the first of which is the default.
Parameter: TypeAlias = float | tuple[float | str, ...]


TOO_SMALL = "was too small"
TOO_ALIKE = "had sensitive values that were too similar"
TOO_UNLIKE = "had sensitive values too different from those of the whole table"


class Scale(NamedTuple):
    """Unit of a value, a count, a share of a whole (written as a percentage) or a distance, and the bounds of
    all values; a bound of None depends on the table."""

    unit: Literal["count", "share", "distance"]
    lowest: float | None = 0
    highest: float | None = None


@dataclass(frozen=True, slots=True)
class Basis:
    """Counts that a measure needs, besides the sizes of classes: the cell costs by a `rule`; a `statistic`
    of the values of the columns `over` which it is (or analyses of purposes), linked to the value of one
    class, `against` the distribution of the input or the release; or all that classes show,
    `from_classes`."""

    rule: str | None = None
    statistic: Kind | None = None
    over: Literal["sensitive", "class", "purposes"] | None = None
    link: Link = Link.IDENTITY
    against: Literal["input", "release"] | None = None
    from_classes: FromClasses | None = None


@dataclass(frozen=True, slots=True)
class Algebra:
    """Properties of a measure that are proven and tested. None means that nothing is proven.

    `unsuppressed`: how its value changes when a node is generalized and no row is suppressed; `limited`: the
    same under the suppression rule `limit`; `suppression`: how it changes at one node when a class is
    suppressed, by size. `classwise`: it is the worst of values that each depend on one class alone, so that a
    threshold on it decides which classes stay, and a partition can require it of every part. `floor`: what
    bounds it from below before any class is known: the cell cost of all rows (`all-rows`, or by their weights
    `weighted-rows`), that of the rows that stay (`staying-rows`), or the number of suppressed rows
    (`suppressed-rows`). With `per_suppressed_row` it is at least its value with nothing suppressed at any
    more specific node, plus this for every row that is suppressed. `reach`: what the classes of a node say
    about all of its specializations.
    """

    unsuppressed: Movement | None = None
    limited: Movement | None = None
    suppression: Movement | None = None
    classwise: bool = False
    floor: Literal["all-rows", "weighted-rows", "staying-rows", "suppressed-rows"] | None = None
    per_suppressed_row: PerSuppressedRow | None = None
    reach: Reach | None = None


@dataclass(frozen=True, slots=True)
class Published:
    """Parts of a measure that may be published.

    `in_file`: a finished file alone shows the value. `claimed`: every manifest claims it, because the file
    alone proves it. `stated`: a manifest states it, rounded, though only the input proves it. `of_people`: it
    is a risk of people, which has no meaning if rows are not people.
    """

    in_file: bool = False
    claimed: bool = False
    stated: bool = False
    of_people: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure: a plain function of counts, and the card that holds everything that the program needs to
    know about it.

    `aim`: it says how well people are protected or what analyses keep (more is better), at what risk people
    are, or what a release loses (less is better). `parameters` are its settings with their defaults. `needs`
    says what else must be known of the rows: a table of the population, an estimate of it, weights, which of
    them form a household, which k they require, a numeric quasi-identifier, or what they are
    for. `offered`: the page offers it
    before all others.
    """

    name: str
    aim: Literal["protection", "risk", "loss", "utility"]
    scale: Scale
    question: str
    formula: str
    reference: str
    value: Callable[[Facts], Floats]
    counted: Basis = Basis()
    algebra: Algebra = Algebra()
    published: Published = Published()
    needs: (
        Literal["population", "estimate", "weights", "households", "numbers", "required", "purposes"] | None
    ) = None
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    caution: str = ""
    offered: bool = False

    @property
    def direction(self) -> Direction:
        return "max" if self.aim in ("protection", "utility") else "min"

    @property
    def better(self) -> str:
        return "more" if self.direction == "max" else "less"

    @property
    def good_side(self) -> Sense:
        """The sense (at least or at most) of a limit that requires good values."""
        return "at-least" if self.direction == "max" else "at-most"

    @property
    def is_loss(self) -> bool:
        """True if it says what a release loses, not what it protects."""
        return self.aim == "loss"

    @property
    def defaults(self) -> dict[str, float | str]:
        """The value of each parameter where none is set."""
        return {name: p[0] if isinstance(p, tuple) else p for name, p in self.parameters.items()}

    @property
    def is_estimate(self) -> bool:
        """True if its value is an estimate: proofs are about what was estimated, not about the population."""
        return self.needs == "estimate"

    @property
    def is_class_size(self) -> bool:
        """True if it depends on the size of one class and nothing else."""
        return self.algebra.classwise and self.counted.statistic is None

    @property
    def proves_nothing(self) -> bool:
        """True if its value at one node says nothing about other nodes."""
        return self.algebra == Algebra()

    @property
    def grows_with_any_class(self) -> bool:
        """True if it never gets worse when a class is merged with another one, even if the same person is in
        both."""
        return self.is_class_size or self.counted.statistic is Kind.DISTINCT

    @property
    def conditional(self) -> bool:
        """True if a published manifest may state it as a condition on classes: the file shows it, class by
        class."""
        return self.algebra.classwise and self.published.in_file

    @property
    def counts_values(self) -> bool:
        """True if it is at least ℓ if each class has ℓ equally frequent values."""
        return self.aim == "protection" and self.counted.statistic in (Kind.SHARE, Kind.DISTINCT)

    @property
    def limits_inference(self) -> bool:
        """True if it says how well sensitive values are hidden; sums over pairs and estimates do not."""
        return self.counted.over == "sensitive" and self.counted.statistic not in (None, Kind.PAIRS)

    @property
    def shortfall(self) -> str:
        """The end of the sentence "Suppressed because their group …"; nothing if it suppresses no class."""
        if self.is_class_size:
            return TOO_SMALL
        return "" if not self.limits_inference else TOO_UNLIKE if self.counted.against else TOO_ALIKE

    def check_percentage(self, name: str, number: float, place: Place, given: str) -> None:
        """Refuse a percentage, as it was given for the measure of that name, where it is no share."""
        text = given.strip()
        if not text.endswith("%") or self.scale.unit == "share" or self.scale.highest == 1:
            return
        wrong, meant = f"{name} is not a share, but {text} is a percentage", f"{number:g}"
        if self.scale.unit == "count":
            wrong = f"{name} is a count, but {text} is a percentage"
            meant = text.removesuffix("%").strip()
        raise InputError.of(place, wrong, f"did you mean {name}={meant}?")
