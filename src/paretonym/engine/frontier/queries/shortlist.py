"""The shortlist: a few solutions that are worth a look, each with its reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from paretonym.base.arrays import Floats
from paretonym.base.language import _
from paretonym.base.sentence_parts import listed
from paretonym.engine.frontier.dominance import Scale, hypervolume
from paretonym.engine.frontier.pareto_frontier import Frontier, Objective
from paretonym.engine.frontier.queries.answer import nothing
from paretonym.engine.frontier.queries.landmarks import gain_and_cost, is_cost, landmarks
from paretonym.engine.frontier.queries.proof_scope import check_question
from paretonym.engine.frontier.queries.query import Question, preference
from paretonym.engine.frontier.solution import Solution
from paretonym.engine.measures import CLASS_SIZE, LOSS, card_of, is_share, measured

MOST = 7
# Of the published thresholds, those that matter most to people come first.
USUAL, ALSO_USUAL = (5, 11), (20, 3)
FEW = 3
# Solutions that are compared at most when many objectives make many of them.
MOST_COMPARED = 500


@dataclass(frozen=True, slots=True)
class Choice:
    """A solution of the shortlist and why it is there."""

    solution: Solution
    reasons: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return {**self.solution.as_json(), "reasons": list(self.reasons)}


def shortlist(frontier: Frontier, most: int = MOST) -> tuple[Choice, ...]:
    """At most `most` solutions, the best in the first objective first.

    They are the cheapest ones with a common k; with two objectives the most pronounced landmarks, cheap ones
    before expensive ones; with more objectives the solutions that cover most of the frontier. Ends, with the
    worst value that an objective can have, are listed only if there is nothing else; then it is said if a
    sensitive value is certain.
    """
    reasons: dict[str, list[str]] = {}
    proposals: dict[str, Solution] = {}
    for solution, reason in _proposals(frontier):
        if solution.id in proposals or len(proposals) < most:
            proposals[solution.id] = solution
            reasons.setdefault(solution.id, []).append(reason)
    ordered = sorted(proposals.values(), key=preference(frontier))
    return tuple(
        Choice(solution, (*reasons[solution.id], *_certain(frontier, solution))) for solution in ordered
    )


def _proposals(frontier: Frontier) -> Iterator[tuple[Solution, str]]:
    """Solutions with a reason, the most important first."""
    inner = [solution for solution in frontier if not _is_end(frontier, solution)]
    if len(inner) <= FEW:
        yield from ((solution, _("one of only a few releases")) for solution in inner or frontier)
        return
    yield from _usual(frontier, inner, USUAL)
    two = len(frontier.objectives) == 2
    if two:
        ids = {solution.id for solution in inner}
        marks = [mark for mark in landmarks(frontier) if mark.solution.id in ids]
        cost = gain_and_cost(frontier)[1].name
        cheapness = Scale.of([solution.values[cost] for solution in frontier], straight=is_share(cost))
        marks.sort(key=lambda mark: -mark.weight * _cheap(frontier, cheapness, mark.solution))
        yield from ((mark.solution, mark.reason) for mark in marks)
    else:
        yield from _covering(frontier, inner)
    yield from _usual(frontier, inner, ALSO_USUAL)
    by_size = frontier.unit.is_person and any(o.name == CLASS_SIZE for o in frontier.objectives)
    if two and not by_size:
        # Without the class sizes that are common in practice there may be too few.
        yield from _covering(frontier, inner)


def _cheap(frontier: Frontier, scale: Scale, solution: Solution) -> float:
    """1 for the cheapest, 0 for the most expensive: nobody chooses what costs nearly everything."""
    cost = gain_and_cost(frontier)[1]
    place = scale.place(solution.values[cost.name])
    return 1 - place if cost.direction == "min" else place


def _is_end(frontier: Frontier, solution: Solution) -> bool:
    """True if it has the worst value that an objective can have, so that nobody would choose it: somebody is
    alone, a sensitive value is certain, everything is hidden."""
    if len(frontier.objectives) < 2:
        return False
    # An unchanged table may have any k if all rows of a class may belong to one person.
    if not frontier.unit.is_person and solution.values.get(LOSS) == 0:
        return True
    unchanged = solution.values.get(CLASS_SIZE) == 1 and solution.values.get(LOSS) == 0
    return unchanged or any(_is_worst(objective, solution) for objective in frontier.objectives)


def _is_worst(objective: Objective, solution: Solution) -> bool:
    """True if no release can be worse in an objective."""
    card = card_of(objective.name)
    if card is None:
        return False
    worst = card.scale.lowest if objective.direction == "max" else card.scale.highest
    return solution.values[objective.name] == worst


def _certain(frontier: Frontier, solution: Solution) -> Iterator[str]:
    """The remark that a sensitive value is certain for some, where an objective says so."""
    for objective in frontier.objectives:
        card = card_of(objective.name)
        if card is not None and card.limits_inference and _is_worst(objective, solution):
            value = f"{objective.name} {measured(objective.name, solution.values[objective.name])}"
            yield _("a sensitive value is certain for some ({value})", value=value)


def _usual(
    frontier: Frontier, inner: list[Solution], sizes: tuple[int, ...]
) -> Iterator[tuple[Solution, str]]:
    """The cheapest solution for each k that is common in practice; these are numbers of people."""
    costs = [o.name for o in frontier.objectives if is_cost(o.name)]
    if not frontier.unit.is_person or not costs or not any(o.name == CLASS_SIZE for o in frontier.objectives):
        return
    key = preference(frontier, costs[0])
    for k in sizes:
        reaching = [solution for solution in inner if solution.values[CLASS_SIZE] >= k]
        if reaching:
            reason = _("least {cost} with k at least {k}", cost=costs[0], k=k)
            yield min(reaching, key=key), reason


def _covering(frontier: Frontier, inner: list[Solution]) -> Iterator[tuple[Solution, str]]:
    """The solutions that, one after another, add most to what the list covers (its hypervolume)."""
    places = np.unique(np.linspace(0, len(inner) - 1, MOST_COMPARED).round().astype(int)).tolist()
    solutions = [inner[place] for place in places]
    points = _places(frontier, solutions)
    reference, directions = [1.01] * points.shape[1], ["min"] * points.shape[1]
    chosen: list[int] = []
    for _round in range(min(MOST, len(solutions))):
        rest = [i for i in range(len(solutions)) if i not in chosen]
        best = max(rest, key=lambda i: hypervolume(points[[*chosen, i]], directions, reference))
        chosen.append(best)
        yield solutions[best], _strength(frontier, points[best], first=len(chosen) == 1)


def _places(frontier: Frontier, solutions: list[Solution]) -> Floats:
    """All objectives from 0, the best of these solutions, to 1, the worst."""
    columns = []
    for objective in frontier.objectives:
        values = [solution.values[objective.name] for solution in solutions]
        scale = Scale.of(values, straight=is_share(objective.name))
        places = np.array([scale.place(value) for value in values])
        columns.append(1 - places if objective.direction == "max" else places)
    return np.stack(columns, axis=1)


def _strength(frontier: Frontier, place: Floats, first: bool) -> str:
    order = np.argsort(place, kind="stable").tolist()
    strong = [frontier.objectives[i].name for i in order if place[i] <= 1 / 3]
    words = _("medium in every objective")
    if strong:
        words = _("good in {objectives}", objectives=listed(strong, _("and")))
    covers = _("alone covers most of the frontier") if first else _("adds most to this list")
    return f"{covers}; {words}"


def shortlist_within(
    frontier: Frontier, question: Question, allow_unproven: bool, most: int = MOST
) -> tuple[tuple[Choice, ...], tuple[str, ...]]:
    """A shortlist of the solutions that meet limits, and why it is not proven to hold the best, if it is not.

    Raises `NoSolution` with the nearest ones if nothing meets them.
    """
    doubts = check_question(frontier, question, allow_unproven)
    within = tuple(question.within(frontier.solutions))
    if not within:
        raise nothing(frontier, question, allow_unproven)
    return shortlist(replace(frontier, solutions=within), most), doubts
