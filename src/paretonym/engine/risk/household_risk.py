"""The risk of households: that at least one member is found, and that a household is known by its members."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paretonym.base.arrays import Floats
from paretonym.base.language import _, format_number, ngettext
from paretonym.base.sentence_parts import percent
from paretonym.engine.counts import Households
from paretonym.engine.measures import Realized


class HouseholdRisk(NamedTuple):
    """The risk of the `number` households with a member in a release. `highest` and `average` are the
    probability that at least one member is found by somebody who knows who is in the table, 1 − Π(1 − r) over
    its members; `smallest` is the fewest households that show the same members (k-household), `alone` how
    many show what no other does. `population_highest` and `population_average` are the probabilities if that
    is not known, estimated from a sampling fraction or weights."""

    number: int
    highest: float
    average: float
    smallest: int
    alone: int
    population_highest: float | None = None
    population_average: float | None = None

    @property
    def in_population(self) -> str:
        """A sentence on the risk in the population; empty if none is known. It stands apart from risks of the
        table."""
        if self.population_highest is None or self.population_average is None:
            return ""
        return _(
            "Somebody who searches the population, and does not know who is in the table, finds at least one "
            "member of a household with a probability of at most {highest}, on average {average} (estimated "
            "from the weights or the sampling fraction).",
            highest=percent(self.population_highest),
            average=percent(self.population_average),
        )

    def __str__(self) -> str:
        """
        >>> str(HouseholdRisk(40, 0.75, 0.5, 2, 0)).partition("linkable, ")[2]
        'every household shows the same members as at least 1 other (k-household 2).'
        """
        sentence = ngettext(
            "At least one member of a household is found with a probability of at most {highest}, on average "
            "{average} over {number} household.",
            "At least one member of a household is found with a probability of at most {highest}, on average "
            "{average} over {number} households.",
            self.number,
            highest=percent(self.highest),
            average=percent(self.average),
        )
        if self.smallest > 1:
            linked = ngettext(
                "If members stay linkable, every household shows the same members as at least {number} other "
                "(k-household {smallest}).",
                "If members stay linkable, every household shows the same members as at least {number} "
                "others (k-household {smallest}).",
                self.smallest - 1,
                smallest=format_number(f"{self.smallest:,}"),
            )
        else:
            linked = ngettext(
                "If members stay linkable, {number} household is unique by its members (k-household 1).",
                "If members stay linkable, {number} households are unique by their members (k-household 1).",
                self.alone,
            )
        return f"{sentence} {linked}"


def household_risk(realized: Realized) -> HouseholdRisk | None:
    """The risk of households in a release whose rows are people; None if it is not known which belong
    together. A suppressed member is not found.

    Formula: 1 − Π(1 − r) over the members, r the individual risk: 1 / rows of the class, as for people of the
    table; for the population, with a sampling fraction or weights, the expected 1/F of the people F of it
    whom the class stands for.

    Reference: Templ 2017, Statistical Disclosure Control for Microdata, household (hierarchical) risk.
    """
    homes, classes = realized.cube.households, realized.classes
    if homes is None or realized.cube.persons is not None or classes.buckets is not None:
        return None
    of_table = _found(realized, homes, 1.0 / classes.rows)
    estimated = realized.population_risks
    in_population = None if estimated is None else _found(realized, homes, estimated)
    alike = homes.alike(classes.of_tuple, realized.stays)
    return HouseholdRisk(
        len(of_table),
        float(of_table.max()),
        float(of_table.mean()),
        int(alike.min()),
        int((alike == 1).sum()),
        None if in_population is None else float(in_population.max()),
        None if in_population is None else float(in_population.mean()),
    )


def _found(realized: Realized, homes: Households, member_risks: Floats) -> Floats:
    """For each household with a member that stays, the probability that at least one is found, given the risk
    of a member of each class."""
    place = realized.classes.of_tuple[homes.tuples]
    staying = realized.stays[place]
    with np.errstate(divide="ignore"):
        # The logarithm of the probability that none of these members is found; of one who is alone, −∞.
        missed = homes.members[staying] * np.log1p(-member_risks[place[staying]])
    total = np.zeros(homes.number)
    np.add.at(total, homes.ids[staying], missed)
    return np.asarray(-np.expm1(total[np.unique(homes.ids[staying])]))
