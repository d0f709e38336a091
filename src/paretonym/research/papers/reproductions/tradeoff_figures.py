"""The trade-offs paper's Figures 6 to 11 and the answers of its Section 7.5."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np

from paretonym.base.arrays import Floats
from paretonym.base.errors import InputError
from paretonym.engine.frontier import Frontier, Solution
from paretonym.engine.frontier.queries import gain_and_cost, landmarks
from paretonym.engine.spaces.cuts import PaperProblem
from paretonym.research.papers.reproductions.printed_numbers import (
    OTHER_TREES,
    TRADEOFFS_ANY,
    TRADEOFFS_K,
    TRADEOFFS_SAFE,
    TRADEOFFS_WEIGHTED_K,
)
from paretonym.research.papers.reproductions.reproduction import Fact, Panel, Result, Series
from paretonym.study import Study, example
from paretonym.tables.source.example_data import adult_table

HIGHEST_DEGREE = 5
Role: TypeAlias = Literal["quasi", "sensitive", "drop"]


@dataclass(frozen=True, slots=True)
class Fit:
    """The cost as a polynomial of the gain, or of its logarithm where `logarithmic`; `coefficients[i]`
    belongs to the i-th power. `error` is the root of the mean squared difference, `worst` the largest, both
    over the solutions; `left_out` the same root with each solution predicted from all others."""

    gain: str
    cost: str
    logarithmic: bool
    coefficients: tuple[float, ...]
    error: float
    worst: float
    left_out: float

    def __call__(self, gain: float) -> float:
        """The cost that the form gives for a gain."""
        at = np.log(gain) if self.logarithmic else gain
        return float(np.polynomial.polynomial.polyval(at, self.coefficients))

    def __str__(self) -> str:
        name = f"ln({self.gain})" if self.logarithmic else self.gain
        powers = ["", f"·{name}", *(f"·{name}^{i}" for i in range(2, len(self.coefficients)))]
        terms = [f"{value:.4g}{power}" for value, power in zip(self.coefficients, powers, strict=True)]
        return f"{self.cost} ≈ {' + '.join(terms)}".replace("+ -", "− ")


def fitted(frontier: Frontier, highest: int = HIGHEST_DEGREE) -> Fit:
    """The polynomial of at most that degree which best predicts each solution from the others.

    It holds for this frontier alone: nothing says that another table's looks alike, nor that it holds beyond
    the solutions. Gains that spread over more than a factor of ten are taken by their logarithm.

    Reference: Dewri et al., trade-offs, Section 7.5 (polynomial curve fitting).
    """
    if len(frontier.objectives) != 2 or len(frontier) < 3:
        raise InputError.of(
            "the frontier", "a form is fitted to two objectives and three solutions or more", "explore two"
        )
    gain, cost = gain_and_cost(frontier)
    gains, costs = (np.array([s.values[o.name] for s in frontier]) for o in (gain, cost))
    logarithmic = bool(gains.min() > 0 and gains.max() > 10 * gains.min())
    at = np.log(gains) if logarithmic else gains
    tries = [_of_degree(at, costs, degree) for degree in range(1, min(highest, len(frontier) - 2) + 1)]
    coefficients, error, worst, left_out = min(tries, key=lambda found: found[3])
    return Fit(gain.name, cost.name, logarithmic, tuple(coefficients.tolist()), error, worst, left_out)


def _of_degree(at: Floats, costs: Floats, degree: int) -> tuple[Floats, float, float, float]:
    """Least squares; leaving one out needs no second fit, the diagonal of the projection is enough."""
    powers = np.vander(at, degree + 1, increasing=True)
    orthogonal, upper = np.linalg.qr(powers)
    coefficients = np.linalg.lstsq(upper, orthogonal.T @ costs, rcond=None)[0]
    differences = costs - powers @ coefficients
    alone = differences / np.maximum(1 - (orthogonal**2).sum(axis=1), 1e-9)
    error, left_out = (float(np.sqrt(np.mean(errors**2))) for errors in (differences, alone))
    return coefficients, error, float(np.abs(differences).max()), left_out


# As many as the paper's population of 200 over 250 generations, for every problem.
EVALUATIONS = 50_200
ZOOMS = (1.0, 0.4, 0.3)

UNSAFE = (
    "'Nominal' is the pair that the paper reports, the first class that no longer fits into the limit. What "
    "stays may have less of the second property: 'true' is measured, and 'sound' is the best of the version "
    "that puts up every pair within the limit. Its Definition 4 takes for ℓ the whole part of 1 / max p, its "
    "Section 4.3 the number of values: 'by Definition 4' is nominal, too, with the former."
)


EIGHT = (
    "The paper counts nine quasi-identifiers. Without occupation, the sensitive column of Problem 4, eight "
    "are left. That its other problems may have left it out as well is an inference from these numbers alone."
)


@cache
def adult(occupation: Role = "quasi") -> Study:
    """Nine quasi-identifiers, occupation among them; eight if it is sensitive or left out."""
    study = example("adult-nine")
    if occupation == "quasi":
        return study
    columns = tuple(
        replace(column, role=occupation, hierarchy=None, missing="drop")
        if column.name == "occupation"
        else column
        for column in study.schema.columns
    )
    return Study(adult_table(), replace(study.schema, columns=columns, text=None))


@cache
def solved(problem: PaperProblem, suppress: str = "10%", occupation: Role = "quasi") -> Frontier:
    """The frontier that the hybrid search finds."""
    study = adult("sensitive" if problem.number == 4 else occupation)
    asked: dict[str, Any] = problem.options
    if not problem.own_suppression:
        asked["suppress"] = suppress
    return study.explore(space="cuts", evaluations=EVALUATIONS, **asked)


def best(solutions: Sequence[Solution], name: str, **most: float) -> float:
    """The largest value of a measure among the solutions within some limits; 0 if there is none."""
    within = (s for s in solutions if all(s.values[other] <= bound for other, bound in most.items()))
    return max((s.values[name] for s in within), default=0.0)


def figure_6() -> Result:
    """Problem 1: weighted-k and loss, and how many rows lie in classes of at most each size."""
    front = solved(PaperProblem(1))
    reached = [s for s in front if s.values["gl"] <= 0.22]
    middle = max(reached, key=lambda s: s.values["weighted-k"])
    low = min((s for s in front if s.values["gl"] > 0), key=lambda s: abs(s.values["gl"] - 0.05))
    eight = solved(PaperProblem(1), occupation="drop")
    facts = (
        Fact("loss at most 22 %", "weighted-k", middle.values["weighted-k"], TRADEOFFS_WEIGHTED_K),
        Fact(
            "the same with eight quasi-identifiers",
            "weighted-k",
            best(eight, "weighted-k", gl=0.22),
            TRADEOFFS_WEIGHTED_K,
        ),
        Fact("loss at most 22 %", "smallest class", middle.values["k"]),
        Fact("loss about 5 %", "weighted-k", low.values["weighted-k"]),
        Fact("all", "solutions", len(front)),
    )
    points = panel("Problem 1", front, "weighted-k", "gl")
    insets = [_cumulated(f"loss {s.values['gl']:.0%}", s) for s in (low, middle)]
    return Result(facts, (points, *insets), (EIGHT, OTHER_TREES))


def _cumulated(title: str, solution: Solution) -> Panel:
    """Number of rows in classes of at most each size."""
    sizes = np.sort(adult().realized(solution.recoding).classes.rows)
    line = Series("rows", tuple(map(float, sizes)), tuple(map(float, np.cumsum(sizes))), "line")
    return Panel(
        f"Rows in classes up to a size, {title}", ("size of the class", "rows"), (line,), (True, False)
    )


def figure_7() -> Result:
    """Problem 2: k and loss, with at most 10 % and at most 1 % of the rows suppressed."""
    facts, panels = [], []
    for suppress in ("10%", "1%"):
        front, row = solved(PaperProblem(2), suppress), f"suppress {suppress}"
        facts += _within_losses(row, front, TRADEOFFS_K if suppress == "10%" else {})
        facts.append(Fact(row, "solutions", len(front)))
        for zoom in ZOOMS:
            zoomed = [s for s in front if s.values["loss"] <= zoom]
            panels.append(panel(f"At most {suppress}, loss up to {zoom:.0%}", zoomed, "k", "loss"))
    eight = solved(PaperProblem(2), occupation="drop")
    facts += _within_losses("10% with eight quasi-identifiers", eight, TRADEOFFS_K)
    return Result(tuple(facts), tuple(panels), (EIGHT, OTHER_TREES))


def _within_losses(row: str, front: Frontier, printed: Mapping[float, int]) -> list[Fact]:
    """The largest k within the printed losses, and what no cuts can exceed."""
    facts = []
    for loss in TRADEOFFS_K:
        facts.append(Fact(row, f"k at loss {loss:.0%}", best(front, "k", loss=loss), printed.get(loss)))
        bound = front.search.bound
        if bound is not None and (most := bound.within(loss)) is not None:
            facts.append(Fact(row, f"at loss {loss:.0%} at most (proven)", most))
    (loss, k), *_ = sorted(TRADEOFFS_K.items(), reverse=True)
    least = min(s.values["loss"] for s in front if s.values["k"] >= k)
    return [*facts, Fact(row, f"least loss at k = {k}", least, loss if printed else None)]


def figure_8() -> Result:
    """Problem 3: the three objectives, pair by pair."""
    front = solved(PaperProblem(3))
    pairs = (("weighted-k", "gl"), ("weighted-k", "sl"), ("gl", "sl"))
    panels = tuple(panel("Problem 3", front, *pair) for pair in pairs)
    return Result((Fact("all", "solutions", len(front)),), panels, (OTHER_TREES,))


def figure_9() -> Result:
    """Problem 3 with a limit on one of the two losses, and what is around the printed point."""
    front = solved(PaperProblem(3))
    facts = (
        *_nearest("nearest to the printed point", front),
        *_nearest("the same with eight quasi-identifiers", solved(PaperProblem(3), occupation="drop")),
    )
    few = [s for s in front if s.values["sl"] < 0.2]
    fine = [s for s in front if s.values["gl"] < 0.3]
    panels = (
        panel("Fewer than 20 % suppressed", few, "weighted-k", "gl"),
        panel("Less than 30 % generalization loss", fine, "weighted-k", "sl"),
    )
    return Result(facts, panels, (EIGHT, OTHER_TREES))


def _nearest(row: str, front: Frontier) -> list[Fact]:
    """The solution of Problem 3 that is nearest to the printed point."""
    near = min(front, key=_distance)
    printed = zip(("weighted-k", "gl", "sl"), TRADEOFFS_ANY, strict=True)
    facts = [Fact(row, name, near.values[name], value) for name, value in printed]
    return [*facts, Fact(row, "k of what stays", near.values["k"])]


def _distance(solution: Solution) -> float:
    """Distance of a solution of Problem 3 from the printed point, in its worst objective."""
    k, gl, sl = TRADEOFFS_ANY
    values = solution.values
    return max(abs(math.log(values["weighted-k"] / k)), abs(values["gl"] - gl), abs(values["sl"] - sl))


def nominal(solution: Solution) -> tuple[float, float]:
    """The pair (k, ℓ) that the paper reports of a solution of Problem 4: where suppression ended."""
    (condition,) = solution.recoding.keep
    bounds = dict(zip(condition.measures, condition.bounds, strict=True))
    return bounds["k"], bounds["l" if "l" in bounds else "l-distinct"]


def true(solution: Solution) -> tuple[float, float]:
    """The pair (k, ℓ) that what stays has."""
    return solution.values["k"], solution.values["l-distinct"]


def safest(
    front: Frontier, loss: float, least: int, pair: Callable[[Solution], tuple[float, float]]
) -> float:
    """The largest k with at least `least` values, within a loss."""
    pairs = [pair(s) for s in front if s.values["loss"] <= loss]
    return max((k for k, values in pairs if values >= least), default=0.0)


def figure_10() -> Result:
    """Problem 4 within 30 % loss, k or ℓ desired more."""
    facts, panels = [], []
    for letter, first in (("k", "l-distinct"), ("l", "k")):
        front = solved(PaperProblem(4, letter))  # type: ignore[arg-type]
        within = [s for s in front if s.values["loss"] <= 0.3]
        row = f"{letter} desired more"
        facts.append(Fact(row, "solutions within 30 %", len(within)))
        facts += [Fact(row, f"best {name}", best(within, name)) for name in ("k", "l-distinct")]
        panels.append(panel(f"{row}, by {first}", within, "k", "l-distinct"))
    facts += _safe((0.30,))
    return Result(tuple(facts), tuple(panels), (OTHER_TREES, UNSAFE))


def figure_11() -> Result:
    """Problem 4 with ℓ desired more: what one percent of loss buys."""
    front = solved(PaperProblem(4, "l"))
    panels = [
        panel(f"Loss at most {loss:.0%}", [s for s in front if s.values["loss"] <= loss], "k", "l-distinct")
        for loss in (0.20, 0.21)
    ]
    return Result(tuple(_safe((0.20, 0.21))), tuple(panels), (OTHER_TREES, UNSAFE))


def _safe(losses: tuple[float, ...]) -> list[Fact]:
    ordered, sound = solved(PaperProblem(4, "l")), solved(PaperProblem(4, sound=True))
    whole = solved(PaperProblem(4, "l", floor=True))
    facts = []
    for (loss, least), k in TRADEOFFS_SAFE.items():
        if loss in losses:
            row = f"loss {loss:.0%}, {least} values"
            facts += [
                Fact(row, "k, nominal", safest(ordered, loss, least, nominal), k),
                Fact(row, "k, true", safest(ordered, loss, least, true)),
                Fact(row, "k, sound", safest(sound, loss, least, true)),
                Fact(row, "k, by Definition 4", safest(whole, loss, least, nominal)),
            ]
    return facts


def answers() -> Result:
    """Section 7.5: the four questions of the introduction, the shape of the frontier and a form for it."""
    zero, limited = solved(PaperProblem(1)), solved(PaperProblem(2))
    form = fitted(limited)
    marks = [mark.kind for mark in landmarks(limited)]
    facts = [
        Fact(
            "1: nothing suppressed, loss 22 %",
            "weighted-k",
            best(zero, "weighted-k", gl=0.22),
            TRADEOFFS_WEIGHTED_K,
        ),
        *(
            Fact(f"2: 10 % suppressed, loss {loss:.0%}", "k", best(limited, "k", loss=loss), k)
            for loss, k in TRADEOFFS_K.items()
        ),
        *(replace(fact, row=f"4: {fact.row}") for fact in _safe((0.20, 0.21))),
        Fact("form of Problem 2", "degree", len(form.coefficients) - 1),
        Fact("form of Problem 2", "error of loss", form.error),
        Fact("form of Problem 2", "largest error", form.worst),
        Fact("shape of Problem 2", "cheap stretches", marks.count("cheap stretch")),
        Fact("shape of Problem 2", "expensive steps", marks.count("expensive step")),
    ]
    return Result(tuple(facts), (), (OTHER_TREES, UNSAFE, f"The form: {form}."))


def panel(title: str, solutions: Sequence[Solution], across: str, up: str) -> Panel:
    """Two measures of solutions; numbers of rows by their logarithm."""
    points = [[s.values[name] for s in solutions] for name in (across, up)]
    series = Series("solutions", tuple(points[0]), tuple(points[1]), "dots")
    counted = ("k", "weighted-k")
    return Panel(title, (across, up), (series,), (across in counted, up in counted))
