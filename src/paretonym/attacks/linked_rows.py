"""Rows that stay linkable: what somebody learns who knows everybody of a household, or all rows of a person,
and which released rows belong together. A release of this program does not say that; a column that all
members share may."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from paretonym.arrays import Codes, Integers
from paretonym.attacks.background_knowledge import Fits
from paretonym.attacks.findings import Estimate
from paretonym.attacks.published_file import Published
from paretonym.audits import Original

REFERENCE = "Templ 2017, Statistical Disclosure Control for Microdata, household (hierarchical) risk"


def linked_rows(
    releases: Sequence[Published], found: Sequence[Fits], known: Original, fewest: int
) -> Iterator[Estimate]:
    """For each file how many households, and how many persons with several rows, show together what fewer
    than `fewest` do; the baseline: by one of their rows alone."""
    groups = (
        (known.households, "household", "households", "members"),
        (known.persons, "person", "persons with several rows", "rows"),
    )
    for codes, one, many, parts in groups:
        if codes is None:
            continue
        for release, fits in zip(releases, found, strict=True):
            shown = shown_together(fits, codes)
            others = Counter(shown.values())
            alone = Counter(place for each in shown.values() for place, _ in each)
            own = [each for each in shown.values() if one == "household" or sum(n for _, n in each) > 1]
            yield Estimate(
                f"linked {parts}",
                release.place,
                None,
                f"the {parts} of each {one} stay linkable, and somebody knows all of them",
                f"{many} are re-identified if their {parts} stay linkable ({release.name})",
                float(sum(others[each] < fewest for each in own)),
                float(sum(any(alone[place] < fewest for place, _ in each) for each in own)),
                False,
                REFERENCE,
            )


def shown_together(fits: Fits, codes: Codes) -> dict[int, tuple[tuple[int, int], ...]]:
    """By household or person: the classes that its rows match, in order, each with the number of rows."""
    there = np.array([bool(one) for one in fits.sets], dtype=np.bool_)[fits.of_person]
    weights: Integers = np.ones(len(codes), dtype=np.int64) if fits.weights is None else fits.weights
    width = len(fits.sets)
    keys, place = np.unique(
        codes[there].astype(np.int64) * width + fits.of_person[there], return_inverse=True
    )
    rows = np.bincount(place.reshape(-1), weights[there]).astype(np.int64)
    found: dict[int, list[tuple[int, int]]] = {}
    for key, number in zip(keys.tolist(), rows.tolist(), strict=True):
        found.setdefault(key // width, []).append((key % width, number))
    return {group: tuple(each) for group, each in found.items()}
