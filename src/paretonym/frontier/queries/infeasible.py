"""The answer "no": which limits cannot be met, and which releases come closest."""

from __future__ import annotations

from paretonym.errors import NoSolution
from paretonym.frontier.axis_scale import Scale
from paretonym.frontier.lexicographic import preference
from paretonym.frontier.pareto_frontier import Frontier
from paretonym.frontier.queries.query import Question
from paretonym.frontier.solution import Solution
from paretonym.measures import SUPPRESSION, Limit, apart, is_share, measured

MOST_NEAREST = 3


def nothing(frontier: Frontier, question: Question, doubts: tuple[str, ...]) -> NoSolution:
    """The refusal, and why it is not proven if it is not; for each limit that alone cannot be met, how close
    a release comes."""
    asked = " and ".join(map(str, question.limits))
    lines = [f"No release {'on this frontier' if doubts else 'of this run'} has {asked}."]
    lines += [f"Not proven, another release may meet these limits: {doubt}." for doubt in doubts]
    alone = [(limit, near) for limit in question.limits if (near := _nearest(frontier, question, limit))]
    lines += [_in_the_way(frontier, question, limit, near) for limit, near in alone]
    nearest = [near for _, near in alone]
    if not alone:
        nearest = _nearest_of_all(frontier, question)
        lines.append("Relaxing one limit is not enough: at least two must be relaxed. The closest releases:")
        lines += [f"  {row(frontier, solution)}" for solution in nearest]
    return NoSolution("\n".join(lines), {each.id: each for each in nearest}.values())


def _nearest(frontier: Frontier, question: Question, limit: Limit) -> Solution | None:
    """The solution that meets all other limits and comes nearest to this one."""
    within = question.without(limit).within(frontier.solutions)
    if not within:
        return None
    gaps = [abs(solution.values[limit.name] - limit.bound) for solution in within]
    least = min(gaps)
    nearest = [solution for solution, gap in zip(within, gaps, strict=True) if gap == least]
    return preference(frontier, question.best).first(nearest)


def _in_the_way(frontier: Frontier, question: Question, limit: Limit, near: Solution) -> str:
    others = " and ".join(map(str, question.without(limit).limits))
    value, _ = apart(limit.name, near.values[limit.name], limit.bound)
    closest = f"With {others}, the closest to" if others else "The closest to"
    return f"{closest} {limit} is {value}:\n  {row(frontier, near)}"


def row(frontier: Frontier, solution: Solution) -> str:
    """One solution in one line."""
    names = dict.fromkeys([*(o.name for o in frontier.objectives), SUPPRESSION])
    values = (f"{name} {measured(name, solution.values[name])}" for name in names if name in solution.values)
    return f"{solution.id}: {', '.join(values)}"


def _nearest_of_all(frontier: Frontier, question: Question) -> list[Solution]:
    """The solutions that miss the limits by the least, each miss measured on the measure's own scale."""
    scales = {
        limit.name: Scale.of(
            [*(solution.values[limit.name] for solution in frontier), limit.bound], is_share(limit.name)
        )
        for limit in question.limits
    }

    def miss(solution: Solution) -> float:
        return sum(
            abs(scales[limit.name].place(solution.values[limit.name]) - scales[limit.name].place(limit.bound))
            for limit in question.limits
            if not limit.allows(solution.values[limit.name])
        )

    return sorted(frontier, key=miss)[:MOST_NEAREST]
