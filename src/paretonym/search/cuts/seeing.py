"""What can only be measured from the classes of a candidate themselves: made anew for each, so it is dear."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from paretonym.cube.counted import Counted
from paretonym.measures.estimating.seen import Seen
from paretonym.recoding.classes import Classes
from paretonym.recoding.cuts.space import Genomes
from paretonym.rounding import rounded
from paretonym.search.cuts.plain import genome_classes, goodness_of, staying
from paretonym.search.cuts.problem import CutsProblem

Floats: TypeAlias = npt.NDArray[np.float64]
# Counts the candidates of some genomes; the nodes of what it counted are their places.
Counter: TypeAlias = Callable[[Genomes], Counted]


def seeing(problem: CutsProblem, count: Counter) -> Counter:
    """The same counter; behind the statistics stands what the classes of each candidate say."""
    if not problem.from_classes:
        return count

    def counted(genomes: Genomes) -> Counted:
        plain = count(genomes)
        unknown = np.full((len(plain.nodes), len(problem.from_classes)), np.nan)
        whole = plain._replace(statistics=np.concatenate([plain.statistics, unknown], axis=1))
        thresholds = _thresholds(problem, whole)
        for place in np.unique(plain.nodes):
            candidates = np.flatnonzero(plain.nodes == place)
            values = _measured(problem, genome_classes(problem, genomes[place]), thresholds[candidates])
            whole.statistics[candidates, len(problem.statistics) :] = values
        return whole

    return counted


def _thresholds(problem: CutsProblem, counted: Counted) -> Floats:
    """What the worst class that stays has of each key, more being better; one row for each candidate."""
    facts = problem.facts(counted)
    signs = [1 if key.direction == "max" else -1 for key in problem.keys]
    return np.stack([s * rounded(o.value(facts)) for s, o in zip(signs, problem.keys, strict=True)], axis=1)


def _measured(problem: CutsProblem, classes: Classes, thresholds: Floats) -> Floats:
    """The measures of the candidates of one genome, one row each."""
    goodness = goodness_of(problem, classes)
    if problem.rule.kind == "any":
        stays = [np.all(np.stack(goodness, axis=1) >= least, axis=1) for least in thresholds]
    else:
        stays = staying(problem, classes, goodness)
    seen = [Seen(problem.cube, classes, each) for each in stays]
    return np.array([[o.from_classes(each) for o in problem.from_classes] for each in seen], dtype=np.float64)
