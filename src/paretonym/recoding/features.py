"""What a table or a question may ask of a way to recode, and not every one can answer."""

from __future__ import annotations

from enum import StrEnum


class Feature(StrEnum):
    """A thing that some spaces support. A space says of each other one why not: `supports[feature]` is the
    reason, and a feature without a reason is supported."""

    PERSONS = "persons"  # classes are counted in persons, who may have several rows
    UNITS = "units"  # a suppressed row takes the others of its person or household with it
    POPULATION = "population"  # the classes of the people that the rows were drawn from are known
    SUPPRESSION = "suppression"  # rows can be suppressed
    TRANSFER = "transfer"  # new rows can be shown as the old ones are
    LEVELS = "levels"  # the sets of the hierarchies' levels suffice: values need not be counted as they are
