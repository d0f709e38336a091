"""The card of a measure: what it answers, which way is better, and what a search may rely on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from paretonym.arrays import Floats
from paretonym.counts.class_statistics import Kind
from paretonym.measures.candidate_facts import Facts
from paretonym.measures.estimates.released_regions import Seen

Direction: TypeAlias = Literal["max", "min"]
Movement: TypeAlias = Literal["rises", "falls", "constant"]
# From what a reader sees, the columns in question and the parameters to a value.
FromClasses: TypeAlias = Callable[[Seen, Sequence[str], Mapping[str, float]], float]


@dataclass(frozen=True, slots=True)
class Algebra:
    """What is proven of a measure, and tested. None means that nothing is.

    `unsuppressed`: how its value moves when a node is generalized and no row is suppressed; `limited`: the
    same under the suppression rule `limit`; `suppression`: how it moves at one node when a class goes, by
    size. `classwise`: it is the worst of numbers that each belong to one class alone, so that a threshold on
    it says which classes stay.
    """

    unsuppressed: Movement | None = None
    limited: Movement | None = None
    suppression: Movement | None = None
    classwise: bool = False


@dataclass(frozen=True, slots=True)
class Measure:
    """A plain function of counts, and the card that describes it.

    `lowest` and `highest` bound its values (a bound of None depends on the table). `costs` names the cell
    costs that it needs counted, `statistic` what it needs counted of the values of the `over` columns;
    `parameters` are its settings with their defaults. A measure that needs to see what classes show has
    `from_classes`, one whose value hangs on drawn numbers is `drawn`.
    """

    name: str
    direction: Direction
    lowest: float | None
    highest: float | None
    question: str
    formula: str
    reference: str
    value: Callable[[Facts], Floats]
    algebra: Algebra = Algebra()
    costs: tuple[str, ...] = ()
    statistic: Kind | None = None
    over: Literal["sensitive", "class"] | None = None
    released: bool = False
    parameters: Mapping[str, float] = field(default_factory=dict)
    caution: str = ""
    from_classes: FromClasses | None = None
    drawn: bool = False

    @property
    def limits_inference(self) -> bool:
        """Whether it says how well sensitive values are hidden; sums over pairs and estimates do not."""
        return self.over == "sensitive" and self.statistic not in (None, Kind.PAIRS)

    @property
    def better(self) -> str:
        return "more" if self.direction == "max" else "less"
