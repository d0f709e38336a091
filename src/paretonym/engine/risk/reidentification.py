"""Re-identification risk (prosecutor, journalist, marketer) in numbers and in plain words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Integers
from paretonym.base.language import N_, _, format_number, ngettext
from paretonym.base.notebook_view import NotebookView, one_line
from paretonym.base.sentence_parts import percent, upper_first
from paretonym.engine.measures import Realized
from paretonym.engine.risk.household_risk import HouseholdRisk, household_risk
from paretonym.tables.schema import PEOPLE, Unit

NO_RISK = N_(
    "The re-identification risk is unknown: all rows of an equivalence class may belong to one person."
)


class SizeBin(NamedTuple):
    """Classes of `low` to `high` rows (or persons): their number, and the number of their rows, or of the
    persons who are in no smaller one."""

    low: int
    high: int
    classes: int
    rows: int


@dataclass(frozen=True, slots=True, repr=False)
class Risk:
    """The risk that somebody who knows people's quasi-identifiers re-identifies them in a release.

    `smallest` is the size of the smallest class, `in_smallest` the number of people in classes of that size.
    If the unit is not a person, only the sizes are known: there is no risk of people. `rows` is the sum of
    the sizes of all classes; where a person is in several, `rows` counts different persons, and `people` says
    for each size how many have their smallest class of that size. `sizes` holds every size that occurs with
    its number of classes, in ascending order. `population` is the
    smallest number of people of the population who look like somebody in the release, and `households` the
    risk of households, if these are known.
    """

    rows: int
    classes: int
    smallest: int
    in_smallest: int
    sizes: tuple[tuple[int, int], ...]
    unit: Unit = PEOPLE
    population: int | None = None
    households: HouseholdRisk | None = None
    people: tuple[int, ...] = ()

    @classmethod
    def of_sizes(
        cls,
        class_sizes: Integers,
        unit: Unit = PEOPLE,
        population: int | None = None,
        smallest_of_each: Integers | None = None,
    ) -> Risk:
        """The risk in a table or release whose classes have these sizes; `smallest_of_each` is the size of
        each person's smallest class, if persons are in several."""
        sizes, counts = np.unique(class_sizes, return_counts=True)
        numbers = sizes * counts
        if smallest_of_each is not None:
            numbers = np.bincount(np.searchsorted(sizes, smallest_of_each), minlength=len(sizes))
        return cls(
            int(numbers.sum()),
            len(class_sizes),
            int(sizes[0]),
            int(numbers[0]),
            tuple(zip(sizes.tolist(), counts.tolist(), strict=True)),
            unit,
            population,
            people=() if smallest_of_each is None else tuple(numbers.tolist()),
        )

    @property
    def by_size(self) -> tuple[tuple[int, int, int], ...]:
        """Every size, its number of classes, and of the people (or rows) whose smallest class has it."""
        numbers = self.people or tuple(size * count for size, count in self.sizes)
        return tuple((*entry, number) for entry, number in zip(self.sizes, numbers, strict=True))

    @property
    def prosecutor(self) -> float:
        """The highest risk of one person who is known to be in the release: 1 / smallest class."""
        return 1 / self.smallest

    @property
    def journalist(self) -> float:
        """The highest risk of one person who may or may not be in it. Without a table of the population, the
        release itself is used in its place, and the result is the prosecutor risk."""
        return self.prosecutor if self.population is None else 1 / self.population

    @property
    def marketer(self) -> float:
        """The share of people re-identified on average if everybody is searched for: classes / rows, or
        persons, each once in every class that they are in."""
        return self.classes / sum(size * count for size, count in self.sizes)

    @property
    def all_alone(self) -> bool:
        """True if everybody is unique."""
        return self.smallest == 1 and len(self.sizes) == 1

    def bins(self) -> tuple[SizeBin, ...]:
        """The sizes in bins that double, from the smallest class to the largest."""
        bins, low, largest = [], self.smallest, self.sizes[-1][0]
        while low <= largest:
            inside = [(count, number) for size, count, number in self.by_size if low <= size < 2 * low]
            classes, rows = sum(count for count, _ in inside), sum(number for _, number in inside)
            bins.append(SizeBin(low, 2 * low - 1, classes, rows))
            low *= 2
        return tuple(bins)

    def below(self, k: int) -> int:
        """The number of people in classes of fewer than k."""
        return sum(number for size, _, number in self.by_size if size < k)

    def __repr__(self) -> str:
        return one_line(self)

    def _repr_html_(self) -> str:
        return NotebookView([str(self)]).html()

    def __str__(self) -> str:
        sentences = f"{self._smallest_classes()} {self._probabilities()}"
        return sentences if self.households is None else f"{sentences} {self.households}"

    def _smallest_classes(self) -> str:
        unit = self.unit
        if self.smallest == 1:
            return f"{unit.alone(self.in_smallest)}."
        smallest = ngettext(
            "the smallest equivalence class has {people}",
            "the {number} smallest equivalence classes have {people} each",
            self.sizes[0][1],
            people=unit.count(self.smallest),
        )
        return ngettext(
            "{every} looks the same as at least {number} other; {smallest}.",
            "{every} looks the same as at least {number} others; {smallest}.",
            self.smallest - 1,
            every=upper_first(_(unit.every)),
            smallest=smallest,
        )

    def _probabilities(self) -> str:
        if not self.unit.is_person:
            return _(NO_RISK)
        values = {
            "smallest": format_number(f"{self.smallest:,}"),
            "prosecutor": percent(self.prosecutor),
            "journalist": self._journalist(),
            "marketer": percent(self.marketer),
        }
        if self.unit.several_rows:
            return _(
                "Somebody who knows a person's quasi-identifiers and that the person is in the table picks "
                "the right person for a row with a probability of at most 1 in {smallest} ({prosecutor}; "
                "prosecutor risk; {journalist}). Somebody who searches for everybody finds {marketer} of the "
                "people on average (marketer risk).",
                **values,
            )
        return _(
            "Somebody who knows a person's quasi-identifiers and that the person is in the table picks the "
            "right row with a probability of at most 1 in {smallest} ({prosecutor}; prosecutor risk; "
            "{journalist}). Somebody who searches for everybody finds {marketer} of the people on average "
            "(marketer risk).",
            **values,
        )

    def _journalist(self) -> str:
        if self.population is None:
            return _(
                "the journalist risk is assumed to be the same, since no table of the population is given"
            )
        return _(
            "journalist risk, of somebody who does not know that: at most 1 in {people}, {risk}, by the "
            "table of the population",
            people=format_number(f"{self.population:,}"),
            risk=percent(self.journalist),
        )


