"""The classes of a genome, which of them stay in each of its candidates, and what these show. So persons are
counted, one genome after the other: they may be in several classes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Floats, Mask
from paretonym.counts import Counted
from paretonym.recoding import Classes
from paretonym.rounding import rounded
from paretonym.spaces.cuts.cuts_problem import CutsProblem
from paretonym.spaces.cuts.genome_space import Genomes
from paretonym.spaces.cuts.shown_groups import as_shown, made_classes


def plain_counter(problem: CutsProblem) -> Callable[[Genomes], Counted]:
    """The counter for genomes of this problem, without compiled code."""

    def count(genomes: Genomes) -> Counted:
        nodes, facts, costs, statistics = [], [], [], []
        for place, genome in enumerate(genomes):
            classes = genome_classes(problem, genome)
            goodness = goodness_of(problem, classes)
            for stays in staying(problem, classes, goodness):
                nodes.append(place)
                weights = classes.rows if problem.rule.kind == "any" else goodness[0]
                shown, hidden = shown_classes(problem, genome, classes, stays)
                facts.append([*_facts(classes, stays, weights), int(hidden.sum())])
                costs.append(_costs(problem, shown, stays))
                statistics.append(_statistics(problem, classes, stays))
        return Counted(
            np.array(nodes, dtype=np.int64),
            np.array(facts, dtype=np.int64).reshape(len(nodes), problem.facts_kept),
            np.array(costs, dtype=np.int64).reshape(len(nodes), len(problem.costs)),
            np.array(statistics, dtype=np.float64).reshape(len(nodes), len(problem.statistics)),
        )

    return count


def genome_classes(problem: CutsProblem, genome: npt.NDArray[np.bool_]) -> Classes:
    """The classes that one genome makes, without labels."""
    return made_classes(problem.cube, problem.space.axes, problem.space.starts_of_groups(genome))


def shown_classes(
    problem: CutsProblem, genome: npt.NDArray[np.bool_], made: Classes, stays: Mask
) -> tuple[Classes, Mask]:
    """What the classes of a genome show if some stay, and its cuts that cannot be shown."""
    starts = problem.space.starts_of_groups(genome)
    classes, hidden = as_shown(problem.cube, problem.space.axes, starts, made, stays)
    return classes, hidden & genome


def goodness_of(problem: CutsProblem, classes: Classes) -> list[Floats]:
    """The value of each key for each class; more is better."""
    each = [
        key.of_classes(problem.cube, classes) * (1 if key.direction == "max" else -1) for key in problem.keys
    ]
    return [np.floor(goodness) for goodness in each] if problem.rule.whole else each


def staying(problem: CutsProblem, classes: Classes, goodness: list[Floats]) -> list[Mask]:
    """Which classes stay, for each candidate of the rule."""
    rows, allowed = classes.rows, problem.suppressible
    if problem.rule.kind == "mean":
        return [goodness[0] * problem.cube.rows >= (goodness[0] * rows).sum()]
    if problem.rule.kind == "order":
        return [_in_order(rows, goodness, allowed)]
    found: dict[bytes, Mask] = {}
    for limits in product(*(np.unique(each) for each in goodness)):
        mask = np.all([each >= limit for each, limit in zip(goodness, limits, strict=True)], axis=0)
        if mask.any() and rows[~mask].sum() <= allowed:
            found.setdefault(mask.tobytes(), mask)
    return list(found.values())


def stays_of(problem: CutsProblem, classes: Classes, counted: Counted) -> list[Mask]:
    """Which classes stay in each of the candidates of one genome that were counted."""
    goodness = goodness_of(problem, classes)
    if problem.rule.kind != "any":
        return staying(problem, classes, goodness)
    return [np.all(np.stack(goodness, axis=1) >= least, axis=1) for least in _thresholds(problem, counted)]


def _thresholds(problem: CutsProblem, counted: Counted) -> Floats:
    """The value of each key for the worst class that stays (more is better), one row for each candidate."""
    facts = problem.facts(counted)
    signs = [1 if key.direction == "max" else -1 for key in problem.keys]
    return np.stack([s * rounded(o.value(facts)) for s, o in zip(signs, problem.keys, strict=True)], axis=1)


def _in_order(rows: npt.NDArray[np.int64], goodness: list[Floats], allowed: int) -> Mask:
    """Suppress the lowest first, equal ones together, as long as few enough rows are suppressed."""
    stays = np.ones(len(rows), dtype=np.bool_)
    pairs = list(zip(*(each.tolist() for each in goodness), strict=True))
    for pair in sorted(set(pairs)):
        without = stays & np.array([other != pair for other in pairs])
        if rows[~without].sum() > allowed:
            break
        stays = without
    return stays


def _facts(classes: Classes, stays: Mask, weights: npt.NDArray[Any]) -> list[int]:
    rows, every = classes.rows, classes.sizes
    left, kept = every[stays], rows[stays]
    persons = [] if classes.persons is None else [left.sum(), every.sum(), (kept**2).sum()]
    return [
        int(left.min()), int(rows.sum() - kept.sum()), len(left), int((left**2).sum()),
        int((every**2).sum()), int((left == 1).sum()), *map(int, persons), int((rows * weights).sum()),
    ]  # fmt: skip


def _costs(problem: CutsProblem, classes: Classes, stays: Mask) -> list[int]:
    return [rule.of_staying(problem.cube, classes, stays) for rule in problem.costs.values()]


def _statistics(problem: CutsProblem, classes: Classes, stays: Mask) -> list[float]:
    values = []
    for statistic in problem.statistics:
        margin = problem.cube.margin(statistic.column)
        cells = margin.cells(classes.of_tuple, len(classes))
        sizes = None if margin.holders is None else classes.sizes[stays]
        values.append(statistic.over_staying(margin, cells[stays], sizes))
    return values
