"""Partial knowledge: how many people are disclosed to an attacker who knows more, or less, than the
quasi-identifiers?

More: that somebody does not have m of the values, or what m others of a class have (Martin and others 2007,
"Worst-case background knowledge for privacy-preserving data publishing"). Less: some of the quasi-identifiers
only.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np

from paretonym.arrays import Integers
from paretonym.attacks.background_knowledge import measured
from paretonym.attacks.disclosure import values_of
from paretonym.attacks.findings import Estimate
from paretonym.attacks.possible_worlds import Case
from paretonym.attacks.published_file import Published

MOST_EXCLUDED = 2
MOST_SUBSETS = 60
REFERENCE = "Martin, Kifer, Machanavajjhala, Gehrke and Halpern 2007, Worst-case background knowledge"
SUBSETS = "Sweeney 2000, Simple demographics often identify people uniquely"


def with_other_knowledge(case: Case) -> Iterator[Estimate]:
    """Estimates for each sensitive column, and for each file."""
    for name in case.sensitive:
        values = values_of(case.worlds, name, measured(case.original, case.book, name))
        yield from _excluded(case, name, values)
    for release in case.releases:
        for name in [one for one in case.sensitive if one in release.description.kept]:
            yield from _others(case, release, name)
        yield from _fewer(case, release)


def _excluded(case: Case, name: str, values: Integers) -> Iterator[Estimate]:
    """People for whom few values are left: an attacker who can exclude all but one knows the value."""
    found, people = case.worlds, case.kinds.people
    possible = found.possible if case.possible is None else case.possible
    pairs = np.unique(np.column_stack([found.kind, values])[possible], axis=0)
    left = np.bincount(pairs[pairs[:, 1] >= 0, 0], minlength=len(people))
    open_ones = np.bincount(pairs[pairs[:, 1] < 0, 0], minlength=len(people)) > 0
    left[open_ones] = 0
    for number in range(1, MOST_EXCLUDED + 1):
        yield Estimate(
            "partial knowledge",
            None,
            name,
            f"somebody also knows {number} values that the person does not have",
            f"people whose {name} is known to somebody who can exclude {number} of its values",
            float(people[(left > 0) & (left <= number + 1)].sum()),
            float(people[left == 1].sum()),
            False,
            REFERENCE,
        )


def _others(case: Case, release: Published, name: str) -> Iterator[Estimate]:
    """People of classes in which few others differ from the most frequent value."""
    tally = next(one for one in release.tallies if name in one.columns)
    value = measured(case.original, case.book, name)[tally.cells[:, tally.columns.index(name)]]
    cells = np.zeros((int(tally.group.max()) + 1, int(value.max()) + 1))
    np.add.at(cells, (tally.group, value), tally.n)
    most, size = cells.max(axis=1), cells.sum(axis=1)
    for number in range(1, MOST_EXCLUDED + 1):
        yield Estimate(
            "partial knowledge",
            release.place,
            name,
            f"somebody also knows the values of {number} other people of the class",
            f"people whose {name} is known to somebody who knows that of {number} others ({release.name})",
            float(most[(size > 0) & (size - most <= number)].sum()),
            float(most[(size > 0) & (size == most)].sum()),
            False,
            REFERENCE,
        )


def _fewer(case: Case, release: Published) -> Iterator[Estimate]:
    """People with one candidate row, for an attacker who knows the worst choice of some of the
    quasi-identifiers. Only if the labels of a column do not overlap: then rows that share them are the ones
    that fit."""
    if release.description.recoding.levels is None:
        return
    labels = np.array(release.classes, dtype=object)
    codes = np.stack(
        [np.unique(column.astype(str), return_inverse=True)[1].reshape(-1) for column in labels.T], 1
    )
    whole = _few(codes, release, case.rules.rows)
    for number in range(1, codes.shape[1]):
        if comb(codes.shape[1], number) <= MOST_SUBSETS:
            worst = max(
                _few(codes[:, list(some)], release, case.rules.rows)
                for some in combinations(range(codes.shape[1]), number)
            )
            yield Estimate(
                "partial knowledge",
                release.place,
                None,
                f"somebody knows {number} of the {codes.shape[1]} quasi-identifiers",
                f"rows are re-identified by somebody who knows the worst {number} of {codes.shape[1]} "
                f"quasi-identifiers ({release.name})",
                float(worst),
                float(whole),
                False,
                SUBSETS,
            )


def _few(codes: Integers, release: Published, fewest: int) -> int:
    _, group = np.unique(codes, axis=0, return_inverse=True)
    size = np.bincount(group.reshape(-1), release.sizes)
    return int(size[size < fewest].sum())
