"""The original rows as an audit or an attack sees them: numbers for rows, plain texts, what each level makes
of a value, and who stays if a suppressed row takes all rows of its person or household with it.

`schema_adapter.py` reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from paretonym.arrays import Codes, Floats, Integers, Mask

PERSON, HOUSEHOLD = "person", "household"


@dataclass(frozen=True, eq=False)
class ShownLevel:
    """How one level shows a column: the set of each leaf, and each set's label and number of values."""

    sets: Codes
    labels: tuple[str, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Row:
    """The order of the leaves of a quasi-identifier, for sets that are not levels.

    The first leaves may lie on a line, each at its point: a number if `numeric`, a day (since year 1) if
    `dated`, whose texts have a `layout` (None: ISO); what follows them is missing or has no place. Sets are
    made of those of the level `lowest`, and where there are `granules` of these too: that of each leaf.
    """

    leaves: tuple[str, ...]
    points: tuple[str, ...]
    numeric: bool
    dated: bool
    layout: str | None
    lowest: int
    granules: Codes | None


@dataclass(frozen=True, eq=False)
class QuasiMeaning:
    """A quasi-identifier: the leaf of every entry of the original, how many rows each entry stands for (None:
    one), what each level makes of it, and the row in which its leaves lie, of which the schema lists the
    first `listed`, whether or not they occur."""

    name: str
    leaves: Codes
    weights: Integers | None
    levels: tuple[ShownLevel, ...]
    domain: int
    importance: Fraction
    row: Row
    listed: int


@dataclass(frozen=True, eq=False)
class KeptMeaning:
    """A column that is released unchanged: the text of every entry of the original. For a sensitive column
    also, for each text, the value as which it is measured; all of these in order, whether that order means
    something, and the set of each at the levels of its tree, up to below the top."""

    name: str
    codes: Codes
    texts: tuple[str, ...]
    measured: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    ordered: bool = False
    tree: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class Original:
    """The original rows that could be released, column by column. An entry stands for one row or, where the
    original was counted, for as many rows as `weights` says. `null`: texts that mean missing."""

    rows: int
    weights: Integers | None
    quasi: tuple[QuasiMeaning, ...]
    kept: tuple[KeptMeaning, ...]
    null: tuple[str, ...]
    roles: Mapping[str, str]
    # Whose each row is, and which household's, as a number, if a column says so.
    persons: Codes | None = None
    households: Codes | None = None
    # How many people of the population each row stands for, if a column says so and rows are people.
    sampling: Floats | None = None
    # The rows of the table that these were added to, if it is given.
    old: tuple[QuasiMeaning, ...] = ()

    def most_rows(self, stays: Mask) -> int:
        """How many rows of one person are among the entries that stay, at most."""
        if self.persons is None:
            return 1
        weights = None if self.weights is None else self.weights[stays]
        return int(rows_of(self.persons[stays], weights).max(initial=1))

    @property
    def entries(self) -> int:
        return self.rows if self.weights is None else len(self.weights)

    def only(self, marked: Mask) -> Original:
        """The marked entries alone."""

        def left(codes: Codes | None) -> Codes | None:
            return None if codes is None else codes[marked]

        weights = None if self.weights is None else self.weights[marked]
        return replace(
            self,
            rows=self.rows_in(marked),
            weights=weights,
            quasi=tuple(replace(each, leaves=each.leaves[marked], weights=weights) for each in self.quasi),
            kept=tuple(replace(each, codes=each.codes[marked]) for each in self.kept),
            persons=left(self.persons),
            households=left(self.households),
            sampling=None if self.sampling is None else self.sampling[marked],
        )

    def rows_in(self, marked: Mask) -> int:
        """How many rows the marked entries stand for."""
        return int(marked.sum() if self.weights is None else self.weights[marked].sum())

    def entries_that_stay(self, look: Integers, unit: str | None, keep: Mapping[str, str]) -> Mask | None:
        """Which entries stay where a suppressed row takes all of its `unit` with it, given a number for what
        each looks like; None if rows are suppressed one by one, or if nothing is."""
        codes = self._units(unit)
        said = keep.get("k")
        # A manifest may say anything.
        if codes is None or not isinstance(said, str) or not said.removeprefix(">=").isdigit():
            return None
        least = int(said.removeprefix(">="))
        stay = np.ones(len(codes), dtype=np.bool_)
        while stay.any():
            sizes = self._sizes(look, codes if unit == PERSON else None, stay)
            small = stay & (sizes[look] < least)
            if not small.any():
                break
            stay &= ~np.isin(codes, codes[small])
        return stay

    def entries_without(self, gone: Mask, unit: str | None) -> Mask | None:
        """Which entries may stay where these are suppressed and take all of their `unit` with them; None if
        rows are suppressed one by one."""
        codes = self._units(unit)
        return None if codes is None else ~np.isin(codes, codes[gone])

    def _units(self, unit: str | None) -> Codes | None:
        return {PERSON: self.persons, HOUSEHOLD: self.households}.get(unit or "")

    def _sizes(self, look: Integers, persons: Codes | None, stay: Mask) -> Integers:
        """How many of those that stay look like each: different persons, or rows."""
        length = int(look.max(initial=0)) + 1
        if persons is None:
            return rows_of(look[stay], None if self.weights is None else self.weights[stay], length)
        pairs = np.unique(np.stack([look[stay], persons[stay].astype(np.int64)]), axis=1)
        return np.bincount(pairs[0], minlength=length)


def rows_of(codes: Codes | Integers, weights: Integers | None, length: int = 0) -> Integers:
    """How many rows have each code, if each entry stands for as many rows as its weight says, or for one.

    >>> rows_of(np.array([0, 2, 0]), np.array([5, 1, 2]), 4).tolist()
    [7, 0, 1, 0]
    """
    return np.bincount(codes, weights, length).astype(np.int64)
