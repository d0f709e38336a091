"""The minimality attack: what the choice of a recoding discloses about the values that led to it.

An attacker who knows that a release is generalized no further than its requirement on sensitive values needs
also knows that every release one level finer misses the requirement: some finer class has too much of one
value. Reference: Wong, Fu, Wang and Pei 2007, "Minimality attack in privacy preserving data publishing".
Here: for each column one level finer, how likely each finer class is to be the one that fails (values are
assigned at random inside a class), and so how likely its people are to have the value in question.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from paretonym.arrays import Integers
from paretonym.attacks.background_knowledge import Kinds, measured
from paretonym.attacks.findings import Estimate
from paretonym.attacks.possible_worlds import Case
from paretonym.attacks.published_file import Published

REFERENCE = "Wong, Fu, Wang and Pei 2007, Minimality attack in privacy preserving data publishing"
# Larger classes fail by chance so rarely that computing the formula does not pay.
LARGEST = 400


def inferred_from_the_choice(case: Case) -> list[Estimate]:
    """For each file with levels and a requirement on sensitive values: the number of people for whom a value
    is likely."""
    found = []
    for place, release in enumerate(case.releases):
        limit = largest_share(release.description.recoding.keep)
        if limit is None or release.description.recoding.levels is None:
            continue
        for name in [one for one in case.sensitive if one in release.tallies[0].columns]:
            surer, before = _people(case, place, release, name, limit)
            found.append(
                Estimate(
                    "minimality",
                    release.place,
                    name,
                    "somebody knows that every release one level finer misses the requirement on "
                    f"{name}: a share of at most {limit:.3g}",
                    f"people have a value of {name} with a probability above {case.rules.certain:.0%} "
                    f"({release.name})",
                    float(surer),
                    float(before),
                    False,
                    REFERENCE,
                )
            )
    return found


def largest_share(keep: Any) -> float | None:
    """The largest share of one value that a requirement allows in a class.

    >>> largest_share({"k": ">=5", "l": ">=4"}), largest_share({"alpha": "<=0.5"})
    (0.25, 0.5)
    """
    shares = []
    for name, condition in keep.items() if isinstance(keep, Mapping) else ():
        try:
            number = float(str(condition)[2:])
        except ValueError:
            continue
        measure = str(name).partition("@")[0]
        if measure == "l" and number > 1:
            shares.append(1 / number)
        elif measure == "alpha" and 0 < number < 1:
            shares.append(number)
    return min(shares, default=None)


def _smallest_class(keep: Mapping[str, Any]) -> float:
    """The k that is required."""
    try:
        return float(str(keep["k"]).removeprefix(">="))
    except (KeyError, TypeError, ValueError):
        return 1


def _people(case: Case, place: int, release: Published, name: str, limit: float) -> tuple[int, int]:
    """The number of people with a value more likely than the rules allow: given the choice, and by their
    class alone."""
    tally, original = release.tallies[0], case.original
    if original is None:
        return 0, 0
    value = measured(original, case.book, name)[tally.cells[:, tally.columns.index(name)]]
    cells = np.zeros((len(release.classes), int(value.max()) + 1), dtype=np.int64)
    np.add.at(cells, (tally.group, value), tally.n)
    single = np.array([one[place][0] if len(one[place]) == 1 else -1 for one in case.kinds.fitting])
    of_person = single[case.kinds.of_person]
    recoding = release.description.recoding
    levels, size = recoding.levels or {}, _smallest_class(recoding.keep)
    surer = np.zeros(original.entries, dtype=np.bool_)
    for column in original.quasi:
        level = levels.get(column.name)
        if isinstance(level, int) and level > 0:
            finer = column.levels[level - 1].sets[column.leaves]
            found = _finer_classes(case.kinds, of_person, finer.astype(np.int64))
            surer |= _surer(found, cells, limit, case.rules.certain, size)
    before = (cells.max(axis=1) > case.rules.certain * cells.sum(axis=1))[of_person] & (of_person >= 0)
    return case.kinds.number(surer | before), case.kinds.number(before)


class FinerClasses(NamedTuple):
    """Classes of people with one column a level finer: of each entry its finer class, -1 if it is in none; of
    each finer class the class that it is a part of, and how many people it has."""

    of_entry: Integers
    within: Integers
    sizes: Integers


def _finer_classes(kinds: Kinds, of_person: Integers, finer: Integers) -> FinerClasses:
    here = np.flatnonzero(of_person >= 0)
    groups, own = np.unique(np.column_stack([of_person[here], finer[here]]), axis=0, return_inverse=True)
    of_entry = np.full(len(of_person), -1, dtype=np.int64)
    of_entry[here] = own.reshape(-1)
    often = None if kinds.weights is None else kinds.weights[here]
    sizes = np.bincount(own.reshape(-1), often, len(groups)).astype(np.int64)
    return FinerClasses(of_entry, groups[:, 0], sizes)


def _surer(
    finer: FinerClasses, cells: Integers, limit: float, certain: float, smallest: float
) -> npt.NDArray[np.bool_]:
    """People of finer classes who, if one of these must fail, have a value with more than a given
    probability. If a finer class is also smaller than required, its size explains the choice, and nothing
    follows."""
    nobody = np.zeros(len(finer.of_entry), dtype=np.bool_)
    if (finer.sizes < smallest).any():
        return nobody
    sizes = zip(finer.within.tolist(), finer.sizes.tolist(), strict=True)
    fails = [_failing(cells[place], size, limit) for place, size in sizes]
    none = float(np.prod([1 - min(chance, 1.0) for chance, _ in fails]))
    if none >= 1:
        return nobody
    likely = [min(chance, 1.0) / (1 - none) * share > certain for chance, share in fails]
    return np.append(np.array(likely, dtype=np.bool_), False)[finer.of_entry]


def _failing(counts: Integers, size: int, limit: float) -> tuple[float, float]:
    """The probability that a part of that many people has too much of a value, and the share of the likeliest
    such value then."""
    total = int(counts.sum())
    if size > LARGEST or size >= total:
        return 0.0, 0.0
    chances = []
    for held in counts[counts > 0].tolist():
        ways = {
            number: comb(held, number) * comb(total - held, size - number)
            for number in range(int(limit * size + 1e-9) + 1, min(held, size) + 1)
        }
        chance = sum(ways.values()) / comb(total, size)
        share = sum(n * w for n, w in ways.items()) / (size * sum(ways.values())) if chance else 0.0
        chances.append((chance, share))
    best = max(chances)
    return sum(chance for chance, _ in chances), best[1] * (best[0] / max(sum(c for c, _ in chances), 1e-300))
