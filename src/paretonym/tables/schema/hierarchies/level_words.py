"""A level of a hierarchy in words: "in steps of 10", "first 3 characters", "by month", "not shown"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paretonym.base.errors import InputError, printable
from paretonym.base.language import N_, _, format_number
from paretonym.tables.schema.hierarchies.hierarchy import Hierarchy
from paretonym.tables.schema.hierarchies.hierarchy_builder import build
from paretonym.tables.schema.hierarchies.hierarchy_kind import HierarchyColumn
from paretonym.tables.schema.hierarchies.level_table import Values

UNCHANGED = N_("unchanged")
NOT_SHOWN = N_("not shown")
# By the noun of a kind: several sets, and one.
SETS = {
    "group": (N_("in {number} groups"), N_("in one group")),
    "band": (N_("in {number} bands"), N_("in one band")),
}
MASKED = "*"
FEW_LABELS = 5
LONGEST_LABEL = 40


@dataclass(frozen=True, slots=True)
class LevelWords:
    """`words` says how a column is shown; `labels` are the names of the sets, if they have names and are
    few."""

    words: str
    labels: tuple[str, ...] = ()

    @classmethod
    def stored(cls, words: str, labels: Sequence[str]) -> LevelWords:
        """The words that a run has stored; refuses those that say nothing.

        >>> str(LevelWords.stored("unchanged or not shown", []))
        'unchanged or not shown'
        """
        phrases = [phrase for part in words.split(" or ") for phrase in part.split(", ")]
        if not all(phrases) or {"{", "}"} & set(words):
            raise ValueError("not the words of a level")
        return cls(words, tuple(labels))

    @property
    def shown(self) -> str:
        """The words in the current language; runs store them in English."""
        *parts, last = self.words.split(" or ")
        phrases = [", ".join(map(_phrase, part.split(", "))) for part in (", ".join(parts), last) if part]
        return _("{some} or {last}", some=phrases[0], last=phrases[1]) if parts else phrases[0]

    def __str__(self) -> str:
        return f"{self.shown} ({', '.join(self.labels)})" if self.labels else self.shown


def _phrase(english: str) -> str:
    """A phrase in the current language; a number in it is the value of a placeholder.

    >>> _phrase("in steps of 2,500")
    'in steps of 2,500'
    """
    number = re.search(r"-?\d[\d,.]*", english)
    if number is None or _(english) != english:
        return _(english)
    pattern = f"{english[: number.start()]}{{number}}{english[number.end() :]}"
    return _(pattern, number=format_number(number[0]))


def level_words(
    column: HierarchyColumn,
    level: int,
    hierarchy: Hierarchy | None = None,
    shown: Sequence[str] | None = None,
) -> LevelWords:
    """Words for a column at a level. Sets with names are counted and named only if the labels are given that
    are `shown`. The hierarchy is built from the schema alone where that lists all leaves and no other is
    given.

    >>> from paretonym.tables.schema import schema_from
    >>> entry = {"role": "quasi", "hierarchy": {"intervals": [10, 40]}}
    >>> age = schema_from({"columns": {"age": entry}}).column("age")
    >>> [str(level_words(age, level)) for level in range(4)]
    ['unchanged', 'in steps of 10', 'in steps of 40', 'not shown']
    """
    hierarchy = hierarchy or _listed(column)
    if level == 0:
        return LevelWords(UNCHANGED + _coding(column))
    kind = column.kind
    whole = hierarchy is not None and hierarchy.listed > 0 and level >= hierarchy.height
    masked = shown is not None and not any(label.strip(MASKED) for label in shown)
    if whole or masked or level > kind.height:
        return LevelWords(NOT_SHOWN)
    if kind.set_noun is None:
        return LevelWords(kind.words(level) + _coding(column))
    return LevelWords(kind.words(level)) if shown is None else sets_words(shown, kind.set_noun)


def levels_words(
    column: HierarchyColumn,
    levels: Mapping[int, Sequence[str] | None],
    hierarchy: Hierarchy | None = None,
) -> LevelWords:
    """Words for a column whose rows are at different levels, the finest first, with the labels that they show
    at each; coded ends are said once.

    >>> from paretonym.tables.schema import schema_from
    >>> entry = {"role": "quasi", "top": 90, "hierarchy": {"intervals": [10, 40]}}
    >>> age = schema_from({"columns": {"age": entry}}).column("age")
    >>> print(levels_words(age, dict.fromkeys([0, 1, 3])))
    unchanged, in steps of 10 or not shown, all from 90 on together
    """
    phrases = [level_words(column, level, hierarchy, shown) for level, shown in levels.items()]
    if len(phrases) == 1:
        return phrases[0]
    coding = _coding(column)
    *some, last = dict.fromkeys(phrase.words.removesuffix(coding) for phrase in phrases)
    coded = coding if any(phrase.words.endswith(coding) for phrase in phrases) else ""
    return LevelWords((f"{', '.join(some)} or {last}" if some else last) + coded)


def sets_words(shown: Sequence[str], noun: str = "group") -> LevelWords:
    """Words for the sets with these labels, which are named if they are few.

    >>> str(sets_words(["North", "South"])), str(sets_words(["North"]))
    ('in 2 groups (North, South)', 'in one group (North)')
    """
    labels = tuple(map(_short, shown))
    several, one = SETS[noun]
    words = several.format(number=f"{len(labels):,}") if len(labels) > 1 else one
    return LevelWords(words, labels if len(labels) <= FEW_LABELS else ())


def _short(label: str) -> str:
    """A label that fits into a sentence."""
    text = printable(label)
    return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 1]}…"


def _coding(column: HierarchyColumn) -> str:
    ends = (
        (N_("all below {number} together"), column.bottom),
        (N_("all from {number} on together"), column.top),
    )
    return "".join(f", {words.format(number=f'{end:,f}')}" for words, end in ends if end is not None)


def _listed(column: HierarchyColumn) -> Hierarchy | None:
    """The hierarchy of a column whose schema lists all leaves; None where it depends on the data."""
    try:
        return build(column, Values(column.name, ())).hierarchy
    except InputError:
        return None
