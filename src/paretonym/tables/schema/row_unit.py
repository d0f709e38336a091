"""Unit of a row of a table, in words: a person, or an event of somebody who may have several."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from paretonym.base.language import N_, _, format_number, ngettext


@dataclass(frozen=True, slots=True)
class Unit:
    """Counted unit, in words. `caution` is the warning that precedes any number if rows are not people;
    `several_rows`: a person may have several, so that a number of rows is not one of people.

    >>> PEOPLE.count(1), PEOPLE.count(1200), ROWS.count(2)
    ('1 person', '1,200 people', '2 rows')
    """

    one: str
    many: str
    every: str
    no_other: str
    words: Mapping[str, str] = field(default_factory=dict)
    caution: str = ""
    several_rows: bool = False

    @property
    def is_person(self) -> bool:
        """True if people are counted, so that a risk of people can be computed."""
        return not self.caution

    def count(self, number: int) -> str:
        if self.is_person:
            return ngettext("{number} person", "{number} people", number)
        return ngettext("{number} row", "{number} rows", number)

    def alone(self, number: int) -> str:
        """That this many are unique, without a full stop.

        >>> PEOPLE.alone(2), ROWS.alone(1)
        ('2 people look like nobody else', '1 row looks like no other row')
        """
        if self.is_person:
            return ngettext(
                "{number} person looks like nobody else", "{number} people look like nobody else", number
            )
        return ngettext(
            "{number} row looks like no other row", "{number} rows look like no other row", number
        )

    def said(self, sentence: str) -> str:
        """A sentence about people in the current language, rephrased for what is counted.

        >>> ROWS.said("How many people look the same, at least?")
        'How many rows look the same, at least?'
        """
        words = {_(before): _(after) for before, after in self.words.items()}
        return re.sub(r"\w+", lambda word: words.get(word[0], word[0]), sentence)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The caution, if there is one."""
        return (_(self.caution),) if self.caution else ()


class PersonFacts(NamedTuple):
    """Number of persons of a table, and of those whose rows have different quasi-identifiers.

    >>> PersonFacts(40, 0).cautions
    ()
    """

    number: int
    differing: int

    @property
    def cautions(self) -> tuple[str, ...]:
        """Warnings about what k then means, if quasi-identifiers differ between the rows of a person."""
        if not self.differing:
            return ()
        return (
            ngettext(
                "{number} of {people} people has rows with different quasi-identifiers: this person is in "
                "several equivalence classes, and counts once in each of them. k is the smallest number of "
                "different people in a class. Somebody who knows several rows of this person can intersect "
                "the classes, which k does not count.",
                "{number} of {people} people have rows with different quasi-identifiers: they are in several "
                "equivalence classes, and count once in each of them. k is the smallest number of different "
                "people in a class. Somebody who knows several rows of one of them can intersect these "
                "classes, which k does not count.",
                self.differing,
                people=format_number(f"{self.number:,}"),
            ),
        )


# A column that all members share in all but this part of the households may belong to the household.
SPANNING_SHARE = 0.1


class HouseholdFacts(NamedTuple):
    """Number of households of a table, of those with several rows, and of rows of the largest.
    `spanning`: for each quasi-identifier whose value nearly all households share, how many do not; `moved`:
    how many persons are in several households.

    >>> HouseholdFacts(400, 300, 6, {"region": 3}).cautions[0][:74]
    "Members of 3 of 300 households have different values of 'region', which al"
    """

    number: int
    several: int
    largest: int
    spanning: Mapping[str, int]
    moved: int = 0

    @property
    def cautions(self) -> tuple[str, ...]:
        """Warnings about what looks like a mistake, and what k-household then means."""
        sentences = [
            _(
                "Members of {number} of {several} households have different values of '{column}', which all "
                "members of the others share. If it belongs to the household, these rows are mistakes or "
                "belong to different households; k-household takes every member as the table has it.",
                number=format_number(f"{number:,}"),
                several=format_number(f"{self.several:,}"),
                column=column,
            )
            for column, number in self.spanning.items()
        ]
        if self.moved:
            sentences.append(
                ngettext(
                    "{number} person has rows in several households: each row counts in its own household.",
                    "{number} people have rows in several households: each row counts in its own household.",
                    self.moved,
                )
            )
        return tuple(sentences)


_OF_PEOPLE = N_("person"), N_("people"), N_("everybody"), N_("nobody else")
PEOPLE = Unit(*_OF_PEOPLE)
# A person may have several rows, and a column says which: the same words, but never for a number of rows.
PERSONS = Unit(*_OF_PEOPLE, several_rows=True)
ROWS = Unit(
    N_("row"),
    N_("rows"),
    N_("every row"),
    N_("no other row"),
    {"people": "rows", "person": "row"},
    N_(
        "k counts rows, not people: rows are events here, and several may belong to one person. So k says "
        "nothing about how many people share an equivalence class, and l, alpha and t nothing about how well "
        "a person's sensitive values are hidden."
    ),
)
