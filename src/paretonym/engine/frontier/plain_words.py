"""Measures in plain words for people who decide, with the term behind them."""

from __future__ import annotations

from collections.abc import Iterable

from paretonym.base.language import N_, _, ngettext
from paretonym.engine.frontier.solution import Solution
from paretonym.engine.measures import (
    CLASS_SIZE,
    GENERALIZATION,
    HOUSEHOLD_SIZE,
    LOSS,
    POPULATION_SIZE,
    SUPPRESSION,
    measured,
)

PLAIN = {
    CLASS_SIZE: N_("smallest group"),
    LOSS: N_("detail lost"),
    GENERALIZATION: N_("detail generalized"),
    SUPPRESSION: N_("rows left out"),
    POPULATION_SIZE: N_("smallest group in the population"),
    HOUSEHOLD_SIZE: N_("smallest group of households"),
}


def plain_word(name: str) -> str:
    """A measure without its term; nothing if it has no plain word."""
    return _(PLAIN[name]) if name in PLAIN else ""


def term(name: str) -> str:
    """A measure in plain words with the term.

    >>> term("loss"), term("t")
    ('detail lost (loss)', 't')
    """
    return f"{plain_word(name)} ({name})" if name in PLAIN else name


def in_words(name: str, value: float) -> str:
    """A value of a measure: the plain word first, the term behind it.

    >>> in_words("k", 12), in_words("t", 0.25)
    ('smallest group (k) 12', 't 0.25')
    """
    return f"{term(name)} {measured(name, value)}"


def values_in_words(solution: Solution, names: Iterable[str]) -> str:
    """Some values of a release, and how many rows it leaves out."""
    values = [in_words(name, solution.values[name]) for name in names]
    rows = ngettext("{number} row left out", "{number} rows left out", solution.suppressed)
    return ", ".join([*values, rows if solution.suppressed else _("no rows left out")])
