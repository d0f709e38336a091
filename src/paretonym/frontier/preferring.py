"""Which of several solutions is preferred: one objective first, then the others in their order."""

from __future__ import annotations

from collections.abc import Callable

from paretonym.frontier.frontier import Frontier
from paretonym.frontier.solution import Solution


def preference(frontier: Frontier, best: str | None = None) -> Callable[[Solution], tuple[float, ...]]:
    """A key to sort by, the most preferred first: `best` before all, the first objective unless given."""
    ordered = sorted(frontier.objectives, key=lambda objective: objective.name != best)
    signs = [(o.name, -1.0 if o.direction == "max" else 1.0) for o in ordered]
    return lambda solution: tuple(sign * solution.values[name] for name, sign in signs)
