"""The words of a report, explained."""

from __future__ import annotations

from paretonym.measures.registry import card_of
from paretonym.schema.row_unit import PEOPLE, Unit

WORDS = {
    "quasi-identifier": "a column that somebody could know about a person from elsewhere and look for in the "
    "release, such as age or place of living",
    "sensitive column": "a column that a reader must not learn about a known person",
    "group": "all people who look the same in the release: they have the same value in every "
    "quasi-identifier (an equivalence class)",
    "generalization": "values are shown coarser, as sets of values: an age as ten years, a country as a "
    "continent",
    "left out": "rows that are not in the release since their group was too small, or did not have what else "
    "was required of every group (suppressed)",
    "release": "a table made from the data by one choice of coarser values and of rows left out",
    "frontier": "all releases that no other release beats in all objectives together",
    "prosecutor risk": "the chance to pick the right row of a person who is known to be in the release: one "
    "divided by the size of the person's group",
    "journalist risk": "the same for a person who may or may not be in it. Without a table of the whole "
    "population it is taken to be the prosecutor risk",
    "marketer risk": "the share of people who would be found on average if everybody was looked for: the "
    "number of groups divided by the number of rows",
}


# What has no meaning where rows are not people.
RISKS = ("prosecutor risk", "journalist risk", "marketer risk")


def glossary(
    measures: tuple[str, ...], unit: Unit = PEOPLE, words: tuple[str, ...] = tuple(WORDS)
) -> list[tuple[str, str]]:
    """Words and measures with their meaning, in the order of the alphabet."""
    entries = {word: WORDS[word] for word in words if unit.is_person or word not in RISKS}
    if "group" in entries:
        entries["group"] = unit.said(entries["group"])
    for name in measures:
        card = card_of(name)
        if card is not None:
            question = unit.said(card.question)
            entries[name] = f"{question} {card.formula} ({card.better} is better; {card.reference})"
    return sorted(entries.items())