def risk(realized: Realized, unit: Unit = PEOPLE) -> Risk:
    """The re-identification risk of a release of a table whose rows are people or events.

    Reference: El Emam 2013, Guide to the De-Identification of Personal Health Information (prosecutor,
    journalist and marketer risk).
    """
    people = Risk.of_sizes(realized.sizes, unit, realized.smallest_population, realized.smallest_of_each)
    return replace(people, households=household_risk(realized) if unit.is_person else None)


class Threshold(NamedTuple):
    """A smallest class size that is required in practice, by whom, and the source that says so; none is a
    law of nature."""

    k: int
    who: str
    source: str

    @property
    def risk(self) -> float:
        """The highest risk of one person that it allows."""
        return 1 / self.k


THRESHOLDS = (
    Threshold(
        3, N_("some custodians of health data, for trusted recipients"),
        "El Emam 2013, Guide to the De-Identification of Personal Health Information, cell size precedents",
    ),
    Threshold(
        5, N_("the usual rule of data custodians: no cell below five"),
        "El Emam 2013, Guide to the De-Identification of Personal Health Information, cell size precedents",
    ),
    Threshold(
        11, N_("public release of health data in the United States; a risk of at most 0.09 for clinical "
                   "reports in Europe and Canada"),
        "El Emam 2013 (as above); EMA 2016, guidance on the implementation of Policy 0070; Health Canada "
        "2019, Public Release of Clinical Information; IPC Ontario 2025, De-Identification Guidelines for "
        "Structured Data (low sensitivity)",
    ),
    Threshold(
        20, N_("public release of sensitive data: a risk of at most 0.05"),
        "El Emam 2013 (as above); IPC Ontario 2025, De-Identification Guidelines for Structured Data (high "
        "sensitivity)",
    ),
)  # fmt: skip
