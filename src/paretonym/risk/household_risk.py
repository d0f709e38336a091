"""The risk of households: that at least one member is found, and that a household is known by its members."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from paretonym.language import format_number, ngettext
from paretonym.measures import Realized
from paretonym.sentence_parts import percent


class HouseholdRisk(NamedTuple):
    """The risk of the `number` households with a member in a release. `highest` and `average` are the
    probability that at least one member is found, 1 − Π(1 − r) over its members; `smallest` is the fewest
    households that show the same members (k-household), `alone` how many show what no other does."""

    number: int
    highest: float
    average: float
    smallest: int
    alone: int

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

    Formula: 1 − Π(1 − r) over the members, r the individual risk: 1 / rows of the class or, with a sampling
    fraction or weights, the expected 1/F of the people F of the population whom the class stands for.

    Reference: Templ 2017, Statistical Disclosure Control for Microdata, household (hierarchical) risk.
    """
    homes, classes = realized.cube.households, realized.classes
    if homes is None or realized.cube.persons is not None or classes.buckets is not None:
        return None
    place = classes.of_tuple[homes.tuples]
    staying = realized.stays[place]
    with np.errstate(divide="ignore"):
        # The logarithm of the probability that none of these members is found; of one who is alone, −∞.
        missed = homes.members[staying] * np.log1p(-realized.member_risks[place[staying]])
    total = np.zeros(homes.number)
    np.add.at(total, homes.ids[staying], missed)
    present = np.unique(homes.ids[staying])
    risks = -np.expm1(total[present])
    alike = homes.alike(classes.of_tuple, realized.stays)
    return HouseholdRisk(
        len(present), float(risks.max()), float(risks.mean()), int(alike.min()), int((alike == 1).sum())
    )
