"""How well a release tells about large populations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paretonym.measures.estimating.estimates import mean_divergence
from paretonym.measures.estimating.populations import populations
from paretonym.measures.estimating.seen import Seen, chosen, regions


def utility_loss(seen: Seen, columns: Sequence[str], parameters: Mapping[str, float]) -> float:
    """How far, on average, the sensitive values of large populations are from what a reader would estimate:
    the mean over all populations with at least `minsup` of the rows of JS(true, estimated); several columns:
    their mean. A population without any estimated row costs ln 2.

    A population is a conjunction of at most one predicate for each quasi-identifier; predicates are the sets
    of all levels of its hierarchy, without the whole domain.

    Cost: populations × classes, shared along common predicates. Misleads where the hierarchies cut
    populations that nobody asks about: it weighs all of them the same.

    Reference: Li & Li 2009, Section 4.2 (U_loss).
    """
    known = populations(seen.cube, parameters["minsup"], columns)
    guess = known.estimates(regions(seen, columns))
    total, start = 0.0, 0
    for margin in chosen(seen.cube, columns):
        stop = start + len(margin.labels)
        total += mean_divergence(known.truth, guess, start, stop)
        start = stop
    return total / len(columns)
