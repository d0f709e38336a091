"""The card of a measure: what it answers, which way is better, and what a search may rely on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.measures.facts import Facts

Direction: TypeAlias = Literal["max", "min"]
Movement: TypeAlias = Literal["rises", "falls", "constant"]
Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Algebra:
    """What is proven of a measure, and tested. None means that nothing is.

    `unsuppressed`: how its value moves when a node is generalized and no row is suppressed; `limited`: the
    same under the suppression rule `limit`; `suppression`: how it moves at one node when a class goes.
    """

    unsuppressed: Movement | None = None
    limited: Movement | None = None
    suppression: Movement | None = None


@dataclass(frozen=True, slots=True)
class Measure:
    """A plain function of counts, and the card that describes it.

    `lowest` and `highest` bound its values (a bound of None depends on the table); `costs` names the cell
    costs that it needs counted.
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
    caution: str = ""

    @property
    def better(self) -> str:
        return "more" if self.direction == "max" else "less"
