"""Landmarks of a frontier with two objectives: knees, cheap stretches and expensive steps, with reasons.

Over the whole frontier the curve gains everything for the whole cost, so its average slope is 1. Slopes are
compared with that, so that units do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from paretonym.base.arrays import Floats
from paretonym.base.language import N_, _, format_number
from paretonym.engine.frontier.dominance import Scale
from paretonym.engine.frontier.pareto_frontier import Frontier, Objective
from paretonym.engine.frontier.solution import Solution
from paretonym.engine.measures import apart, card_of, is_share

Kind: TypeAlias = Literal["knee", "cheap stretch", "expensive step"]

# Three times as much gained for the cost as over the whole frontier, or a third of it.
STEEP = 3.0
# Less than these shares of the whole gain, cost or bulge is not reported.
LEAST_GAIN = 0.05
LEAST_COST = 0.04
LEAST_BULGE = 0.04
MOST_KNEES = 3
HARDLY = 1.1
# The shares of the whole cost, on each side, over which a knee is compared.
WIDTHS = (0.5, 0.25, 0.125)


class Landmark(NamedTuple):
    """A named place: `solution` is the one to look at, `other` is where a cheap stretch starts or where an
    expensive step ends. `weight` orders landmarks of one kind."""

    kind: Kind
    solution: Solution
    other: Solution | None
    weight: float
    reason: str


def landmarks(frontier: Frontier) -> tuple[Landmark, ...]:
    """All landmarks, the most pronounced of each kind first. None unless there are two objectives.

    *Knee*: the curve bulges out, so that cost buys more before it than after it. *Cheap stretch*: a large
    gain for little cost. *Expensive step*: the next step costs much and gains little.
    """
    if len(frontier.objectives) != 2 or len(frontier) < 3:
        return ()
    line = curve(frontier)
    marks = (*knees(line), *cheap_stretches(line), *expensive_steps(line))
    return tuple(sorted(marks, key=lambda landmark: (landmark.kind, -landmark.weight)))


def knees(line: Curve) -> list[Landmark]:
    """The points that bulge out most over their surroundings, at most three, none beside another.

    For several widths the point is compared with the straight line between the two points of the curve that
    are this much cheaper and more expensive. Reference: Das 1999, "On characterizing the knee of the Pareto
    curve".
    """
    bulges = np.stack([_bulges(line, width) for width in WIDTHS])
    best = bulges.max(axis=0)
    marks: list[Landmark] = []
    for place in np.argsort(-best, kind="stable").tolist():
        width = WIDTHS[int(np.argmax(bulges[:, place]))]
        beside = any(abs(_cost_of(line, mark.solution) - line.costs[place]) < width / 2 for mark in marks)
        if best[place] >= LEAST_BULGE and not beside and len(marks) < MOST_KNEES:
            reason = _knee_reason(line, place, width)
            marks.append(Landmark("knee", line.solutions[place], None, float(best[place]), reason))
    return marks


def _bulges(line: Curve, width: float) -> Floats:
    """Height of each point above the chord between the points `width` cheaper and more expensive."""
    before = np.interp(line.costs - width, line.costs, line.gains)
    after = np.interp(line.costs + width, line.costs, line.gains)
    left, right = np.minimum(width, line.costs), np.minimum(width, 1 - line.costs)
    chord = (before * right + after * left) / np.maximum(left + right, 1e-12)
    result: Floats = np.where((left > 0) & (right > 0), line.gains - chord, 0.0)
    return result


def _cost_of(line: Curve, solution: Solution) -> float:
    return float(line.costs[line.solutions.index(solution)])


def _knee_reason(line: Curve, place: int, width: float) -> str:
    first = int(np.searchsorted(line.costs, line.costs[place] - width))
    last = int(np.searchsorted(line.costs, line.costs[place] + width, side="right")) - 1
    before, after = _rate(line, min(first, place - 1), place), _rate(line, place, max(last, place + 1))
    name, cost = line.gain.name, line.cost.name
    values = {"gain": name, "cost": cost, "before": before, "after": after}
    return _(KNEES[is_share(cost), line.ratios], **values)


# Whether the cost is a share, and whether the gain is compared by ratios.
KNEES = {
    (True, True): N_(
        "knee: each percentage point of {cost} multiplies {gain} by {before} before it and by {after} after "
        "it"
    ),
    (True, False): N_(
        "knee: each percentage point of {cost} changes {gain} by {before} before it and by {after} after it"
    ),
    (False, True): N_(
        "knee: each unit of {cost} multiplies {gain} by {before} before it and by {after} after it"
    ),
    (False, False): N_(
        "knee: each unit of {cost} changes {gain} by {before} before it and by {after} after it"
    ),
}


def _rate(line: Curve, first: int, last: int) -> str:
    """The average effect of a unit of cost between two places."""
    spent = abs(line.spent(last) - line.spent(first)) * (100 if is_share(line.cost.name) else 1)
    if not spent:
        return "∞"
    if line.ratios:
        return format_number(f"{(line.gained(last) / line.gained(first)) ** (1 / spent):.2f}")
    return format_number(f"{(line.gained(last) - line.gained(first)) / spent:+.2g}")


def cheap_stretches(line: Curve) -> list[Landmark]:
    """Stretches that gain at least three times as much for their cost as the whole frontier: the ones that
    gain most, without overlap."""
    gain = line.gains[None, :] - line.gains[:, None]
    cost = line.costs[None, :] - line.costs[:, None]
    gain[(gain < STEEP * cost) | (gain < LEAST_GAIN) | (cost < 0)] = 0.0
    # It begins and ends with a step that is itself steep enough; no flat step is included because of its
    # neighbours.
    worth = np.diff(line.gains) >= STEEP * np.diff(line.costs)
    gain[~np.append(worth, False), :] = 0.0
    gain[:, ~np.insert(worth, 0, False)] = 0.0
    marks = []
    while gain.max(initial=0.0) > 0:
        first, last = (int(place) for place in np.unravel_index(np.argmax(gain), gain.shape))
        marks.append(_cheap_stretch(line, first, last, float(gain[first, last])))
        # Two stretches overlap if each begins before the other ends.
        gain[:last, first + 1 :] = 0.0
    return marks


def _cheap_stretch(line: Curve, first: int, last: int, weight: float) -> Landmark:
    reason = _("end of a cheap stretch: {change}", change=_change(line, first, last))
    return Landmark("cheap stretch", line.solutions[last], line.solutions[first], weight, reason)


def expensive_steps(line: Curve) -> list[Landmark]:
    """Steps that cost much and gain at most a third of what the whole frontier gains for that cost; several
    such steps in a row count as one."""
    gain, cost = np.diff(line.gains), np.diff(line.costs)
    steep = [*((cost >= LEAST_COST) & (gain <= cost / STEEP)).tolist(), False]
    tops = [place for place, is_steep in enumerate(steep) if is_steep and not (place and steep[place - 1])]
    return [_expensive_step(line, top, steep.index(False, top)) for top in tops]


def _expensive_step(line: Curve, top: int, behind: int) -> Landmark:
    height = float(line.costs[behind] - line.costs[top])
    reason = _("before an expensive step: {change}", change=_change(line, top, behind))
    return Landmark("expensive step", line.solutions[top], line.solutions[behind], height, reason)


def _change(line: Curve, first: int, last: int) -> str:
    """From one place to another: what is gained and what it costs."""
    name, cost = line.gain.name, line.cost.name
    ratio = line.gained(last) / line.gained(first) if line.ratios else 1.0
    times = format_number(f" (× {ratio:.1f})") if ratio > HARDLY else ""
    return _(
        "{gain} {gained} for {cost} {spent}",
        gain=name,
        gained=" → ".join(apart(name, line.gained(first), line.gained(last))) + times,
        cost=cost,
        spent=" → ".join(apart(cost, line.spent(first), line.spent(last))),
    )


# More points than these say nothing more about the shape of a curve.
MOST_POINTS = 1000


@dataclass(frozen=True, eq=False)
class Curve:
    """Solutions from the cheapest on. `gains` are 0 for the worst and 1 for the best value, by logarithm
    where `ratios` says so; `costs` are 0 for the best and 1 for the worst."""

    solutions: tuple[Solution, ...]
    gain: Objective
    cost: Objective
    gains: Floats
    costs: Floats
    ratios: bool

    def __len__(self) -> int:
        return len(self.solutions)

    def gained(self, place: int) -> float:
        return self.solutions[place].values[self.gain.name]

    def spent(self, place: int) -> float:
        return self.solutions[place].values[self.cost.name]


def gain_and_cost(frontier: Frontier) -> tuple[Objective, Objective]:
    """Which of the first two objectives is the gain, and which the cost."""
    first, second = frontier.objectives[:2]
    return (second, first) if is_cost(first.name) and not is_cost(second.name) else (first, second)


def is_cost(name: str) -> bool:
    """True if a measure is a cost; every other one is a gain."""
    card = card_of(name)
    return card is not None and card.is_loss


def curve(frontier: Frontier) -> Curve:
    """The curve of a frontier with two objectives, thinned out evenly where it has very many points."""
    gain, cost = gain_and_cost(frontier)
    ordered = sorted(frontier, key=lambda s: s.values[cost.name], reverse=cost.direction == "max")
    places = np.unique(np.linspace(0, len(ordered) - 1, min(len(ordered), MOST_POINTS)).round().astype(int))
    solutions = tuple(ordered[place] for place in places.tolist())
    gained, spent = ([s.values[o.name] for s in solutions] for o in (gain, cost))
    scale = Scale.of(gained, straight=is_share(gain.name))
    return Curve(
        solutions,
        gain,
        cost,
        _from_worst(scale, gained, gain.direction == "max"),
        _from_worst(Scale.of(spent, straight=is_share(cost.name)), spent, cost.direction == "min"),
        scale.logarithmic,
    )


def _from_worst(scale: Scale, values: list[float], rising: bool) -> Floats:
    places = np.array([scale.place(value) for value in values])
    return places if rising else 1 - places
