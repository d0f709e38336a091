"""Which of several solutions is preferred: one objective first, then the others in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paretonym.frontier.pareto_frontier import Frontier
from paretonym.frontier.solution import Solution


@dataclass(frozen=True, slots=True)
class Preference:
    """A key to sort by, the most preferred first. `signs` holds the objectives, the most important one first,
    each with the sign that makes less better.

    Frontiers may hold many thousands: what is asked of all of them looks at one number each, in one pass.
    """

    signs: tuple[tuple[str, float], ...]

    def __call__(self, solution: Solution) -> tuple[float, ...]:
        return tuple([sign * solution.values[name] for name, sign in self.signs])

    def first(self, solutions: Sequence[Solution]) -> Solution:
        """The most preferred of at least one; the first of equals."""
        name, sign = self.signs[0]
        costs = [sign * solution.values[name] for solution in solutions]
        least = min(costs)
        return min([s for s, cost in zip(solutions, costs, strict=True) if cost == least], key=self)

    def better(self, solutions: Sequence[Solution], than: Solution) -> list[Solution]:
        """Those that are better in the most important objective."""
        name, sign = self.signs[0]
        bound = sign * than.values[name]
        return [solution for solution in solutions if sign * solution.values[name] < bound]


def preference(frontier: Frontier, best: str | None = None) -> Preference:
    """`best` before all, the first objective unless given."""
    ordered = sorted(frontier.objectives, key=lambda objective: objective.name != best)
    return Preference(tuple((o.name, -1.0 if o.direction == "max" else 1.0) for o in ordered))
