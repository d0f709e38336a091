"""What can only be measured from the classes of a candidate themselves: made anew for each, so it is dear."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from paretonym.arrays import Floats
from paretonym.cube.counted import Counted
from paretonym.measures.estimating.seen import Seen
from paretonym.recoding.classes import Classes
from paretonym.recoding.cuts.space import Genomes
from paretonym.search.cuts.plain import genome_classes, stays_of
from paretonym.search.cuts.problem import CutsProblem

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
        for place in np.unique(plain.nodes):
            candidates = np.flatnonzero(plain.nodes == place)
            values = _measured(problem, genome_classes(problem, genomes[place]), whole.take(candidates))
            whole.statistics[candidates, len(problem.statistics) :] = values
        return whole

    return counted


def _measured(problem: CutsProblem, classes: Classes, counted: Counted) -> Floats:
    """The measures of the candidates of one genome, one row each."""
    seen = [Seen(problem.cube, classes, each) for each in stays_of(problem, classes, counted)]
    return np.array([[o.from_classes(each) for o in problem.from_classes] for each in seen], dtype=np.float64)
