"""What was released before, for those who add to it, and what can be wrong with new rows, said so that the
schema of the release stays as it is."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from paretonym.arrays import Mask
from paretonym.errors import Problem
from paretonym.measures import Realized
from paretonym.release.released_rows import RowTuples
from paretonym.schema import BoundSchema, Schema
from paretonym.schema.hierarchies import means_missing
from paretonym.source import Table


@dataclass(frozen=True, eq=False)
class Old:
    """What was released before: the data, bound to their schema, and what the recoding made of them."""

    table: Table
    schema: Schema
    bound: BoundSchema
    realized: Realized

    def suppressed(self) -> Mask:
        """Which rows the old release left out though no value was missing."""
        tuples = RowTuples.of(self.table, self.bound, self.realized.cube).every()
        left_out = ~self.realized.stays[self.realized.classes.of_tuple]
        # The entry for -1, the rows that were dropped.
        found: Mask = np.append(left_out, False)[tuples]
        return found


AGAIN = (
    "fix the new rows, or explore old and new rows together with a schema that knows them; the schema of "
    "a release must stay as it is"
)
TOGETHER = (
    "leave these rows out of the new ones; if what is known of a person has changed, explore old and new "
    "rows together, one row per person"
)


def for_new_rows(problem: Problem) -> Problem:
    """The same problem without the advice to edit the schema: the old release was made with it."""
    keeps = problem.remedy.startswith(("did you mean", "known:"))
    return problem if keeps else replace(problem, remedy=AGAIN)


def known_before(old: Old, new: Table) -> list[Problem]:
    """Identifiers of new rows that stand in the old data too; where a row is a person, the person is there
    already. No value is shown."""
    if old.schema.rows != "people":
        return []
    counted = {column.name: _shared(old, new, column.name) for column in old.schema.with_role("identifier")}
    return [
        Problem(
            f"{new.name}, column '{name}'",
            f"identifiers of new rows stand in the old data too: {count:,}",
            TOGETHER,
        )
        for name, count in counted.items()
        if count
    ]


def _shared(old: Old, new: Table, name: str) -> int:
    both = set(old.table.column(name).texts) & set(new.column(name).texts)
    return sum(not means_missing(text, old.schema.null) for text in both)
