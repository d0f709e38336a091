"""The values that people of the original really have: what is certain by the files must also be true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from paretonym.audit import KeptValues
from paretonym.base.arrays import Integers
from paretonym.base.factorize import summed
from paretonym.evidence.attacks.composition import paired
from paretonym.evidence.criteria import meant_values


@dataclass(frozen=True, eq=False)
class HeldValues:
    """`rows[i]` rows of owner `owners[i]` (a tuple, or a person) have the text `texts[held[i]]` in a column;
    no pair occurs twice."""

    texts: tuple[str, ...]
    owners: Integers
    held: Integers
    rows: Integers

    @classmethod
    def of(cls, column: KeptValues, owners: Integers, counts: Integers) -> HeldValues:
        """The values of a column that is released unchanged, given whose each entry is."""
        width = len(column.texts)
        keys, rows = summed(owners * width + column.codes, counts)
        return cls(column.texts, keys // width, keys % width, rows)

    def rows_with(self, pairs: Integers, texts: Sequence[str], values: Integers) -> Integers:
        """For each pair of an owner and a value, how many rows of the owner have it, if the i-th of some
        published texts is measured as `values[i]`. However it is written, a text stands for what it means."""
        occurring, held = np.unique(self.held, return_inverse=True)
        meaning = meant_values([self.texts[place] for place in occurring.tolist()], texts)
        entry, place = paired(held, meaning[:, 0])
        # Texts that are measured as one value may mean the same.
        matches = np.unique(np.column_stack([entry, values[meaning[place, 1]]]), axis=0)
        width = int(values.max(initial=0)) + 1
        keys, rows = summed(self.owners[matches[:, 0]] * width + matches[:, 1], self.rows[matches[:, 0]])
        keys_of_pairs = pairs[:, 0] * width + pairs[:, 1]
        if not len(keys):
            return np.zeros(len(pairs), dtype=np.int64)
        at = np.minimum(np.searchsorted(keys, keys_of_pairs), len(keys) - 1)
        return np.where(keys[at] == keys_of_pairs, rows[at], 0)
